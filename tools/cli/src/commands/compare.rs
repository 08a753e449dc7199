//! `heapwright compare`: two results, or two profiles, beside each other.

mod profiles;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use bench::compare::{self, Comparison, Error};
use bench::fail_if::{self, Rule};
use bench::result::Report;
use clap::{Args, ValueEnum, ValueHint};
use launch::allocator::HEAPWRIGHT;

use crate::commands::bench::words::Words;
use crate::exit::{self, Usage};
use crate::{format, out};

const EXAMPLES: &str = include_str!("compare/help.txt");

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// Everything
    Json,
    /// One line for each figure
    Csv,
}

/// Compare two results of bench, or two profiles
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compare {
    /// The result to compare with: result.json, or the folder that holds it; or a profile, .pb.gz
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    old: PathBuf,

    /// The result, or the profile, that is compared
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    new: PathBuf,

    /// Of two profiles, compare all that was allocated, and not what is in use
    #[arg(long)]
    allocated: bool,

    /// Exit with 1 when this holds, such as 'geomean>1.02'; may be given more than once
    #[arg(long, value_name = "RULE")]
    fail_if: Vec<String>,

    /// Let the estimate decide about --fail-if, and not the nearer end of its interval
    #[arg(long, requires = "fail_if")]
    strict: bool,

    /// The form of the comparison: table, json or csv
    #[arg(long, value_name = "FORMAT", default_value = "table", hide_possible_values = true)]
    format: Format,
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if profiles::is_one(&self.old) || profiles::is_one(&self.new) {
            self.profiles()?;
            return Ok(ExitCode::SUCCESS);
        }
        // A typing error is said before files are read.
        let rules = self
            .fail_if
            .iter()
            .map(|text| fail_if::parse(text).map(|rule| rule.strict(self.strict)).map_err(usage))
            .collect::<anyhow::Result<Vec<Rule>>>()?;
        let old = compare::load(&self.old).map_err(readable)?;
        let new = compare::load(&self.new).map_err(readable)?;
        let comparison = compare::of(&old, &new).map_err(readable)?;
        let (workloads, allocators) = comparison.names();
        for rule in &rules {
            rule.known(&workloads, &allocators).map_err(usage)?;
        }
        let names = [&self.old, &self.new].map(|path| path.display().to_string());
        let text = match self.format {
            Format::Table => {
                format::visible(&show::table(&comparison, &names, ::show::text::width()))
                    .into_owned()
            }
            Format::Csv => show::csv(&comparison),
            Format::Json => serde_json::to_string_pretty(&comparison)? + "\n",
        };
        let printed = out::print(&text);
        let is_for_people = matches!(self.format, Format::Table) && printed.is_ok();
        let (verdicts, has_failed) = judge(&rules, &comparison);
        if !is_for_people {
            verdicts.iter().for_each(|line| exit::say(line));
        }
        printed?;
        if is_for_people {
            let is_alike = old.scale.total_cmp(&new.scale).is_eq();
            let next = (!is_alike)
                .then(|| format!("next     {}   does the same work as OLD", alike(&old)));
            let width = ::show::text::width();
            let verdicts = verdicts.iter().map(|line| ::show::text::wrapped(line, 0, width));
            let below: String = verdicts.chain(next).map(|line| line + "\n").collect();
            out::print(&format::visible(&below))?;
        }
        Ok(ExitCode::from(if has_failed { exit::CROSSED } else { 0 }))
    }
}

/// The command that does the work of `old` again: the same length, the same random choices, another folder.
fn alike(old: &Report) -> String {
    let (scale, seed) = (old.scale.to_string(), old.seed.to_string());
    Words::of_command(old.command_line.iter().cloned())
        .without(&["output", "scale", "seed"])
        .with(&["--scale", &scale, "--seed", &seed])
}

/// What became of the rules, a line for each; whether one of them holds.
fn judge(rules: &[Rule], comparison: &Comparison) -> (Vec<String>, bool) {
    let ratios = comparison.named();
    let ours = comparison.names().1.contains(&HEAPWRIGHT);
    let (mut lines, mut has_failed) = (Vec::new(), false);
    for rule in rules {
        let verdict = rule.check(&ratios, ours);
        has_failed |= verdict.is_failure();
        lines.push(rule.sentence(&verdict));
    }
    (lines, has_failed)
}

fn usage(error: fail_if::Error) -> anyhow::Error {
    Usage(error.to_string()).into()
}

/// What is no result is wrong usage.
pub(crate) fn readable(error: Error) -> anyhow::Error {
    match error {
        Error::Read(..) => error.into(),
        Error::Schema(..) | Error::Nothing(_) => Usage(error.to_string()).into(),
    }
}

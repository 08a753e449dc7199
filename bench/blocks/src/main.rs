//! The block allocators of heapwright beside others, interleaved in one run: `cargo xtask blocks`.
//!
//! Each round runs every allocator on the same memory, in another order; figures are medians of rounds, and ratios are medians of
//! the rounds' ratios. Programs on these allocators, behind one lock, are measured by `heapwright bench --region`.

mod churn;
mod parts;
mod samples;

use std::io::{self, Write as _};
use std::process::{Command, ExitCode};
use std::{fs, path::Path};

use bench::machine::{Busyness, Machine};
use clap::Parser;
use parts::Part;
use samples::Samples;

/// The block allocators beside others; exits with 1 when a bound does not hold, with --quick when an exact one does not
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask blocks", max_term_width = 100)]
struct Options {
    /// Shorter runs, two rounds: whether it works, not what it measures
    #[arg(long)]
    quick: bool,
    /// Only these parts
    #[arg(long, value_enum, default_values_t = Part::ALL)]
    only: Vec<Part>,
    /// How many rounds
    #[arg(long, default_value_t = 11, default_value_if("quick", "true", "2"))]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
    /// Write the tables into docs/blocks.md
    #[arg(long, conflicts_with_all = ["quick", "only"])]
    write: bool,
}

const BEGIN: &str = "<!-- written by cargo xtask blocks --write: begin -->";
const END: &str = "<!-- written by cargo xtask blocks --write: end -->";

fn said(program: &str, words: &[&str]) -> String {
    let done = Command::new(program).args(words).output();
    done.map_or_else(
        |_| String::new(),
        |done| String::from_utf8_lossy(&done.stdout).trim().to_owned(),
    )
}

fn between(old: &str, text: &str) -> Option<String> {
    let (before, rest) = old.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{text}\n\n{END}{after}"))
}

fn run(options: &Options) -> Result<bool, String> {
    let machine = Machine::describe();
    let busy = Busyness::now().load_warning(machine.cores);
    if let Some(busy) = &busy {
        eprintln!("blocks: {busy}");
    }
    let mut samples = Samples::default();
    let mut tables = String::new();
    for &part in &options.only {
        eprintln!("blocks: {part:?}");
        part.measure(options.quick, options.rounds.into(), &mut samples);
        tables.push_str(&format!("\n{}", samples.table(part)));
    }
    let (bounds, hold) = samples.bounds(options.quick);
    // Who reads the pipe may have seen enough; the page is written all the same.
    match write!(io::stdout(), "{bounds}{tables}") {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => return Err(why.to_string()),
        _ => {}
    }
    if options.write {
        let page = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = page.join("../../docs/blocks.md");
        let (when, commit) =
            (said("date", &["-u", "+%F"]), said("git", &["rev-parse", "--short", "HEAD"]));
        let busy = busy.map_or_else(String::new, |busy| format!("; {busy}"));
        let machine = format!("{}\n\nMeasured {when} on commit {commit}{busy}.", machine.line());
        let old = fs::read_to_string(&page).map_err(|why| why.to_string())?;
        let new = between(&old, &format!("{bounds}{tables}\n### Machine\n\n{machine}"));
        fs::write(&page, new.ok_or("the page has no markers")?).map_err(|why| why.to_string())?;
    }
    Ok(hold)
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("blocks: {why}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_markers_is_replaced() {
        let old = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let new = format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n");
        assert_eq!(between(&old, "new"), Some(new));
        assert_eq!(between("no markers", "new"), None);
    }

    #[test]
    fn a_page_is_made_of_complete_runs_only() {
        let parse = |words: &str| Options::try_parse_from(words.split(' '));
        assert!(parse("blocks --write --quick").is_err());
        assert_eq!(parse("blocks --quick").unwrap().rounds, 2);
        assert_eq!(parse("blocks --only fill --rounds 5").unwrap().only, [Part::Fill]);
    }
}

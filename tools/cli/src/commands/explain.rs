//! `heapwright explain`: what holds a recorded program's memory, on one page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::bail;
use bench::compare;
use bench::result::{Replayed, Report};
use clap::{Args, ValueHint};
use explain::Verdict;
use serde_json::json;
use trace::Trace;

use super::compare::readable;
use crate::exit::Usage;
use crate::{out, traces};

const EXAMPLES: &str = include_str!("explain/help.txt");

/// Say what holds a recorded program's memory
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// The trace: a .trace or .chunks file of 'record', or the folder that holds it
    #[arg(value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    trace: PathBuf,

    /// What 'replay' wrote of this trace: result.json, or the folder that holds it [default: the newest of this trace in a folder
    /// beside it, or in the current one]
    #[arg(long, value_name = "RESULT", value_hint = ValueHint::AnyPath)]
    replayed: Option<PathBuf>,

    /// Print all facts and findings as JSON
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        // What cannot be read is said before a large trace is.
        let given = match &self.replayed {
            Some(path) => Some((path, compare::load(path).map_err(readable)?)),
            None => None,
        };
        let trace = traces::open(&self.trace)?;
        let report = match given {
            Some((path, report)) => {
                check(path, &report, &trace)?;
                Some(report)
            }
            None => found(&trace),
        };
        let facts = explain::facts(&trace);
        let findings = explain::findings(&facts);
        let stays = explain::stays(&facts, &findings);
        let verdict = report.and_then(|report| explain::verdict(&report, stays));
        if self.json {
            let whole = json!({
                "schema": "heapwright-explain",
                "version": 1,
                "findings": findings,
                "verdict": verdict,
                "facts": facts,
            });
            out::print(&(serde_json::to_string_pretty(&whole)? + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let next = next(&self.trace, verdict.as_ref());
        let width = ::show::text::width();
        out::print(&explain::page(&facts, &findings, verdict.as_ref(), &next, width))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Refuses a result that is not of a replay of this trace.
fn check(path: &Path, report: &Report, trace: &Trace) -> anyhow::Result<()> {
    let place = path.display();
    let Some(replayed) = replayed(report) else {
        bail!(Usage(format!("{place} is a result of bench, not of replay")));
    };
    if !is_of(replayed, trace) {
        let (of, this) = (&replayed.trace, trace.path().display());
        bail!(Usage(format!("{place} is a replay of {of}, which is not {this}")));
    }
    Ok(())
}

fn replayed(report: &Report) -> Option<&Replayed> {
    report.workloads.first()?.replayed.as_ref()
}

/// Whether this trace was replayed, whatever it is called now: it is as long and was of the same program.
fn is_of(replayed: &Replayed, trace: &Trace) -> bool {
    let about = trace.about();
    let seconds = about.duration as f64 / 1e9;
    (replayed.recorded_seconds - seconds).abs() <= seconds * 0.01
        && replayed.command == about.command
}

/// The newest result of a replay of this trace: in a folder beside it, or in the current one.
fn found(trace: &Trace) -> Option<Report> {
    let beside = trace.path().parent().filter(|folder| !folder.as_os_str().is_empty());
    let here = Path::new(".");
    let folders = beside.into_iter().chain([here]).flat_map(fs::read_dir).flatten().flatten();
    let results = folders.map(|entry| entry.path().join("result.json"));
    let mut results: Vec<_> =
        results.filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path))).collect();
    results.sort();
    let of_this = |path: &Path| {
        let report = compare::load(path).ok()?;
        let replayed = replayed(&report)?;
        // The result has what was typed: the file or its folder.
        let named = Path::new(&replayed.trace).file_name();
        let is_named = named == trace.path().file_name()
            || beside.is_some_and(|folder| named == folder.file_name());
        (is_named && is_of(replayed, trace)).then_some(report)
    };
    results.iter().rev().find_map(|(_, path)| of_this(path))
}

fn next(trace: &Path, verdict: Option<&Verdict>) -> Vec<(String, String)> {
    let advised = verdict.and_then(|verdict| verdict.advice.as_ref());
    let (command, why) = match (verdict, advised) {
        (_, Some(advice)) => (advice.command.clone(), "runs it so"),
        (Some(_), None) => (traces::command("view", trace), "shows the heap as a picture"),
        (None, None) => {
            (traces::command("replay", trace), "tells what it would take on every allocator")
        }
    };
    vec![(command, why.to_owned())]
}

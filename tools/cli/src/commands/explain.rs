//! `heapwright explain`: what holds a recorded program's memory, on one page.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use serde_json::json;
use trace::{Trace, TraceError};

use crate::exit::{self, Usage};
use crate::out;

const EXAMPLES: &str = "\
Examples:
  heapwright explain server-4711.trace
  heapwright explain recordings/              the largest process of a folder
  heapwright explain server-4711.trace --json

The page says of what resident memory consisted at the peak, when most was free and kept, and when the program had done \
its work: what the program had asked for, what malloc's rounding takes, what is free and by which blocks it is held, and \
what is not malloc's at all. Then what grows. Leak, growing cache, fragmentation, caches of threads, retention after a \
peak, huge pages, mappings of the program's own and rounding are told apart by rules, which docs/memory-grows.md has.

The trace is read twice and never kept in memory as a whole.

Exit codes: 0 explained; 2 wrong usage, or a file that is no trace; 125 a file cannot be read.";

/// Say what holds a recorded program's memory: leak, growth, fragmentation, retention
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    /// The trace: a .trace or .chunks file of 'record', or the folder that holds it
    #[arg(value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    trace: PathBuf,

    /// Print all facts and findings as JSON
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let trace = Trace::open(&self.trace).map_err(readable)?;
        let facts = explain::facts(&trace);
        let findings = explain::findings(&facts);
        if self.json {
            let whole = json!({
                "schema": "heapwright-explain",
                "version": 1,
                "findings": findings,
                "facts": facts,
            });
            out::print(&(serde_json::to_string_pretty(&whole)? + "\n"))?;
            return Ok(ExitCode::SUCCESS);
        }
        let path = trace.path().display();
        let next = [
            (
                format!("heapwright replay {path}"),
                "what it would take on every allocator".to_owned(),
            ),
            (format!("heapwright view {path}"), "the heap as a picture".to_owned()),
        ];
        out::print(&explain::page(&facts, &findings, &next, ::show::text::width()))?;
        if let Some(first) = trace.others().first() {
            let others = ::show::text::many(trace.others().len(), "other process");
            exit::warn(&format!(
                "there are {others} in the folder, the largest {}",
                first.display()
            ));
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn readable(error: TraceError) -> anyhow::Error {
    match error {
        // It names the reason itself.
        TraceError::Io { .. } => anyhow::anyhow!("{error}"),
        _ => Usage(error.to_string()).into(),
    }
}

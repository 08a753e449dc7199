//! `heapwright export`: a trace as tables.

use std::io::stdout;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum, ValueHint};
use trace::Form;

use crate::{exit, traces};

const EXAMPLES: &str = "\
Examples:
  heapwright export redis.trace --to csv | head
  heapwright export redis.trace --to jsonl -o fleet/ --label 7.2.4
  for t in */*.trace; do heapwright export $t --to parquet -o fleet; done

With -o, four tables go into the folder, each trace's under its name: blocks (a row for each block: size, threads, when it \
was born and freed, address, frame), curves (live and resident bytes over time), frames (call stacks with functions and lines) and traces (one \
row: program, malloc, peak). Times are in nanoseconds since the recording began, sizes in bytes. Without -o, the blocks \
go to standard output. docs/traces.md has queries over a folder of many traces for DuckDB and Apache Spark.

Exit codes: 0 written; 2 wrong usage, or a file that is no trace; 125 it cannot be read or written.";

/// The form of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// Comma-separated values
    Csv,
    /// An object of JSON a line
    Jsonl,
    /// Apache Parquet: compressed columns
    Parquet,
}

/// Write a trace as tables: CSV, JSON lines or Parquet, for engines that query many
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// A trace: the file or folder that 'heapwright record' wrote
    #[arg(value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    trace: PathBuf,

    /// The form
    #[arg(long, value_name = "FORM")]
    to: To,

    /// The folder of all tables; without it, the blocks go to standard output
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// What the table of traces says of this one besides, such as the release of the program
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        requires = "output"
    )]
    label: String,
}

impl Export {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let form = match self.to {
            To::Csv => Form::Csv,
            To::Jsonl => Form::Jsonl,
            To::Parquet => Form::Parquet,
        };
        let trace = traces::open(&self.trace)?;
        match &self.output {
            None => {
                trace::export_blocks(&trace, form, Box::new(stdout())).map_err(traces::failed)?
            }
            Some(folder) => {
                let files = trace::export(&trace, form, folder, &self.label);
                for file in files.map_err(traces::failed)? {
                    exit::say(&format!("wrote    {}", file.display()));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

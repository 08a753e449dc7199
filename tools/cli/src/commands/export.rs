//! `heapwright export`: a trace as tables, or its call stacks for other tools.

use std::fs;
use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use bench::whole;
use clap::{Args, ValueEnum, ValueHint};
use profile::{Cost, Inuse, Pprof, Tree};
use trace::{Form, TraceError};

use super::profile::By;
use crate::exit::Usage;
use crate::{exit, traces};

const EXAMPLES: &str = include_str!("export/help.txt");

/// The form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// Comma-separated values
    Csv,
    /// An object of JSON a line
    Jsonl,
    /// Apache Parquet: compressed columns
    Parquet,
    /// Call stacks as pprof, Pyroscope and Parca read them
    Pprof,
    /// Call stacks as OTLP profiles, OpenTelemetry's format in development
    Otlp,
    /// Call stacks, one a line, as flame graph tools read them
    Collapsed,
    /// Call stacks for speedscope.app
    Speedscope,
    /// Call stacks as a flame graph
    Svg,
    /// Call stacks as a page
    Html,
}

/// Write a trace as tables, or its call stacks for other tools
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

    /// Of call stacks, what counts: peak, live, allocated or temporary; live is at the end
    #[arg(long, value_name = "COST", default_value = "peak", hide_possible_values = true)]
    by: By,

    /// What the table of traces says of this one besides, such as the release of the program
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "",
        hide_default_value = true,
        requires = "output"
    )]
    label: String,

    /// Write over tables of a trace of this name that are there
    #[arg(short, long, requires = "output")]
    force: bool,
}

impl Export {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let form = match self.to {
            To::Csv => Form::Csv,
            To::Jsonl => Form::Jsonl,
            To::Parquet => Form::Parquet,
            _ => return self.stacks(),
        };
        let trace = traces::open(&self.trace)?;
        traces::warn_of_damage(&trace);
        match &self.output {
            None => {
                trace::export_blocks(&trace, form, Box::new(stdout())).map_err(traces::failed)?
            }
            Some(folder) => {
                let files = trace::export(&trace, form, folder, &self.label, self.force);
                let files = files.map_err(|error| match error {
                    TraceError::Exists { .. } => {
                        Usage(format!("{error}; --force writes over it")).into()
                    }
                    other => traces::failed(other),
                });
                for file in files? {
                    exit::say(&format!("wrote    {}", file.display()));
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn stacks(&self) -> anyhow::Result<ExitCode> {
        let trace = traces::open_any(&self.trace)?;
        traces::warn_of_damage(&trace);
        let profile = profile::gather(&trace, None).map_err(traces::failed)?;
        if profile.frames.is_empty() {
            bail!(traces::no_stacks(&self.trace));
        }
        let by = self.by.cost();
        let tree = Tree::of(&profile);
        let inuse = if by == Cost::Live { Inuse::End } else { Inuse::Peak };
        let (ending, bytes) = match self.to {
            To::Pprof => ("pb.gz", Pprof::of(&profile, inuse).encode()),
            To::Otlp => ("otlp", Pprof::of(&profile, inuse).otlp(profile.pid, &profile.command)),
            To::Collapsed => ("collapsed", profile::collapsed(&tree, by).into_bytes()),
            To::Speedscope => {
                ("speedscope.json", profile::speedscope(&tree, &profile.command).into_bytes())
            }
            To::Svg => ("svg", profile::svg(&tree, by).into_bytes()),
            _ => ("html", profile::html(&profile, &tree, by).into_bytes()),
        };
        let Some(folder) = &self.output else {
            stdout().write_all(&bytes).context("cannot write to standard output")?;
            return Ok(ExitCode::SUCCESS);
        };
        let name = trace.path().file_stem().unwrap_or_default().to_string_lossy();
        let path = folder.join(format!("{name}.{ending}"));
        let cannot = || format!("cannot write {}", path.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        whole::write(&path, &bytes).with_context(cannot)?;
        exit::say(&format!("wrote    {}", path.display()));
        Ok(ExitCode::SUCCESS)
    }
}

//! Where results go and in which form.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use bench::report::Report;
use clap::{Args, ValueEnum};

use crate::table;

/// The form of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// Everything, with the raw runs
    Json,
    /// The raw runs
    Csv,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// The form of the result: table, json or csv [default: table; with -o what the file's name ends in, else json]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,

    /// Write the result to FILE, and the table to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite FILE
    #[arg(short, long, requires = "output")]
    force: bool,
}

impl OutputFlags {
    /// Whether standard output is for people.
    pub(crate) fn is_for_people(&self) -> bool {
        self.output.is_some() || matches!(self.format, None | Some(Format::Table))
    }

    /// The file to write, if there is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Finds out before the measurement whether the result could be written after it.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let Some(file) = &self.output else { return Ok(()) };
        if file.exists() && !self.force {
            bail!("{} exists; --force overwrites it", file.display());
        }
        let directory = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !directory.is_dir() {
            bail!("cannot write {}: there is no directory {}", file.display(), directory.display());
        }
        Ok(())
    }

    /// Writes the result.
    pub(crate) fn write(&self, report: &Report) -> anyhow::Result<()> {
        let Some(file) = &self.output else {
            print!("{}", render(report, self.format.unwrap_or(Format::Table))?);
            return Ok(());
        };
        let format = self.format.unwrap_or_else(|| match file.extension() {
            Some(e) if e == "csv" => Format::Csv,
            Some(e) if e == "txt" => Format::Table,
            _ => Format::Json,
        });
        print!("{}", table::of(report));
        let text = render(report, format)?;
        let mut options = OpenOptions::new();
        options.write(true).truncate(true).create(true);
        if !self.force {
            options.create_new(true);
        }
        options
            .open(file)
            .and_then(|mut f| f.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", file.display()))
    }
}

fn render(report: &Report, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Table => table::of(report),
        Format::Json => report.to_json()? + "\n",
        Format::Csv => report.to_csv(),
    })
}

//! Where results go and in which form.

use core::iter;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use bench::result::Report;
use bench::whole;
use clap::{Args, ValueEnum, ValueHint};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::exit::{self, Usage};
use crate::{format, out};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// The same in Markdown
    Md,
    /// Everything, with the raw runs
    Json,
    /// The raw runs
    Csv,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// What goes to standard output: table, md, json or csv. Only with table a folder is written where -o names none [default: table]
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    format: Option<Format>,

    /// Write result.json, runs.csv, report.html, table.txt and plots, and curves.csv where there are curves, to this folder [default: bench-DATE or replay-DATE in the current one]
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,

    /// Write no folder
    #[arg(long, conflicts_with = "output")]
    no_files: bool,

    /// Write into a folder that has files in it; measure a program whose malloc cannot be replaced
    #[arg(short, long)]
    pub(crate) force: bool,
}

impl OutputFlags {
    pub(crate) fn is_for_people(&self) -> bool {
        matches!(self.format, None | Some(Format::Table))
    }

    /// Prints the next useful command; beside a machine-readable result it goes to standard error.
    pub(crate) fn say_next(&self, next: &str) -> anyhow::Result<()> {
        let line = format!("next     {next}");
        if self.is_for_people() {
            out::print(&format::visible(&(line + "\n")))
        } else {
            exit::say(&line);
            Ok(())
        }
    }

    /// Whether standard output is for programs; a form that `what` does not have is refused.
    pub(crate) fn is_json_or_table(&self, what: &str) -> anyhow::Result<bool> {
        match self.format {
            None | Some(Format::Table) => Ok(false),
            Some(Format::Json) => Ok(true),
            Some(_) => bail!(Usage(format!("{what} has --format table and json"))),
        }
    }

    pub(crate) fn started(&self) -> String {
        Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    pub(crate) fn is_there(&self) -> bool {
        self.output.as_ref().is_some_and(|folder| folder.exists())
    }

    pub(crate) fn folder(&self, what: &str) -> anyhow::Result<Option<PathBuf>> {
        if self.output.is_none() && (self.no_files || !self.is_for_people()) {
            return Ok(None);
        }
        let or = ", --no-files prints the table only";
        made(self.output.as_ref(), what, self.force, or).map(Some)
    }

    /// Writes the folder, and prints the result. What could not be written is the error; the rest is.
    pub(crate) fn write(&self, report: &Report, folder: Option<&Path>) -> anyhow::Result<()> {
        // Files first: whoever reads standard output may have gone.
        let written = folder.map_or(Ok(()), |folder| write_files(report, folder));
        let text = render(report, self.format.unwrap_or(Format::Table))?;
        let printed = out::print(&text);
        written?;
        printed?;
        if let Some(folder) = folder {
            let files = match &report.counted {
                Some(_) => "result.json,table.txt",
                None => "result.json,runs.csv,table.txt,report.html,plots",
            };
            crate::exit::say(&format!("wrote    {}/{{{files}}}", folder.display()));
        }
        Ok(())
    }
}

/// Writes as much of the folder as can be; the first problem.
fn write_files(report: &Report, folder: &Path) -> anyhow::Result<()> {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        whole::write(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))
    };
    if report.counted.is_some() {
        return file("result.json", &render(report, Format::Json)?)
            .and(file("table.txt", &report::text(report, Some(160))));
    }
    let written = [
        file("result.json", &render(report, Format::Json)?),
        file("runs.csv", &render(report, Format::Csv)?),
        file("table.txt", &report::text(report, Some(160))),
        match report
            .workloads
            .iter()
            .flat_map(|work| &work.cells)
            .any(|cell| !cell.series.is_empty())
        {
            true => file("curves.csv", &report.curves_to_csv()),
            false => Ok(()),
        },
        report::write(report, folder).map(drop).map_err(anyhow::Error::from),
    ];
    written.into_iter().collect()
}

/// The folder to write, by default a new one whose name begins with `what`; made now, so that what is wrong with it is said before
/// anything runs. `or`: what helps besides, where nothing can be written.
pub(crate) fn made(
    given: Option<&PathBuf>,
    what: &str,
    force: bool,
    or: &str,
) -> anyhow::Result<PathBuf> {
    let usual = || {
        let now = Timestamp::now().to_zoned(TimeZone::system());
        unused(&format!("{what}-{}", now.strftime("%Y-%m-%dT%H%M%S")))
    };
    let folder = given.cloned().unwrap_or_else(usual);
    if folder.exists() && !folder.is_dir() {
        bail!(Usage(format!("{} is no folder", folder.display())));
    }
    let has_files = fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some());
    if has_files && !force {
        bail!(Usage(format!("{} has files in it; --force writes there", folder.display())));
    }
    try_to_write(&folder).with_context(|| {
        format!("nothing can be written to {}; -o names another folder{or}", folder.display())
    })?;
    Ok(folder)
}

/// Makes the folder and sees that a file can be written there. What was made for that goes again, also where it cannot.
fn try_to_write(folder: &Path) -> io::Result<()> {
    let is_new = !folder.exists();
    let probe = folder.join(".heapwright");
    let tried = fs::create_dir_all(folder).and_then(|()| fs::write(&probe, "x"));
    let removed = fs::remove_file(&probe);
    if tried.is_err() && is_new {
        // Only if it is empty.
        let _ = fs::remove_dir(folder);
    }
    tried.and(removed)
}

/// The folder of this name, or with a number after it if another command just took that.
fn unused(name: &str) -> PathBuf {
    let numbered = (2..100).map(|n| format!("{name}-{n}"));
    let mut names = iter::once(name.to_owned()).chain(numbered).map(PathBuf::from);
    names.find(|folder| !folder.exists()).unwrap_or_else(|| name.into())
}

fn render(report: &Report, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Table => report::text(report, show::text::width()),
        Format::Md => report::markdown(report),
        Format::Json => report.to_json()? + "\n",
        Format::Csv => report.to_csv(),
    })
}

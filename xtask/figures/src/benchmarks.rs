//! `cargo xtask benchmarks`: what the pages say of the benchmarks is what the newest record of `bench/record` says.
//!
//! A full run is recorded by `heapwright bench all … -o bench/record/MACHINE/DATE`. Of the newest `result.json` are made:
//! the table of `README.md`, the figures and the picture of `docs/performance.md`, and beside the result `tables.md`, which
//! has them all. A `counted.json` in any of these folders is the result of `heapwright bench --counted …`, and the newest of
//! those comes first on the page: it needs no quiet machine. A `real.json` that is newer than the newest `result.json` is the result of
//! `heapwright bench real --rounds N …`: the real programs in many more rounds, of which their tables are made. With `--write`
//! they are put there, without they are compared. Nothing else is kept of a run: its page and its plots are made again by
//! `--page`.

mod bounds;
mod counted;
pub(crate) mod front;
mod losses;
mod means;
mod record;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use bench::fail_if::Metric;
use bench::result::{Entry, Report};
use bench::session::WorkloadIndex;
use clap::Args;

use crate::files;
use crate::peers::root;
use front::Part;
use record::Record;

/// What the pages say of the benchmarks, against the newest record of bench/record
///
/// Exits with 1 when a file is not what --write would make.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub(crate) struct Options {
    /// Make README.md's table, docs/performance.md's figures and picture and the record's own tables.md out of the newest
    /// result.json
    #[arg(long)]
    write: bool,
    /// Also refuse a record that is older than the last change of the allocator
    #[arg(long)]
    release: bool,
    /// Make report.html, the plots and runs.csv of the newest record in this folder, which is made
    #[arg(long, value_name = "FOLDER")]
    page: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Check,
    Write,
    Release,
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let said = match options {
        Options { page: Some(folder), .. } => page(&root(), folder)?,
        Options { write: true, .. } => act(&root(), Ask::Write)?,
        Options { release: true, .. } => act(&root(), Ask::Release)?,
        _ => act(&root(), Ask::Check)?,
    };
    println!("benchmarks: {said}");
    Ok(true)
}

fn newest(top: &Path) -> Result<Record, String> {
    record::newest(top)?.ok_or_else(|| "bench/record has no result.json".to_owned())
}

/// The page, plots and raw runs of the newest record, in `folder`.
fn page(top: &Path, folder: &Path) -> Result<String, String> {
    let record = newest(top)?;
    files::write(&folder.join("runs.csv"), record.report.to_csv())?;
    let written = report::write(&record.report, folder).map_err(|e| e.to_string())?;
    let page = written.first().map(|path| path.display().to_string()).unwrap_or_default();
    Ok(format!("{page} and {} plots made from {}", written.len() - 1, record.folder.display()))
}

/// Writes or checks the files in the tree below `top`; what to say about them.
fn act(top: &Path, ask: Ask) -> Result<String, String> {
    let record = newest(top)?;
    if ask == Ask::Write && !top.join(record.commit_file()).is_file() {
        files::write(&top.join(record.commit_file()), record.derived_commit(top)? + "\n")?;
    }
    let mut written = 0;
    for (path, content) in files(top, &record)? {
        if fs::read_to_string(top.join(&path)).is_ok_and(|old| old == content) {
            continue;
        }
        if ask != Ask::Write {
            return Err(format!(
                "{} is not what {} says: cargo xtask benchmarks --write",
                path.display(),
                record.folder.display()
            ));
        }
        files::write(&top.join(path), content)?;
        written += 1;
    }
    let age = age(top, &record, ask)?;
    let folder = record.folder.display();
    Ok(match ask {
        Ask::Write => format!("{written} files written from {folder}; {age}"),
        Ask::Check | Ask::Release => format!("the pages say what {folder} says; {age}"),
    })
}

/// How much has changed since the record; a release takes none of it.
fn age(top: &Path, record: &Record, ask: Ask) -> Result<String, String> {
    match (record.commits_since(top), ask) {
        (Ok(0), _) => Ok("the allocator has not changed since".to_owned()),
        (Ok(count), Ask::Release) => Err(format!(
            "{count} commits have touched the allocator since {} was recorded: measure it again (docs/performance.md says how)",
            record.folder.display()
        )),
        (Ok(count), _) => Ok(format!("{count} commits have touched the allocator since")),
        (Err(why), Ask::Release) => Err(why),
        (Err(_), _) => Ok("how much has changed since only git knows".to_owned()),
    }
}

fn files(top: &Path, record: &Record) -> Result<Vec<(PathBuf, String)>, String> {
    let (report, commit) = (&record.report, record.commit(top)?);
    let of_all = means::real(report);
    let real = record.real.as_ref().map_or(&of_all, |(_, real)| real);
    let parts = [
        Part { name: format!("the {} real programs", real.workloads.len()), report: real },
        Part { name: format!("all {} workloads", report.workloads.len()), report },
    ];
    let picture = front::picture(&parts)
        .ok_or("the record has nothing to draw: no allocator was compared with glibc")?;
    Ok(vec![
        ("README.md".into(), between(top, "README.md", &front::page(&parts, record))?),
        (front::PICTURE.into(), picture + "\n"),
        (
            "docs/performance.md".into(),
            between(top, "docs/performance.md", &figures(top, record, &commit, &parts)?)?,
        ),
        (record.folder.join("tables.md"), in_full(report, &commit)),
    ])
}

/// The file that stands beside the record: every table of its page.
fn in_full(report: &Report, commit: &str) -> String {
    format!(
        "# The recorded run, in full\n\nWritten by `cargo xtask benchmarks --write` from `result.json` beside it; `{commit}` was the \
         last commit before the run.\n\n{}",
        report::tables(report)
    )
}

fn figures(
    top: &Path,
    record: &Record,
    commit: &str,
    parts: &[Part<'_>; 2],
) -> Result<String, String> {
    let [real, all] = parts;
    let counted = record::last(top, "counted.json")?;
    let counted = counted.map(|(file, report)| counted::section(&report, &file));
    let clock = [
        "## By the clock".to_owned(),
        front::sentences(parts),
        "![Time and memory of every allocator, glibc = 1](pictures/benchmarks.svg)".to_owned(),
        front::table(parts, tables::interval, true),
        circumstances(record, commit),
        losses::failed(all.report),
        "## Real programs".to_owned(),
        real_programs(record, real.report),
        "## Against its own bounds".to_owned(),
        bounds::table(all.report, real.report)?,
        front::wrapped(
            "A peer is another malloc; the general workloads are all but the real programs; p99.9 is what all but one call in a \
             thousand take at most. What limits the lines that fail: [below](#what-limits-the-bounds-that-fail).",
        ),
        "## Workload by workload".to_owned(),
        losses::table(all.report)?,
    ];
    Ok(counted.into_iter().chain(clock).collect::<Vec<_>>().join("\n\n"))
}

/// The tables of each real program, of the run with the most rounds.
fn real_programs(record: &Record, real: &Report) -> String {
    let works: Vec<WorkloadIndex> = real.workload_indices().collect();
    let table = |title, metric| {
        let mut table = tables::ratios(real, &works, title, metric);
        table.add_row(tables::mean_row(real, real, "mean".to_owned(), metric));
        table.to_string()
    };
    let tables =
        [table("time ÷ glibc's", Metric::Time), table("peak memory ÷ glibc's", Metric::Memory)];
    let said = record.real.as_ref().map(|(file, report)| many_rounds(file, report));
    said.into_iter().chain(tables).collect::<Vec<_>>().join("\n\n")
}

/// What the run with many rounds shows, and how it was made.
fn many_rounds(file: &Path, report: &Report) -> String {
    let text = front::wrapped(&format!(
        "glibc again is glibc once more: what differs from 1 there is noise.{} \
         Measured {} in {:.0} minutes: {} runs of each program and malloc, at {} of the programs' usual length. Every run: `{}`.{} \
         The command that made it:",
        labels(report),
        report.started,
        report.elapsed / 60.0,
        front::rounds(report),
        report.scale,
        file.display(),
        warnings(report),
    ));
    format!("{text}\n\n{}", front::command(report))
}

fn circumstances(record: &Record, commit: &str) -> String {
    let Report { machine, started, elapsed, runs, scale, .. } = &record.report;
    let short = commit.get(..12).unwrap_or(commit);
    let kept = record.folder.display();
    let text = front::wrapped(&format!(
        "Geometric means with 95 % intervals; **bold** is the least and all that are not shown to have more; above 5 % of noise no mean of time is. {}Measured {started} at commit \
         `{short}`, the last one before the run, in {:.0} minutes: {} runs at {scale} of the workloads' usual length (short ones more), on \
         {} × {}, {}, glibc {}. `cargo xtask benchmarks` counts the commits that have changed the allocator since. Every \
         figure: [tables.md](../{kept}/tables.md); every run: `{kept}/result.json`, and as a page with plots: \
         `cargo xtask benchmarks --page FOLDER`.{} The command that made it:",
        front::apart(record),
        elapsed / 60.0,
        runs.len(),
        machine.cores,
        machine.cpu,
        machine.kernel,
        machine.glibc.as_deref().unwrap_or("unknown"),
        warnings(&record.report),
    ));
    format!("{text}\n\n{}", front::command(&record.report))
}

/// What the names stand for that are labels.
fn labels(report: &Report) -> String {
    let is = |entry: &Entry| {
        Some(format!(" {} is {}.", entry.name, entry.base.as_ref().and(entry.is())?))
    };
    report.allocators.iter().filter_map(is).collect()
}

fn warnings(report: &Report) -> String {
    report.warnings.iter().map(|warning| format!(" The bench warned: {warning}.")).collect()
}

fn between(top: &Path, path: &str, text: &str) -> Result<String, String> {
    crate::figures::replaced(&top.join(path), "benchmarks", text)
}

#[cfg(test)]
mod tests;

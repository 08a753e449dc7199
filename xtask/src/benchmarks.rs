//! `cargo xtask benchmarks`: the recorded run in `docs/benchmarks.md` is the newest one of `bench/record`.
//!
//! A full run is recorded by `heapwright bench all … -o bench/record/MACHINE/DATE`. Of the newest `result.json` the section
//! between the markers is made: the machine, every allocator over all workloads, a table for each group, and every
//! figure in which heapwright is not the best. With `--write` it is put there, without it is compared.

mod losses;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bench::result::Report;

use crate::peers::root;

const USAGE: &str = "\
usage: cargo xtask benchmarks [--write]

  --write   make the recorded run's section of docs/benchmarks.md out of the newest result.json in bench/record

Without --write exits with 1 when the section is not what --write would make.
";

const BEGIN: &str = "<!-- written by cargo xtask benchmarks --write: begin -->";
const END: &str = "<!-- written by cargo xtask benchmarks --write: end -->";

/// What stands there before anything was recorded.
const NOTHING: &str = "No full run of this version is recorded yet.";

/// The command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let write = match args {
        [] => false,
        [one] if one == "--write" => true,
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match act(&root(), write) {
        Ok(said) => {
            println!("benchmarks: {said}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("benchmarks: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Writes or checks the section in the tree below `top`; what to say about it.
fn act(top: &Path, write: bool) -> Result<String, String> {
    let document = top.join("docs/benchmarks.md");
    let said = |e: std::io::Error| format!("{}: {e}", document.display());
    let old = fs::read_to_string(&document).map_err(said)?;
    let (section, from) = match newest(top)? {
        None => (NOTHING.to_owned(), "no record".to_owned()),
        Some((file, report)) => {
            complete(&file)?;
            let from = file.strip_prefix(top).unwrap_or(&file).display().to_string();
            (section(&report, &from), from)
        }
    };
    let new = between(&old, &section).ok_or_else(|| {
        format!("{}: the lines {BEGIN:?} and {END:?} are missing", document.display())
    })?;
    if old == new {
        return Ok(format!("docs/benchmarks.md is up to date with {from}"));
    }
    if !write {
        return Err(format!(
            "docs/benchmarks.md is not what {from} says: cargo xtask benchmarks --write"
        ));
    }
    fs::write(&document, new).map_err(said)?;
    Ok(format!("wrote docs/benchmarks.md from {from}"))
}

/// The recorded result that began last, and its file.
fn newest(top: &Path) -> Result<Option<(PathBuf, Report)>, String> {
    let mut newest: Option<(PathBuf, Report)> = None;
    for machine in folders(&top.join("bench/record"))? {
        for folder in folders(&machine)? {
            let file = folder.join("result.json");
            let Ok(text) = fs::read_to_string(&file) else { continue };
            let report =
                Report::from_json(&text).map_err(|e| format!("{}: {e}", file.display()))?;
            if newest.as_ref().is_none_or(|(_, other)| report.started > other.started) {
                newest = Some((file, report));
            }
        }
    }
    Ok(newest)
}

/// Sees that beside `result.json` stands what its page links to.
fn complete(result: &Path) -> Result<(), String> {
    let folder = result.parent().unwrap_or(result);
    let missing = ["report.html", "runs.csv", "table.txt", "plots"];
    let missing: Vec<&str> =
        missing.into_iter().filter(|name| !folder.join(name).exists()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!("{} lacks {}; record it whole", folder.display(), missing.join(", ")))
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut all: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    all.retain(|path| path.is_dir());
    all.sort();
    Ok(all)
}

/// The text between the markers.
fn section(report: &Report, from: &str) -> String {
    let mut parts = vec![
        tables::circumstances(report, from),
        format!("#### All workloads\n\n{}", tables::overall(report)),
    ];
    parts.extend(tables::groups(report));
    parts.push(format!("#### Where we lose\n\n{}", losses::table(report)));
    parts.join("\n\n")
}

fn between(old: &str, text: &str) -> Option<String> {
    let (before, rest) = old.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{text}\n\n{END}{after}"))
}

#[cfg(test)]
mod tests;

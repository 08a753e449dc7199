//! What is kept: the raw values as CSV, and the tables inside `docs/benchmarks.md`.

use super::machine;
use super::plan::Samples;
use crate::peers::{output, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "<!-- written by cargo xtask reach --write: begin -->";
const END: &str = "<!-- written by cargo xtask reach --write: end -->";

/// The time of day, in UTC, as it stands in tables and file names.
pub(crate) fn now() -> String {
    let said = output(Command::new("date").args(["-u", "+%Y-%m-%dT%H%MZ"]));
    said.map_or_else(|_| "unknown-date".to_owned(), |text| text.trim().to_owned())
}

/// Where the raw values of this machine's runs are kept.
pub(crate) fn folder() -> PathBuf {
    root().join("bench/record").join(machine::slug())
}

/// Where those of a run at `when` are kept.
pub(super) fn csv_file(when: &str) -> PathBuf {
    folder().join(format!("{when}.csv"))
}

/// Writes every value of every run: round, workload, allocator, key, value.
pub(super) fn csv(file: &Path, samples: &Samples) -> Result<(), String> {
    let said = |e: &dyn core::fmt::Display| format!("{}: {e}", file.display());
    if let Some(dir) = file.parent() {
        fs::create_dir_all(dir).map_err(|e| said(&e))?;
    }
    let mut writer = csv::Writer::from_path(file).map_err(|e| said(&e))?;
    let header = ["round", "workload", "allocator", "key", "value"];
    writer.write_record(header).map_err(|e| said(&e))?;
    for sample in &samples.all {
        for (key, value) in &sample.values {
            let round = sample.round.to_string();
            let value = value.to_string();
            let row = [round.as_str(), &sample.workload, &sample.allocator, key, &value];
            writer.write_record(row).map_err(|e| said(&e))?;
        }
    }
    writer.flush().map_err(|e| said(&e))
}

/// Replaces what is between the markers of `file`.
pub(super) fn tables(file: &Path, text: &str) -> Result<(), String> {
    let old = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let new = between(&old, text).ok_or_else(|| {
        format!("{}: the lines {BEGIN:?} and {END:?} are missing", file.display())
    })?;
    fs::write(file, new).map_err(|e| format!("{}: {e}", file.display()))
}

fn between(old: &str, text: &str) -> Option<String> {
    let (before, rest) = old.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{text}\n\n{END}{after}"))
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
}

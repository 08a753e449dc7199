//! `cargo xtask faults`: whether `heapwright explain` names the one fault that each of some small programs has.
//!
//! The programs depend on time (pauses, and a look at resident memory every ten milliseconds), so that this is no test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use comfy_table::Table;
use serde_json::Value;

use crate::command;
use crate::peers::{root, target_dir};

/// Whether explain names the fault that each of some small programs has
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The command to explain with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
}

const SETS: [&str; 3] = ["known", "unseen", "outside"];

/// The chore; whether every fault is named.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let mut table = Table::new();
    table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    table.set_header(["set", "program", "its fault", "what is said"]);
    let (mut right, mut all) = (0, 0);
    for set in SETS {
        for source in sources(&root().join("tools/explain/tests/faults").join(set))? {
            let text = fs::read_to_string(&source).map_err(|why| at(&source, &why))?;
            let (fault, said) =
                (fault(&text).to_owned(), said(&heapwright, &source, allocator(&text))?);
            let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            all += 1;
            right += u32::from(fault == said);
            table.add_row([set.to_owned(), name, fault, said]);
        }
    }
    println!("{table}\n\n{right} of {all} are named rightly");
    Ok(right == all)
}

fn at(path: &Path, why: &dyn core::fmt::Display) -> String {
    format!("{}: {why}", path.display())
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|why| at(folder, &why))?;
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    all.retain(|path| path.extension().is_some_and(|end| end == "c" || end == "cpp"));
    all.sort();
    Ok(all)
}

/// The fault that a program's first line names: `// leak: …`.
fn fault(text: &str) -> &str {
    text.trim_start_matches("// ").split(':').next().unwrap_or_default()
}

/// The malloc that a program is recorded on, where a line names one: `// on: jemalloc`.
fn allocator(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("// on: "))
}

/// What explain says first of a program, compiled and recorded; or none.
fn said(heapwright: &Path, source: &Path, allocator: Option<&str>) -> Result<String, String> {
    let folder = target_dir().join("faults");
    let (program, trace) = (folder.join("program"), folder.join("trace"));
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|why| at(&folder, &why))?;
    }
    fs::create_dir_all(&folder).map_err(|why| at(&folder, &why))?;
    let is_cpp = source.extension().is_some_and(|end| end == "cpp");
    let mut compiler = Command::new(if is_cpp { "c++" } else { "cc" });
    compiler.args(["-O1", "-fno-builtin", "-pthread", "-o"]).arg(&program).arg(source);
    command::finish(&mut compiler)?;
    let mut record = Command::new(heapwright);
    record.arg("record").args(allocator.map(|name| format!("--allocator={name}")));
    record.arg("-o").arg(&trace).arg("--").arg(&program).stderr(Stdio::null());
    command::finish(&mut record)?;
    let explained = Command::new(heapwright).args(["explain", "--json"]).arg(&trace).output();
    let explained = explained.map_err(|why| at(heapwright, &why))?;
    let facts: Value = serde_json::from_slice(&explained.stdout).map_err(|why| at(source, &why))?;
    Ok(facts["findings"][0]["kind"].as_str().unwrap_or("none").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_names_its_fault() {
        let folder = root().join("tools/explain/tests/faults");
        let all: Vec<PathBuf> =
            SETS.iter().flat_map(|set| sources(&folder.join(set)).unwrap()).collect();
        assert!(all.len() > 50);
        for source in all {
            let text = fs::read_to_string(&source).unwrap();
            assert!(text.starts_with("// ") && fault(&text).len() < 20, "{}", source.display());
        }
    }
}

//! `cargo xtask faults`: whether `heapwright explain` names the one fault that each of some small programs has.
//!
//! The programs depend on time (pauses, and a look at resident memory every ten milliseconds), so that this is no test. They sleep
//! for most of it: as many run at once as there are processors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use comfy_table::Table;
use serde_json::Value;

use crate::command::{self, each};
use crate::files;
use crate::peers::{root, target_dir};

/// Whether explain names the fault that each of some small programs has
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The command to explain with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
    /// Only programs in whose set or name this is; may be given more than once
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
}

const SETS: [&str; 5] = ["known", "unseen", "outside", "later", "second"];
/// The languages of the programs.
const ENDINGS: [&str; 4] = ["c", "cpp", "rs", "py"];

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let mut programs = Vec::new();
    for set in SETS {
        programs.extend(sources(&root().join("tools/explain/tests/faults").join(set))?);
    }
    let is_asked = |path: &PathBuf| {
        let name = path.to_string_lossy();
        options.only.is_empty() || options.only.iter().any(|part| name.contains(part))
    };
    programs.retain(is_asked);
    let folder = target_dir().join("faults");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(files::said(&folder))?;
    }
    let mut table = Table::new();
    table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    table.set_header(["set", "program", "its fault", "what is said"]);
    let mut right = 0;
    let numbered: Vec<(usize, &PathBuf)> = programs.iter().enumerate().collect();
    let all = each(&numbered, |(number, source)| {
        said(&heapwright, source, &folder.join(number.to_string()))
    });
    for (source, said) in programs.iter().zip(all) {
        let (fault, said) = (first(&files::read(source)?, fault), said?);
        right += u32::from(fault == said);
        table.add_row([name(source.parent()), name(Some(source)), fault, said]);
    }
    println!("{table}\n\n{right} of {} are named rightly", programs.len());
    Ok(right as usize == programs.len())
}

fn name(path: Option<&Path>) -> String {
    let stem = path.and_then(Path::file_stem).unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut all = files::list(folder)?;
    all.retain(|path| path.extension().is_some_and(|end| ENDINGS.iter().any(|one| end == *one)));
    Ok(all)
}

/// What a line at the begin of a program says, without the sign of a remark.
fn first(text: &str, says: fn(&str) -> Option<&str>) -> String {
    remarks(text).find_map(says).unwrap_or_default().to_owned()
}

/// The remarks that a program begins with.
fn remarks(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map_while(|line| line.strip_prefix("// ").or_else(|| line.strip_prefix("# ")))
}

/// The fault that the first of them names: `// leak: …`.
fn fault(remark: &str) -> Option<&str> {
    remark.split(':').next()
}

/// What explain says first of a program, compiled and recorded; or none.
fn said(heapwright: &Path, source: &Path, folder: &Path) -> Result<String, String> {
    files::folder(folder)?;
    let text = files::read(source)?;
    let (program, trace) = (folder.join("program"), folder.join("trace"));
    let compiler = |name: &str, options: &[&str]| {
        let mut compiler = Command::new(name);
        compiler.args(options).arg("-o").arg(&program).arg(source);
        command::finish(&mut compiler).map(drop)
    };
    let ending = source.extension().unwrap_or_default().to_string_lossy();
    let options = ["-O1", "-fno-builtin", "-pthread"];
    match &*ending {
        "cpp" => compiler("c++", &options)?,
        "rs" => compiler("rustc", &["-O", "--edition=2021"])?,
        "py" => {}
        _ => compiler("cc", &options)?,
    }
    let mut record = Command::new(heapwright);
    record.arg("record");
    // The malloc that it is recorded on, and what is set: `// on: jemalloc`, `// env: MALLOC_CONF=thp:always`.
    for remark in remarks(&text) {
        if let Some(name) = remark.strip_prefix("on: ") {
            record.arg(format!("--allocator={name}"));
        }
        if let Some((name, value)) =
            remark.strip_prefix("env: ").and_then(|set| set.split_once('='))
        {
            record.env(name, value);
        }
    }
    record.arg("-o").arg(&trace).arg("--").stdout(Stdio::null()).stderr(Stdio::null());
    match &*ending {
        "py" => record.arg("python3").arg(source),
        _ => record.arg(&program),
    };
    command::finish(&mut record)?;
    let explained = Command::new(heapwright).args(["explain", "--json"]).arg(&trace).output();
    let explained = explained.map_err(files::said(heapwright))?;
    let facts: Value = serde_json::from_slice(&explained.stdout)
        .map_err(|why| format!("{}: {why}", source.display()))?;
    // A recording of seconds of a busy server is large.
    fs::remove_dir_all(folder).map_err(files::said(folder))?;
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
        assert!(all.len() > 110);
        let kinds =
            "leak growing-cache fragmentation thread-caches retention huge-pages own-mappings none";
        for source in all {
            let text = fs::read_to_string(&source).unwrap();
            let fault = first(&text, fault);
            assert!(kinds.split(' ').any(|kind| kind == fault), "{fault}: {}", source.display());
        }
    }
}

//! `cargo xtask locked`: locked operations of the allocator for each object, in every workload.
//!
//! Valgrind's callgrind runs a workload on the library and counts how often each instruction is executed; those that lock
//! the bus, or exchange with memory, are found by decoding the library. Counted are malloc's relatives that allocate, so what a
//! realloc in place costs is on another object's account. x86-64 only. Callgrind runs threads by turns: what threads
//! that wait for each other would add is not seen. All workloads take three minutes.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use crate::command;
use crate::figures;
use crate::files;
use crate::golden::decode;
use crate::peers::{output, target_dir};

/// Locked operations for each object that is allocated
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Workloads; all there are, if none is named
    workloads: Vec<String>,
    /// How long the workloads are
    #[arg(long, default_value = "0.01")]
    scale: String,
    /// Another library in heapwright's place
    #[arg(long, value_name = "PATH", env = "HEAPWRIGHT_SO")]
    lib: Option<PathBuf>,
}

/// Functions that hand out an object.
const ALLOCATING: [&str; 7] =
    ["malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign", "valloc"];

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err("only x86-64's instructions are told apart".to_owned());
    }
    if let Some(why) = command::missing("valgrind", "valgrind") {
        return Err(why);
    }
    let (program, library) = command::workloads(options.lib.as_deref())?;
    let (locked, allocating) = decode::places(&library, &ALLOCATING)?;
    let workloads = if options.workloads.is_empty() {
        names(&output(Command::new(&program).arg("list"))?)
    } else {
        options.workloads.clone()
    };
    let mut table = figures::table(["", "objects", "locked operations", "an object"]);
    for workload in workloads {
        eprintln!("locked: {workload}");
        let row = match executed(&program, &workload, &options.scale, &library) {
            Ok(counts) => row(sum(&counts, &allocating), sum(&counts, &locked)),
            Err(why) => ["–".to_owned(), "–".to_owned(), why],
        };
        table.add_row(core::iter::once(workload).chain(row));
    }
    println!("{table}");
    Ok(true)
}

/// Objects, locked operations, and these for one of those.
fn row(objects: u64, locked: u64) -> [String; 3] {
    #[expect(clippy::cast_precision_loss, reason = "printed with three digits")]
    let each = locked as f64 / objects as f64;
    let each = if objects == 0 { "–".to_owned() } else { format!("{each:.3}") };
    [objects.to_string(), locked.to_string(), each]
}

/// The workloads of `heapwright-workloads list`: the lines of one word that are not indented.
fn names(list: &str) -> Vec<String> {
    let is_name = |line: &&str| !line.is_empty() && !line.contains(char::is_whitespace);
    list.lines().filter(is_name).map(str::to_owned).collect()
}

fn sum(executed: &HashMap<u64, u64>, addresses: &[u64]) -> u64 {
    addresses.iter().filter_map(|address| executed.get(address)).sum()
}

/// How often each instruction of the library was executed by a workload.
fn executed(
    program: &Path,
    workload: &str,
    scale: &str,
    library: &Path,
) -> Result<HashMap<u64, u64>, String> {
    let file = target_dir().join("locked.callgrind");
    let status = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--dump-instr=yes",
            "--soname-synonyms=somalloc=nouserintercepts",
        ])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(program)
        .args([workload, &format!("scale={scale}")])
        .env("LD_PRELOAD", library)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|e| format!("valgrind: {e}"))?;
    if !status.success() {
        return Err(format!("{workload} under valgrind ended with {status}"));
    }
    let text = files::read(&file)?;
    // The next run writes it anew.
    let _ = fs::remove_file(&file);
    Ok(counts(&text, &library.display().to_string()))
}

/// Executions by address, of the object `library`, in a file of callgrind: lines are an address, as a number or as a step
/// from the one before or `*`, a source line and a count; the line behind `calls=` is the callee's.
fn counts(text: &str, library: &str) -> HashMap<u64, u64> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut counts = HashMap::new();
    let (mut address, mut is_ours, mut is_call) = (0u64, false, false);
    for line in text.lines() {
        if let Some(object) = line.strip_prefix("ob=").or_else(|| line.strip_prefix("cob=")) {
            let (number, name) = object.split_once(' ').unwrap_or((object, ""));
            if !name.is_empty() {
                names.insert(number, name);
            }
            if line.starts_with("ob=") {
                is_ours = names.get(number) == Some(&library);
            }
            continue;
        }
        if line.starts_with("calls=") {
            is_call = true;
            continue;
        }
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [at, _, count] = fields[..] else { continue };
        let (Some(at), Ok(count)) = (moved(address, at), count.parse::<u64>()) else { continue };
        address = at;
        if is_ours && !is_call {
            *counts.entry(address).or_insert(0) += count;
        }
        is_call = false;
    }
    counts
}

/// The address that a line's first field means, behind one at `before`.
fn moved(before: u64, field: &str) -> Option<u64> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    match field.split_at_checked(1)? {
        ("*", "") => Some(before),
        ("+", step) => before.checked_add(number(step)?),
        ("-", step) => before.checked_sub(number(step)?),
        _ => field.starts_with("0x").then(|| number(field)).flatten(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_library_without_what_it_calls() {
        let text = "positions: instr line\nevents: Ir\n\nob=(1) /lib/ours.so\nfn=(1) malloc\n0x100 7 5\n+4 8 5\n\
                    calls=1 0x900 1\n* 8 99\n+0x10 9 2\nob=(2) /bin/program\nfn=(2) main\n0x104 1 1000\n\
                    ob=(1)\ncob=(2)\ncfn=(2)\n-16 7 3\n";
        let mut found: Vec<(u64, u64)> = counts(text, "/lib/ours.so").into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [(0xf4, 3), (0x100, 5), (0x104, 5), (0x114, 2)]);
    }

    #[test]
    fn workloads_are_the_lines_of_one_word() {
        let list = "basic\n    vectors\n    n=3  numbers\n\nsh6\n    bursts\n\neach of them\n";
        assert_eq!(names(list), ["basic", "sh6"]);
    }
}

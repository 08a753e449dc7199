//! `cargo xtask golden`: what the fast paths execute, exactly, against a file that a reviewer sees change.
//!
//! A small program calls malloc(16), free and free_sized on their hit paths while another steps it one
//! instruction at a time ([`trace`]); the executed instructions are decoded and counted by kind ([`decode`]). The file `bench/golden/ARCH.toml` holds the counts;
//! the bounds below hold whatever the file says.

pub(crate) mod decode;
mod trace;

use crate::command::must_be_a_malloc;
use crate::expected::{self, Expected, told};
use crate::figures;
use crate::peers::output;
use clap::Args;
use comfy_table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use decode::Counts;

struct Bound {
    entry: &'static str,
    says: &'static str,
    instructions: u32,
    /// Then it has two conditional branches and no atomic at most.
    hit: bool,
}

/// What the fast paths must stay within.
const BOUNDS: [Bound; 4] = [
    Bound { entry: "malloc", says: "malloc(16), hit path", instructions: 14, hit: true },
    Bound { entry: "free", says: "free, hit path", instructions: 17, hit: true },
    Bound { entry: "free_sized", says: "free_sized, hit path", instructions: 12, hit: true },
    Bound {
        entry: "pair",
        says: "malloc(16) and free with loop and PLT",
        instructions: 43,
        hit: false,
    },
];

/// The golden file: entry point to counts.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
struct Golden(BTreeMap<String, Counts>);

#[derive(Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    expected: Expected,
    /// Another library, only printed: a malloc's shared library, or - for libc's
    #[arg(long = "lib", value_name = "PATH")]
    library: Option<String>,
}

/// The chore; whether every count is within its bound and the golden file.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let ours = options.library.is_none();
    let library = match &options.library {
        Some(path) if path == "-" => None,
        Some(path) => Some(PathBuf::from(path)),
        None => Some(heapwright_tests::drop_in().to_path_buf()),
    };
    if let Some(path) = &library {
        must_be_a_malloc(path)?;
    }
    let counts = measure(library.as_deref())?;
    println!("{}", table(&counts));
    if !ours {
        return Ok(true);
    }
    let file = format!("{}.toml", std::env::consts::ARCH);
    if options.expected.is_written() {
        println!("wrote {}", write(&file, &counts)?.display());
        return Ok(true);
    }
    let complaints = complaints(&expected::read(&file)?, &counts);
    Ok(told(&complaints))
}

/// Counts of every entry point the library has; a library without sized free lacks that one.
fn measure(library: Option<&Path>) -> Result<BTreeMap<String, Counts>, String> {
    let mut all = BTreeMap::new();
    for bound in &BOUNDS {
        if let Some(stretches) = trace::stretches(library, bound.entry)? {
            let counts = if bound.entry == "pair" {
                decode::per_round(&stretches, trace::ROUNDS)?
            } else {
                decode::usual(&stretches)?
            };
            all.insert(bound.entry.to_owned(), counts);
        }
    }
    Ok(all)
}

fn write(file: &str, counts: &BTreeMap<String, Counts>) -> Result<PathBuf, String> {
    let body = toml::to_string(counts).map_err(|e| format!("golden file: {e}"))?;
    let compiler = output(Command::new("rustc").arg("--version"))?;
    let text = format!(
        "# Instructions executed on the hit paths of the release libheapwright.so, by kind.\n\
         # Written by `cargo xtask golden --write`, checked by `cargo xtask golden --check`.\n\
         # Compiler: {}\n\n{body}",
        compiler.trim()
    );
    expected::write_text(file, &text)
}

/// Every count above the golden file or a bound, in words.
fn complaints(golden: &Golden, counts: &BTreeMap<String, Counts>) -> Vec<String> {
    let mut complaints = Vec::new();
    for bound in &BOUNDS {
        let Some(found) = counts.get(bound.entry) else {
            complaints.push(format!("{}: the library does not have it", bound.entry));
            continue;
        };
        complaints.extend(over(bound, found));
        let Some(recorded) = golden.0.get(bound.entry) else {
            complaints.push(format!("{}: not in the golden file (use --write)", bound.entry));
            continue;
        };
        for ((kind, now), (_, then)) in found.kinds().into_iter().zip(recorded.kinds()) {
            if now > then {
                complaints.push(format!("{}: {now} {kind}, golden file {then}", bound.entry));
            }
        }
    }
    complaints
}

fn over(bound: &Bound, found: &Counts) -> Vec<String> {
    let checks = [
        ("instructions", found.instructions, Some(bound.instructions)),
        ("conditional branches", found.branches, bound.hit.then_some(2)),
        ("atomics", found.atomics, bound.hit.then_some(0)),
    ];
    checks
        .into_iter()
        .filter_map(|(kind, now, most)| most.filter(|&most| now > most).map(|m| (kind, now, m)))
        .map(|(kind, now, most)| format!("{}: {now} {kind}, the bound is {most}", bound.entry))
        .collect()
}

fn table(counts: &BTreeMap<String, Counts>) -> Table {
    let heads = "entry point|instructions|bound|branches|loads|stores|atomics|calls";
    let mut table = figures::table(heads.split('|'));
    for bound in &BOUNDS {
        let mut row = vec![bound.says.to_owned()];
        if let Some(c) = counts.get(bound.entry) {
            row.extend([c.instructions.to_string(), bound.instructions.to_string()]);
            row.extend(c.kinds().into_iter().skip(1).map(|(_, n)| n.to_string()));
        } else {
            row.push("not offered".to_owned());
        }
        table.add_row(row);
    }
    table
}

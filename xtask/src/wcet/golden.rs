//! What the longest paths may be: `bench/golden/wcet.toml`, and the limits the project has set itself.
//!
//! A path may not become longer than the file says while the compiler is the one that the file was written with;
//! another compiler's code is another length, and then the limits decide. A loop, an unknown target or a way into a
//! panic that the file does not have is refused whatever compiled it.

use super::{Entry, Named};
use crate::expected;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

const FILE: &str = "wcet.toml";

/// Allocators whose every entry point must be free of loops, by how their names begin: `tlsflarge` is TLSF.
const LOOPLESS: [&str; 3] = ["tlsf", "tlsflarge", "halffit"];

/// Target, entry point and instructions: what TLSF must stay within.
const LIMITS: [(&str, &str, u64); 4] = [
    ("riscv64gc", "malloc", 110),
    ("riscv64gc", "free", 100),
    ("riscv64gc+zbb", "malloc", 80),
    ("riscv64gc+zbb", "free", 85),
];

pub(super) fn limit(target: &str, allocator: &str, entry: &str) -> Option<u64> {
    let limit = LIMITS.iter().find(|(t, e, _)| *t == target && *e == entry);
    limit.filter(|_| allocator == "tlsf").map(|(_, _, most)| *most)
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Golden {
    /// Instructions of an indirect call or jump, by a part of the name of the function it stands in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    declared: BTreeMap<String, u64>,
    #[serde(default)]
    target: BTreeMap<String, Recorded>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Recorded {
    compiler: String,
    /// Allocator to entry point to what it takes.
    allocator: BTreeMap<String, BTreeMap<String, Takes>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Takes {
    instructions: u64,
    loops: bool,
    unknown_targets: bool,
    panics: bool,
}

impl Takes {
    fn of(entry: &Entry) -> Self {
        Self {
            instructions: entry.found.longest,
            loops: !entry.found.back_edges.is_empty(),
            unknown_targets: !entry.found.indirect.is_empty(),
            panics: !entry.found.stops.is_empty(),
        }
    }
}

pub(super) fn read() -> Result<Golden, String> {
    expected::read(FILE)
}

impl Golden {
    pub(super) fn declared(&self) -> &BTreeMap<String, u64> {
        &self.declared
    }

    /// Replaces what is recorded of our allocators for a target.
    pub(super) fn set(&mut self, target: &str, compiler: &str, entries: &[Entry]) {
        let mut recorded = Recorded { compiler: compiler.to_owned(), ..Recorded::default() };
        for entry in entries.iter().filter(|entry| !is_peer(&entry.allocator)) {
            let names = recorded.allocator.entry(entry.allocator.clone()).or_default();
            names.insert(entry.name.clone(), Takes::of(entry));
        }
        self.target.insert(target.to_owned(), recorded);
    }

    pub(super) fn write(&self) -> Result<PathBuf, String> {
        let head = "# The longest path of each entry point in instructions, from the disassembly.\n\
             # Written by `cargo xtask wcet --write`, checked by `cargo xtask wcet --check`.\n\
             # [declared] is kept as it is: what an indirect call may take, by a part of its function's name.";
        expected::write(FILE, head, self)
    }

    /// What is worse than the file or the limits allow, in words.
    pub(super) fn complaints(&self, named: &Named, compiler: &str, all: &[Entry]) -> Vec<String> {
        let target = named.name;
        let mut complaints = Vec::new();
        let ours: Vec<&Entry> = all.iter().filter(|entry| !is_peer(&entry.allocator)).collect();
        for entry in &ours {
            let name = format!("{target}: {} {}", entry.allocator, entry.name);
            let now = Takes::of(entry);
            if let Some(most) = limit(target, &entry.allocator, &entry.name)
                && now.instructions > most
            {
                let n = now.instructions;
                complaints.push(format!("{name}: {n} instructions, the limit is {most}"));
            }
            let loopless = LOOPLESS.iter().any(|name| entry.allocator.starts_with(name));
            if loopless && (now.loops || now.unknown_targets) {
                complaints
                    .push(format!("{name} must be free of loops: {}", entry.notes.join("; ")));
            }
            let recorded = self.target.get(target);
            let then = recorded
                .and_then(|r| r.allocator.get(&entry.allocator))
                .and_then(|names| names.get(&entry.name));
            match then {
                Some(then) => {
                    let same = recorded.is_some_and(|r| r.compiler == compiler);
                    complaints.extend(worse(&name, *then, now, same, &entry.notes));
                }
                None if named.golden => {
                    complaints.push(format!("{name} is not in the golden file (use --write)"));
                }
                None => {}
            }
        }
        for (allocator, names) in self.target.get(target).iter().flat_map(|r| &r.allocator) {
            for gone in names
                .keys()
                .filter(|name| !ours.iter().any(|e| e.allocator == *allocator && e.name == **name))
            {
                complaints.push(format!("{target}: {allocator} {gone} is gone from the probe"));
            }
        }
        complaints
    }
}

fn worse(name: &str, then: Takes, now: Takes, same: bool, notes: &[String]) -> Vec<String> {
    let mut worse = Vec::new();
    // Of a path with a loop only a stretch is counted, which says little.
    if same && !now.loops && now.instructions > then.instructions {
        let (n, t) = (now.instructions, then.instructions);
        worse.push(format!("{name}: {n} instructions, golden file {t}"));
    }
    if now.loops && !then.loops {
        worse.push(format!("{name}: a loop became reachable: {}", notes.join("; ")));
    }
    if now.unknown_targets && !then.unknown_targets {
        worse.push(format!("{name}: an indirect call became reachable: {}", notes.join("; ")));
    }
    if now.panics && !then.panics {
        worse.push(format!("{name}: a panic became reachable"));
    }
    worse
}

fn is_peer(allocator: &str) -> bool {
    matches!(allocator, "rlsf" | "talc" | "linkedlist" | "buddysystem")
}

#[cfg(test)]
mod tests;

//! The counts that a reviewer sees change: `bench/golden/icount.toml`.
//!
//! ```toml
//! [compiler]
//! riscv64gc = "rustc 1.96.0 (…)"
//!
//! [riscv64gc.tlsf]
//! malloc = { exact = 53, max = 96, … }
//! ```
//!
//! `max` is over all situations; `cargo xtask wcet` shows it beside the longest path. Counts are one compiler's: with
//! another the file is not compared.

use super::Counts;
use crate::expected::{self, COMPILER};
use core::fmt;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Situation to instructions.
type Entry = BTreeMap<String, u32>;
/// Allocator to entry point.
type Target = BTreeMap<String, BTreeMap<String, Entry>>;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Golden {
    /// Target to the compiler whose code was counted.
    #[serde(default)]
    compiler: BTreeMap<String, String>,
    #[serde(flatten)]
    targets: BTreeMap<String, Target>,
}

const FILE: &str = "icount.toml";

/// TOML with a line for each entry point, where serde would write one for each number.
impl fmt::Display for Golden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# Most instructions counted in each situation; `cargo xtask qemu --measure --write` writes it.\n{COMPILER}"
        )?;
        writeln!(f, "\n[compiler]")?;
        for (target, compiler) in &self.compiler {
            writeln!(f, "{target:?} = {compiler:?}")?;
        }
        for (target, allocators) in &self.targets {
            for (allocator, entries) in allocators {
                writeln!(f, "\n[{target:?}.{allocator}]")?;
                for (entry, situations) in entries {
                    let pairs: Vec<_> =
                        situations.iter().map(|(s, n)| format!("{s} = {n}")).collect();
                    writeln!(f, "{entry} = {{ {} }}", pairs.join(", "))?;
                }
            }
        }
        Ok(())
    }
}

impl Golden {
    pub(crate) fn read() -> Result<Self, String> {
        expected::read(FILE)
    }

    /// Allocator and entry point to the most instructions counted in this compiler's code, of one target.
    pub(crate) fn most(&self, target: &str, compiler: &str) -> BTreeMap<(String, String), u64> {
        let same = self.compiler.get(target).is_some_and(|recorded| recorded == compiler);
        let recorded = self.targets.get(target).filter(|_| same).into_iter().flatten();
        let mut most = BTreeMap::new();
        for (allocator, entries) in recorded {
            for (entry, situations) in entries {
                if let Some(max) = situations.get("max") {
                    most.insert((allocator.clone(), entry.clone()), u64::from(*max));
                }
            }
        }
        most
    }

    pub(crate) fn set(&mut self, target: &str, compiler: &str, counts: &Counts) {
        self.compiler.insert(target.to_owned(), compiler.to_owned());
        let mut fresh = Target::new();
        for ((allocator, entry, situation), count) in &counts.counts {
            let entries = fresh.entry(allocator.clone()).or_default();
            let situations = entries.entry(entry.clone()).or_default();
            situations.insert(situation.clone(), count.max);
            let max = situations.entry("max".to_owned()).or_default();
            *max = count.max.max(*max);
        }
        for ((allocator, sizes), part) in &counts.fills {
            let entries = fresh.entry(allocator.clone()).or_default();
            entries.entry("fill".to_owned()).or_default().insert(sizes.clone(), *part);
        }
        self.targets.insert(target.to_owned(), fresh);
    }

    pub(crate) fn write(&self) -> Result<PathBuf, String> {
        expected::write_text(FILE, &self.to_string())
    }

    /// What is larger than the file says, of one target; fills: what is smaller. Only while the compiler is the same.
    pub(crate) fn complaints(&self, target: &str, compiler: &str, counts: &Counts) -> Vec<String> {
        let mut complaints = Vec::new();
        if self.compiler.get(target).is_none_or(|recorded| recorded != compiler) {
            return complaints;
        }
        let known = |allocator: &str, entry: &str, situation: &str| {
            self.targets.get(target)?.get(allocator)?.get(entry)?.get(situation).copied()
        };
        for ((allocator, entry, situation), count) in &counts.counts {
            if let Some(most) = known(allocator, entry, situation).filter(|most| count.max > *most)
            {
                complaints.push(format!(
                    "{target}: {entry} of {allocator}, {situation}: {} instructions, were {most}",
                    count.max
                ));
            }
        }
        for ((allocator, sizes), part) in &counts.fills {
            if let Some(least) = known(allocator, "fill", sizes).filter(|least| part < least) {
                complaints.push(format!(
                    "{target}: fill of {allocator} with {sizes}: {part} of 1000, was {least}"
                ));
            }
        }
        complaints
    }
}

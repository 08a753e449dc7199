//! What the sizes may be: `bench/golden/size.toml`, and the limits the project has set itself.
//!
//! Nothing may grow while the compiler is the one that the file was written with. Another compiler's code has another
//! size, and then the limits decide.

use super::Row;
use super::measure::Size;
use crate::expected;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

const FILE: &str = "size.toml";

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) plain: u64,
    pub(super) realloc: u64,
    pub(super) control_block: u64,
}

/// The limits of an allocator on a target at opt-level z, where it has any.
pub(super) fn limits(target: &str, allocator: &str) -> Option<Limits> {
    let limited = target == "thumbv7em" && allocator == "malloc-compact";
    limited.then_some(Limits { plain: 600, realloc: 1024, control_block: 400 })
}

/// The golden file: target to compiler and sizes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Golden(BTreeMap<String, Recorded>);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Recorded {
    compiler: String,
    allocator: BTreeMap<String, Takes>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Takes {
    init_alloc_free: u64,
    with_realloc: u64,
    control_block: u64,
}

impl Takes {
    fn of(row: &Row) -> Self {
        let Size { code, control_block } = row.plain;
        Takes { init_alloc_free: code, with_realloc: row.realloc.code, control_block }
    }

    fn named(self) -> [(&'static str, u64); 3] {
        [
            ("for init, alloc and free", self.init_alloc_free),
            ("with realloc", self.with_realloc),
            ("of control block", self.control_block),
        ]
    }
}

pub(super) fn read() -> Result<Golden, String> {
    expected::read(FILE)
}

impl Golden {
    /// Replaces what is recorded of our allocators for a target.
    pub(super) fn set(&mut self, target: &str, compiler: &str, rows: &[Row]) {
        let ours = rows.iter().filter(|row| super::OURS.contains(&row.allocator));
        let allocator = ours.map(|row| (row.allocator.to_owned(), Takes::of(row))).collect();
        self.0.insert(target.to_owned(), Recorded { compiler: compiler.to_owned(), allocator });
    }

    pub(super) fn write(&self) -> Result<PathBuf, String> {
        let head = "# Bytes of flash at opt-level z, and bytes of control block.\n\
             # Written by `cargo xtask size --write`, checked by `cargo xtask size --check`.";
        expected::write(FILE, head, self)
    }

    /// What is larger than the file or the limits allow, in words.
    pub(super) fn complaints(&self, target: &str, compiler: &str, rows: &[Row]) -> Vec<String> {
        let mut complaints = Vec::new();
        for row in rows.iter().filter(|row| super::OURS.contains(&row.allocator)) {
            let name = format!("{target}: {}", row.allocator);
            let now = Takes::of(row);
            if let Some(most) = limits(target, row.allocator) {
                let most = [most.plain, most.realloc, most.control_block];
                for ((what, bytes), most) in now.named().into_iter().zip(most) {
                    if bytes > most {
                        complaints
                            .push(format!("{name}: {bytes} bytes {what}, the limit is {most}"));
                    }
                }
            }
            let recorded = self.0.get(target);
            let Some(then) = recorded.and_then(|r| r.allocator.get(row.allocator)) else {
                complaints.push(format!("{name} is not in the golden file (use --write)"));
                continue;
            };
            if recorded.is_some_and(|r| r.compiler != compiler) {
                continue;
            }
            for ((what, bytes), (_, most)) in now.named().into_iter().zip(then.named()) {
                if bytes > most {
                    complaints.push(format!("{name}: {bytes} bytes {what}, golden file {most}"));
                }
            }
        }
        complaints
    }
}

//! Leaks of a recorded program: the blocks that nothing pointed to any more when it ended.
//!
//! ```text
//! recorder ─► a copy of the process at its end ─► maps ─► roots: data of files, stacks, registers, thread-local storage, its own mappings
//!             └► its table of live blocks ──────────────► mark: what roots point to, and what that points to, is reachable
//! trace ────► frames, the program's own mappings               └► the rest is lost: by stack, and what only lost blocks point to
//! ```
//!
//! The scan is conservative: any word that looks like an address inside a block keeps it (Boehm and Weiser, *Garbage Collection in an
//! Uncooperative Environment*, 1988). Memory: 28 bytes a live block, and at most 64 MiB of the copy at once.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod blocks;
mod check;
mod copy;
mod error;
mod mark;
mod memory;
mod ranges;
mod report;
mod roots;
mod suppress;
mod table;
mod words;

pub use check::check;
pub use error::Error;
pub use report::{Amount, Leak, Leaks};
pub use suppress::Suppressions;
pub use words::words;

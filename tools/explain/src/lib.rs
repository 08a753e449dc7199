//! What holds a recorded program's memory: facts from a trace, findings from the facts, and one page of plain words.
//!
//! ```text
//! steps ─► outline ─► gather ─► Facts ─► rules ─► Findings ─► words ─► the page
//!          pass 1     pass 2      └────────────────┴────────► JSON
//!            │          ├ live, units   what is live, and where it lies
//!            │          ├ moment        the heap at one moment, page by page
//!            │          ├ growth, threads, marks, lifetimes
//!            │          └ sites         who allocates it, where call stacks were recorded
//!            └ when the peak was, and when the program ended its work
//! ```
//!
//! Steps are read twice and never kept: memory is bounded by the blocks that are live at once, some 10 bytes each. What
//! computes does not print, and what prints does not compute.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod facts;
mod gather;
mod growth;
mod live;
mod marks;
mod moment;
mod outline;
mod read;
mod rules;
mod sites;
mod sizes;
mod threads;
mod units;
mod verdict;
mod words;

pub use facts::*;
pub use gather::gather;
pub use marks::ByMark;
pub use read::facts;
pub use rules::{Confidence, Finding, Kind, Part, Remedy, Role, findings, parts, stays};
pub use trace::Stacks;
pub use verdict::{Advice, Row, Verdict, verdict};
pub use words::page;

/// What a damaged trace may say is cut to what can be, so that no sum overflows: a time to 73 years.
fn time(n: u64) -> u64 {
    n.min(1 << 61)
}

/// Bytes, to 16 TiB.
fn bytes(n: u64) -> u64 {
    n.min(1 << 44)
}

/// A number as a place in memory.
fn place(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

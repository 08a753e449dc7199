//! Where a program's memory comes from: call stacks and what they hold, of a recording or of a sample.
//!
//! ```text
//! trace ─► gather: each stack's sums, in two passes ─► Profile ─┬─► pprof        for pprof, Pyroscope, Parca; OTLP
//!                                                               └─► Tree of functions ─┬─► sites ─► text
//!                                                                                      ├─► collapsed, speedscope
//!                                                                                      └─► flame ─► SVG, page
//! a.pb.gz, b.pb.gz ─► pprof ─► compare ─► text: + grew, − shrank
//! ```
//!
//! Each block of a sample first stands for its like, then the sums are made; so every figure is right on average, and has a margin.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod collapsed;
mod compare;
mod cost;
mod flame;
mod gather;
mod lifetimes;
mod now;
mod page;
mod pprof;
mod sites;
mod speedscope;
#[cfg(test)]
mod testing;
mod text;
mod tree;

pub use collapsed::collapsed;
pub use compare::{Change, Comparison, compare};
pub use cost::{Cost, Costs};
pub use flame::svg;
pub use gather::{Moment, Point, Profile, Stack, gather, gather_beside};
pub use lifetimes::lifetimes;
pub use now::{now, now_json};
pub use page::html;
pub use pprof::{Inuse, Pprof, PprofError};
pub use sites::{Site, sites};
pub use speedscope::speedscope;
pub use text::{compared, leaks, text};
pub use tree::{Node, Tree};

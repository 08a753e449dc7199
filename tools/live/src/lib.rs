//! A running process's heap, read from outside: the process does nothing, not even wait.
//!
//! ```text
//! PID ─► process: what /proc says ──────────────────────────────┐
//!   └──► note ─► table ─► memory: counters, maps, descriptors ─► look ─► Figures ─┬─► json: as the file of stats=/PATH
//!                                                                                 ├─► metrics: OpenMetrics
//!                                                    two of them ─► rates ────────┴─► screen: lines of a terminal
//! ```
//!
//! - **live-V1** all that is read may be half written, old, or another thing by now: lengths and addresses are held to bounds
//!   that the counters give, and what does not fit is left out and counted (`Heap::unsettled`), never believed.
//!
//! A process on another malloc has only what /proc says. What draws never computes, and nothing here prints.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]
#![expect(clippy::cast_possible_truncation, reason = "numbers of a 64-bit process, in one")]

mod beside;
mod blocks;
mod classes;
mod counters;
mod heap;
mod json;
mod look;
mod maps;
mod memory;
pub mod metrics;
mod note;
mod parts;
mod process;
mod rates;
pub mod screen;
mod snapshot;
mod table;
mod threads;
mod trouble;

pub use beside::Beside;
pub use blocks::{Kind, Map};
pub use heap::{Heap, SizeClass};
pub use json::json;
pub use look::{Detail, Figures, Watched};
pub use note::Program;
pub use parts::{Part, Parts};
pub use process::{Process, of_ours};
pub use rates::Rates;
pub use trouble::Trouble;

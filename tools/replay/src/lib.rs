//! Doing a recorded program's allocations again: from a trace to a plan, which a small program does on any allocator.
//!
//! ```text
//! trace ─► steps ─► Planner ─► plan file ─► heapwright-replay, started anew for each run ─► figures
//!                   │ slots instead of blocks
//!                   │ epochs: how far threads may run ahead of each other
//!                   └ what the recording knew of its memory ─► the replay's own error
//! ```
//!
//! How large a pool a board would have to give them is found without the small program: [`pool`].
//!
//! With the places that a run wrote down, the steps are those of the program on that allocator ([`Moved`]).
//!
//! The crate of the program is how a plan looks in bytes. A plan is written as the steps come: what is kept in memory is what is live.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod epoch;
mod marks;
mod moved;
mod plan;
mod planned;
mod planner;
pub mod pool;
mod recorded;
mod slots;
mod streams;
mod touched;

pub use moved::Moved;
pub use plan::{Plan, locate, plan};
pub use planned::{Order, Planned};
pub use planner::Planner;
pub use recorded::Recorded;

/// A plan cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its file cannot be written.
    #[error("cannot write the plan {0}")]
    Write(std::path::PathBuf, #[source] std::io::Error),
    /// The file with the places cannot be read.
    #[error("cannot read where blocks were put, in {0}")]
    Read(std::path::PathBuf, #[source] std::io::Error),
    /// More blocks are live at one time than a plan has slots for.
    #[error("more than {} million blocks are live at one time, which a plan has no room for", ::plan::SLOTS / 1_000_000)]
    TooManyBlocks,
}

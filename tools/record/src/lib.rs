//! Recordings: how a program is told to be recorded, and what is made of what it leaves.
//!
//! ```text
//! Request ─► LD_PRELOAD=recorder:malloc, HEAPWRIGHT_RECORD=… ─► the program ─► NAME-PID.chunks
//!                                                                               │ finish
//!                                                              NAME-PID.trace ◄─┘ and of each process what was recorded
//! ```
//!
//! The library never prints; the command does. The recorder itself is `abi/interpose`.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod armed;
mod finish;
mod porter;
mod request;
mod running;

pub use armed::{Armed, runs};
pub use finish::{Process, Unrecorded, finish, recorded_on, unrecorded};
pub use porter::Porter;
pub use request::{Children, Request, Stacks};
pub use running::written_by;

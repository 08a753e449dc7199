//! Recorded traces: from the chunks that a program wrote to one packed file, and from that file to steps.
//!
//! ```text
//! chunks of each thread ─► pack: one order, blocks instead of addresses, columns ─► a packed file ─► steps
//! ```
//!
//! A packed trace is read in time order and never held in memory as a whole.

mod step;

pub use step::{Block, Frame, How, Op, Step, Thread};

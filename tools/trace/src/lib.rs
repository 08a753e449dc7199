//! Recorded traces: from the chunks that a program wrote to one packed file, and from that file to steps.
//!
//! ```text
//! chunks of each thread ─► pack: one order, blocks instead of addresses, columns ─► a packed file ─► steps
//! ```
//!
//! A packed trace is read in time order and never held in memory as a whole. [`Trace::open`] reads one, [`Packer`] writes one
//! from any source of steps, [`pack`] from a recording. `docs/trace-format.md` says what the bytes mean.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod about;
mod above;
mod addresses;
mod blocks;
mod error;
mod estimate;
mod export;
mod frames;
mod import;
mod live;
mod names;
mod open;
mod pack;
mod packed;
mod packer;
mod part;
mod stacks;
mod step;
mod steps;
pub mod testing;
mod trace;

pub use about::{About, Damage, Malloc, Missing, Module, Strange, StrangeKind, ThreadAbout};
pub use above::Above;
pub use blocks::{New, NumberMap, Numbers};
pub use error::TraceError;
pub use estimate::{Estimate, likely};
pub use export::{Form, export, export_blocks};
pub use frames::Frames;
pub use import::import;
pub use live::{Live, Lived, Row};
pub use names::Names;
pub use open::pack_beside;
pub use pack::{Progress, began, pack, stopped};
pub use packed::summary::{Memory, Segment};
pub use packer::{Packed, Packer};
pub use stacks::{Paths, Stacks};
pub use step::{Block, Frame, How, Op, Step, Thread};
pub use steps::Steps;
pub use trace::Trace;

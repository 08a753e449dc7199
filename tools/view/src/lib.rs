//! A recorded heap as pictures: computed here once, drawn as text, in a terminal, as a page.
//!
//! ```text
//! steps ─► gather ─► Pictures ─┬─► text ─┬─► plain
//!          one pass            │         └─► terminal: scrubbed over time
//!                              └─► page: one offline file of HTML
//! ```
//!
//! A replay of the same program on another allocator is gathered in the same way, from steps with the addresses of the replay, and
//! stands beside it.
//!
//! What draws computes nothing about the trace. What is gathered is bounded: cells, moments and curves have a most of each,
//! however long the trace is; besides them only the blocks that are live are remembered.

#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]
#![expect(
    clippy::cast_possible_truncation,
    reason = "classes and levels are few; what is drawn of a number is rounded"
)]

mod cells;
mod class;
mod curve;
mod draw;
mod gather;
mod groups;
mod held;
mod lifetimes;
mod marks;
mod missing;
mod moment;
mod page;
mod pairs;
mod pictures;
mod rows;
mod sites;
mod terminal;

pub use class::{By, SIZE_NAMES, of_size};
pub use draw::{Ink, LEVELS, Line, ansi, flowed, plain};
pub use gather::{Gather, Plan, gather};
pub use moment::Moment;
pub use page::html;
pub use pictures::Pictures;
pub use terminal::{KeyCode, KeyEvent, KeyModifiers, Screen, scrub, shown};

//! The steps of a segment as columns: what is alike stands together, so that it packs well.
//!
//! ```text
//! kinds      one byte a step
//! threads    runs: which thread, for how many steps
//! times      units since the step before
//! sizes      of each allocation, realloc and refusal
//! newest     which block, counted back from the thread's newest
//! last       which block, counted from the one that the thread freed last
//! frames     of each allocation and realloc, if any has one
//! addresses  of each allocation and realloc, as distances, if they are kept
//! other      alignments, resident pages, names, …
//! ```

mod addresses;
mod read;
mod write;

pub(crate) use read::Decoder;
pub(crate) use write::Builder;

use crate::step::Block;

/// Which part of a segment's section a column is; the summary is 0. Columns of numbers have two parts.
mod part {
    pub(super) const KINDS: usize = 1;
    pub(super) const THREADS: usize = 2;
    pub(super) const TIMES: usize = 3;
    pub(super) const SIZES: usize = 5;
    pub(super) const NEWEST: usize = 7;
    pub(super) const LAST: usize = 9;
    pub(super) const FRAMES: usize = 11;
    pub(super) const ADDRESSES: usize = 13;
    pub(super) const OTHER: usize = 14;
}

/// The columns' names and parts.
pub(crate) const NAMES: &[(&str, &[usize])] = &[
    ("kinds", &[part::KINDS]),
    ("threads", &[part::THREADS]),
    ("times", &[part::TIMES, part::TIMES + 1]),
    ("sizes", &[part::SIZES, part::SIZES + 1]),
    ("newest", &[part::NEWEST, part::NEWEST + 1]),
    ("last", &[part::LAST, part::LAST + 1]),
    ("frames", &[part::FRAMES, part::FRAMES + 1]),
    ("addresses", &[part::ADDRESSES]),
    ("other", &[part::OTHER]),
];

/// What the column of kinds has. The numbers are the format's.
mod token {
    pub(super) const MALLOC: u8 = 0;
    pub(super) const CALLOC: u8 = 1;
    pub(super) const ALIGNED: u8 = 2;
    pub(super) const BORN: u8 = 3;
    pub(super) const FREE_NEWEST: u8 = 4;
    pub(super) const FREE_LAST: u8 = 5;
    pub(super) const FREE_NEWEST_TOUCHED: u8 = 6;
    pub(super) const FREE_LAST_TOUCHED: u8 = 7;
    pub(super) const REALLOC_NEWEST: u8 = 8;
    pub(super) const REALLOC_LAST: u8 = 9;
    pub(super) const REFUSED: u8 = 10;
    pub(super) const USABLE_SIZE: u8 = 11;
    pub(super) const THREAD_START: u8 = 12;
    pub(super) const THREAD_NAME: u8 = 13;
    pub(super) const THREAD_END: u8 = 14;
    pub(super) const FORK: u8 = 15;
    pub(super) const EXEC: u8 = 16;
    pub(super) const MAP: u8 = 17;
    pub(super) const UNMAP: u8 = 18;
    pub(super) const MARK: u8 = 19;
    pub(super) const MEMORY: u8 = 20;
    pub(super) const DROPPED: u8 = 21;
}

/// How many threads' last blocks are remembered: a thread shares a place with those 256 further on.
const NEAR: usize = 256;

/// What a thread did last, from which its next blocks and addresses are counted.
#[derive(Debug, Clone, Copy)]
struct Near {
    newest: Block,
    last: Block,
}

/// At a segment's begin nobody has done anything.
fn near(first_block: Block) -> Vec<Near> {
    vec![Near { newest: first_block, last: first_block }; NEAR]
}

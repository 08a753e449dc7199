//! The counters of a heap at a moment: one read of some twenty words.

use std::io;

use base::live::At;

use crate::memory::{Bytes, Memory, Stretch};
use crate::table::Table;

/// An area of the region: where it is, and the bytes that may be touched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) at: u64,
    pub(crate) len: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) base: u64,
    pub(crate) granules: u64,
    pub(crate) first_block: u64,
    pub(crate) frontier: u64,
    pub(crate) given_up: u64,
    pub(crate) spans: Area,
    pub(crate) blocks: Area,
    pub(crate) descriptors: Area,
    /// Granules.
    pub(crate) live: u64,
    pub(crate) dirty: u64,
    pub(crate) given_back: u64,
    /// Bytes.
    pub(crate) holes_given_back: u64,
    pub(crate) holes: u64,
    pub(crate) books: u64,
    pub(crate) huge_bytes: u64,
    pub(crate) huge_count: u64,
    /// The table of mappings: its address, and how many entries it has.
    pub(crate) huge: (u64, u64),
    pub(crate) first_thread: u64,
    pub(crate) threads: (u64, u64),
    pub(crate) refills: u64,
    pub(crate) flushes: u64,
    pub(crate) uncached: u64,
    pub(crate) shards: u64,
}

/// Bytes of each, in the order in which they are read.
const WIDTHS: [(At, usize); 24] = [
    (At::Base, 8),
    (At::Granules, 8),
    (At::FirstBlock, 4),
    (At::Frontier, 4),
    (At::GivenUp, 4),
    (At::Spans, 16),
    (At::Blocks, 16),
    (At::Descriptors, 16),
    (At::Live, 8),
    (At::Dirty, 8),
    (At::GivenBack, 8),
    (At::HolesGivenBack, 8),
    (At::Holes, 8),
    (At::Books, 8),
    (At::HugeBytes, 8),
    (At::HugeCount, 8),
    (At::Huge, 16),
    (At::Threads, 8),
    (At::ThreadsNow, 4),
    (At::ThreadsEver, 4),
    (At::Refills, 8),
    (At::Flushes, 8),
    (At::Uncached, 4),
    (At::Shards, 4),
];

impl Counters {
    /// Reads them all at once.
    pub(crate) fn read(memory: &Memory, table: &Table) -> io::Result<Self> {
        let stretches: Vec<Stretch> =
            WIDTHS.iter().map(|&(at, width)| (table.place(at), width)).collect();
        let mut bytes = [0; 256];
        let len = WIDTHS.iter().map(|(_, width)| width).sum();
        memory.read_each(&stretches, &mut bytes[..len])?;
        let (bytes, mut at) = (Bytes(&bytes), 0);
        let mut next = |width: usize| {
            at += width;
            if width == 4 { u64::from(bytes.u32(at - 4)) } else { bytes.u64(at - 8) }
        };
        let (base, granules) = (next(8), next(8));
        let (first_block, frontier, given_up) = (next(4), next(4), next(4));
        let mut area = || {
            let (at, end) = (next(8), next(8));
            Area { at, len: end.saturating_sub(at) }
        };
        let (spans, blocks, descriptors) = (area(), area(), area());
        Ok(Self {
            base,
            granules,
            first_block,
            frontier,
            given_up,
            spans,
            blocks,
            descriptors,
            live: next(8),
            dirty: next(8),
            given_back: next(8),
            holes_given_back: next(8),
            holes: next(8),
            books: next(8),
            huge_bytes: next(8),
            huge_count: next(8),
            huge: (next(8), next(8)),
            first_thread: next(8),
            threads: (next(4), next(4)),
            refills: next(8),
            flushes: next(8),
            uncached: next(4),
            shards: next(4),
        })
    }
}

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

/// By their places: a word, or two where something has two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counters([[u64; 2]; At::COUNT]);

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
        let (bytes, mut from, mut all) = (Bytes(&bytes), 0, [[0; 2]; At::COUNT]);
        for (at, width) in WIDTHS {
            all[at as usize] = match width {
                4 => [u64::from(bytes.u32(from)), 0],
                8 => [bytes.u64(from), 0],
                _ => [bytes.u64(from), bytes.u64(from + 8)],
            };
            from += width;
        }
        Ok(Self(all))
    }

    pub(crate) fn of(&self, what: At) -> u64 {
        self.two(what)[0]
    }

    pub(crate) fn two(&self, what: At) -> [u64; 2] {
        self.0[what as usize]
    }

    pub(crate) fn area(&self, what: At) -> Area {
        let [at, end] = self.two(what);
        Area { at, len: end.saturating_sub(at) }
    }
}

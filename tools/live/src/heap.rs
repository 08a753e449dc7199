//! The figures of a heap: what the counters and one walk through slabs and threads add up to.
//!
//! ```text
//! slabs:   objects not free in bitmaps = live + kept by threads
//! pages:   granules handed out         = slabs + runs + runs that threads keep
//! ```

use base::live::{At, Number};

use crate::blocks::{Map, Walked};
use crate::classes::Class;
use crate::counters::Counters;
use crate::parts::Parts;
use crate::table::Table;
use crate::threads::Threads;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeClass {
    pub bytes: u64,
    /// Live blocks, those that threads keep, and how many there is room for.
    pub objects: u64,
    pub kept: u64,
    pub room: u64,
    pub slabs: u64,
}

impl SizeClass {
    /// Bytes that its slabs have room for and nobody uses: neither live nor a thread's.
    pub fn free(&self) -> u64 {
        self.bytes * self.room.saturating_sub(self.objects + self.kept)
    }
}

/// Bytes, where nothing else is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heap {
    pub live: u64,
    pub kept: u64,
    /// Free objects of slabs, holes too.
    pub fragmented: u64,
    /// Free granules that cost memory.
    pub dirty: u64,
    pub obtained: u64,
    pub held: u64,
    pub given_back: u64,
    pub books: u64,
    pub huge: u64,
    pub huge_count: u64,
    pub threads_now: u64,
    pub threads_ever: u64,
    /// The most that one thread keeps.
    pub kept_most: u64,
    pub refills: u64,
    pub flushes: u64,
    pub uncached: u64,
    pub shards: u64,
    pub sizes: Vec<SizeClass>,
    pub map: Map,
    /// Granules that changed while they were read: of those it is not known what they are.
    pub unsettled: u64,
    /// What pages hold; only where it was asked for.
    pub parts: Option<Parts>,
}

impl Heap {
    pub(crate) fn of(
        table: &Table,
        classes: &[Class],
        counters: &Counters,
        walked: Walked,
        threads: &Threads,
    ) -> Self {
        let shift = table.number(Number::GranuleShift);
        let block = 1u64 << table.number(Number::BlockShift);
        let (mut live, mut kept, mut fragmented, mut sizes) = (0, 0, 0, Vec::new());
        for ((class, slabs), cached) in classes.iter().zip(&walked.slabs).zip(&threads.objects) {
            // Threads were looked at a moment later.
            let cached = (*cached).min(slabs.taken);
            let size = SizeClass {
                bytes: class.size as u64,
                objects: (slabs.taken - cached) as u64,
                kept: cached as u64,
                room: (slabs.slabs * class.objects) as u64,
                slabs: slabs.slabs as u64,
            };
            live += size.objects * size.bytes;
            kept += size.kept * size.bytes;
            fragmented += size.free();
            if slabs.slabs > 0 {
                sizes.push(size);
            }
        }
        let runs = counters.of(At::Live).saturating_sub(walked.in_slabs + threads.runs) << shift;
        let blocks = counters
            .of(At::Frontier)
            .saturating_sub(counters.of(At::FirstBlock) + counters.of(At::GivenUp));
        let own = counters.area(At::Descriptors).len + counters.of(At::HugeBytes);
        let granules = (counters.of(At::Live) + counters.of(At::Dirty)) << shift;
        Self {
            live: live + runs + counters.of(At::HugeBytes),
            kept: kept + (threads.runs << shift),
            fragmented,
            dirty: counters.of(At::Dirty) << shift,
            obtained: blocks * block + own,
            held: granules.saturating_sub(counters.of(At::Holes)) + own,
            given_back: (counters.of(At::GivenBack) << shift) + counters.of(At::HolesGivenBack),
            books: counters.of(At::Books),
            huge: counters.of(At::HugeBytes),
            huge_count: counters.of(At::HugeCount),
            threads_now: counters.of(At::ThreadsNow),
            threads_ever: counters.of(At::ThreadsEver),
            kept_most: threads.largest,
            refills: counters.of(At::Refills) + threads.refills,
            flushes: counters.of(At::Flushes) + threads.flushes,
            uncached: counters.of(At::Uncached),
            shards: counters.of(At::Shards),
            sizes,
            map: walked.map,
            unsettled: walked.unsettled,
            parts: None,
        }
    }
}

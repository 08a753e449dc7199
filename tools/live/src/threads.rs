//! What threads keep: their caches, one after the other, while they go on.

use base::live::{At, Number};

use crate::classes::Class;
use crate::counters::Counters;
use crate::memory::{Bytes, Memory};
use crate::table::Table;

/// A malloc has no more threads at a time than the kernel.
const MOST: usize = 1 << 20;
const WORD: usize = 8;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Threads {
    pub(crate) objects: Vec<usize>,
    /// Granules of runs.
    pub(crate) runs: u64,
    pub(crate) refills: u64,
    pub(crate) flushes: u64,
    /// The largest share of one thread, in bytes.
    pub(crate) largest: u64,
}

/// Reads them all; those that come and go meanwhile are missed, or end the walk.
pub(crate) fn threads(
    memory: &Memory,
    table: &Table,
    classes: &[Class],
    counters: &Counters,
) -> Threads {
    let mut all = Threads { objects: vec![0; classes.len()], ..Threads::default() };
    let mut cache = vec![0; table.number(Number::Cache)];
    let mut slots = vec![0; (table.number(Number::SlotCache) + 1) * WORD];
    let most = (counters.of(At::ThreadsNow) as usize).saturating_add(64).min(MOST);
    let mut at = counters.of(At::Threads);
    let descriptors = counters.area(At::Descriptors);
    for _ in 0..most {
        let is_one = at.wrapping_sub(descriptors.at) < descriptors.len;
        if !is_one || memory.read(at, &mut cache).is_err() {
            break;
        }
        let bytes = Bytes(&cache);
        let of = |what| bytes.u64(table.number(what));
        // Granules.
        let runs = of(Number::CacheRuns).min(counters.of(At::Live));
        let read = memory.read(of(Number::CacheSlots), &mut slots);
        // Memory that is another thread's by now names another cache.
        let is_there = read.is_ok() && Bytes(&slots).u64(slots.len() - WORD) == at;
        let mut kept = 0;
        for (class, sum) in all.objects.iter_mut().enumerate().skip(1) {
            let magazine = if is_there { in_magazine(table, bytes, &slots, class) } else { 0 };
            let objects = magazine + in_depot(table, bytes, class);
            *sum += objects;
            kept += (objects * classes[class].size) as u64;
        }
        kept += runs << table.number(Number::GranuleShift);
        all.runs += runs;
        all.refills = all.refills.saturating_add(of(Number::CacheRefills));
        all.flushes = all.flushes.saturating_add(of(Number::CacheFlushes));
        all.largest = all.largest.max(kept);
        at = of(Number::CacheNext);
    }
    all
}

/// Objects of a class in the magazine: from its bottom, which the capacity says, to its top.
fn in_magazine(table: &Table, cache: Bytes<'_>, slots: &[u8], class: usize) -> usize {
    let (cell, top) = (table.number(Number::Cell), Bytes(slots).u64(class * WORD) as usize);
    let capacity = usize::from(cache.u8(table.number(Number::CacheCapacities) + class));
    let end = (top.wrapping_sub(1) | cell.saturating_sub(1)).wrapping_add(1);
    (top.saturating_sub(end - (capacity * WORD).min(end)) / WORD).min(capacity)
}

/// Objects of a class in the depot: each bit is a place that has some.
fn in_depot(table: &Table, cache: Bytes<'_>, class: usize) -> usize {
    let places = cache.u32(table.number(Number::CacheDepotOf) + class * 4);
    let counts = table.number(Number::CacheDepotCounts);
    let held =
        (0..table.number(Number::DepotPlaces).min(32)).filter(|place| places >> place & 1 != 0);
    held.map(|place| usize::from(cache.u8(counts + place))).sum()
}

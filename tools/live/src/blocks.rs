//! One walk through the granules: what slabs, runs and free granules add up to, and how full each granule is.

use base::live::Number;

use crate::classes::Class;
use crate::snapshot::{Seen, Snapshot};
use crate::table::Table;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Another's, or given up.
    Nothing,
    /// Free, and costs nothing.
    Free,
    /// Free, and costs memory.
    Dirty,
    /// Free, and a thread's.
    Kept,
    /// A block of more than the largest class, or a part of it.
    Run,
    /// Part of a slab of this class.
    Slab(u16),
}

/// How full the heap is, granule by granule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map {
    pub start: u64,
    pub granule: u64,
    pub kinds: Vec<Kind>,
    pub sizes: Vec<u64>,
    /// The share of its bytes in taken objects or live runs, of 255.
    pub fills: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Slabs {
    pub(crate) slabs: usize,
    pub(crate) taken: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    pub(crate) slabs: Vec<Slabs>,
    /// Granules of slabs.
    pub(crate) in_slabs: u64,
    /// Granules that changed while they were read.
    pub(crate) unsettled: u64,
    pub(crate) map: Map,
}

pub(crate) fn walk(copy: &Snapshot, table: &Table, classes: &[Class]) -> Walked {
    let (each, granules) = (copy.granules_a_block, copy.blocks * copy.granules_a_block);
    let granule = 1u64 << table.number(Number::GranuleShift);
    let mut walked = Walked { slabs: vec![Slabs::default(); classes.len()], ..Walked::default() };
    let map = &mut walked.map;
    map.granule = granule;
    map.start = copy.base + (copy.first_block * each) as u64 * granule;
    map.sizes = classes.iter().map(|class| class.size as u64).collect();
    map.kinds = vec![Kind::Nothing; granules];
    map.fills = vec![0; granules];
    copy.each_granule(table, classes, |at, seen| {
        (map.kinds[at], map.fills[at]) = match seen {
            Seen::Nothing => (Kind::Nothing, 0),
            Seen::Free => (Kind::Free, 0),
            Seen::Dirty => (Kind::Dirty, 0),
            Seen::Kept => (Kind::Kept, 0),
            Seen::Run => (Kind::Run, u8::MAX),
            Seen::Torn => {
                walked.unsettled += 1;
                (Kind::Run, u8::MAX)
            }
            Seen::Slab(slab) => {
                let class = classes[slab.class];
                let its = &mut walked.slabs[slab.class];
                let taken = slab.taken(class);
                if slab.granule == at {
                    its.slabs += 1;
                    its.taken += taken;
                }
                walked.in_slabs += 1;
                let bytes = (taken * class.size) as u64;
                (Kind::Slab(slab.class as u16), share(bytes, class.granules as u64 * granule))
            }
        };
    });
    walked
}

/// Anything at all is seen, and only what is full is full.
fn share(bytes: u64, of: u64) -> u8 {
    let share = bytes * u64::from(u8::MAX) / of.max(1);
    (share as u8).max(u8::from(bytes > 0))
}

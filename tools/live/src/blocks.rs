//! One walk through the granules: what slabs, runs and free granules add up to, and how full each granule is.

use base::live::Number;

use crate::classes::Class;
use crate::snapshot::{Snapshot, Span};
use crate::table::Table;

/// What a granule is.
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
    /// The address of the first.
    pub start: u64,
    /// Bytes of each.
    pub granule: u64,
    pub kinds: Vec<Kind>,
    /// The size of each class.
    pub sizes: Vec<u64>,
    /// The share of its bytes in taken objects or live runs, of 255.
    pub fills: Vec<u8>,
}

/// The sum of a class's slabs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Slabs {
    pub(crate) slabs: usize,
    pub(crate) taken: usize,
    /// Slabs without a taken object.
    pub(crate) empty: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Walked {
    /// By class.
    pub(crate) slabs: Vec<Slabs>,
    /// Granules of slabs.
    pub(crate) in_slabs: u64,
    /// Granules that changed while they were read.
    pub(crate) unsettled: u64,
    pub(crate) map: Map,
}

pub(crate) fn walk(copy: &Snapshot, table: &Table, classes: &[Class], base: u64) -> Walked {
    let each = copy.granules_a_block;
    let granule = 1u64 << table.number(Number::GranuleShift);
    let mut walked = Walked { slabs: vec![Slabs::default(); classes.len()], ..Walked::default() };
    let map = &mut walked.map;
    map.granule = granule;
    map.start = base + (copy.first_block * each) as u64 * granule;
    map.sizes = classes.iter().map(|class| class.size as u64).collect();
    map.kinds = vec![Kind::Nothing; copy.blocks * each];
    map.fills = vec![0; copy.blocks * each];
    // What a run or a block of a heap still covers, and how it is shown.
    let (mut left, mut kind) = (0, Kind::Run);
    for block in 0..copy.blocks {
        let [owned, free, dirty] = copy.bits(table, block);
        for number in 0..each {
            let is_in = |bits: u128| bits >> number & 1 != 0;
            let at = block * each + number;
            if !is_in(owned) {
                left = 0;
                continue;
            }
            if is_in(free) {
                left = 0;
                map.kinds[at] = if is_in(dirty) { Kind::Dirty } else { Kind::Free };
                continue;
            }
            if left == 0 {
                (kind, left) = match copy.span(table, classes, at) {
                    Span::Slab(slab) => {
                        let class = classes[slab.class];
                        let its = &mut walked.slabs[slab.class];
                        let taken = slab.taken(class);
                        if slab.granule == at {
                            its.slabs += 1;
                            its.taken += taken;
                            its.empty += usize::from(taken == 0);
                        }
                        walked.in_slabs += 1;
                        let bytes = (taken * class.size) as u64;
                        map.kinds[at] = Kind::Slab(slab.class as u16);
                        map.fills[at] = share(bytes, class.granules as u64 * granule);
                        continue;
                    }
                    Span::Kept(count) => (Kind::Kept, count),
                    Span::Run(count) | Span::Large(count) => (Kind::Run, count),
                    Span::None | Span::Torn => {
                        walked.unsettled += 1;
                        (Kind::Run, 1)
                    }
                };
            }
            map.kinds[at] = kind;
            map.fills[at] = if kind == Kind::Run { u8::MAX } else { 0 };
            left = left.saturating_sub(1);
        }
    }
    walked
}

/// Anything at all is seen, and only what is full is full.
fn share(bytes: u64, of: u64) -> u8 {
    let share = bytes * u64::from(u8::MAX) / of.max(1);
    (share as u8).max(u8::from(bytes > 0))
}

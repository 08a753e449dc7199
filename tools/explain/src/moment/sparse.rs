//! Which blocks hold memory that is otherwise free: those in 64 KiB pieces that are less than half full.
//!
//! Each piece's free bytes are shared by its blocks; what the pieces once held, and how long their former blocks lived, tells
//! lifetimes that do not fit together from an allocator that spreads its blocks.

use super::{Heap, Placed};
use crate::facts::{Pin, Sparse};
use crate::live::Entry;
use crate::sizes;
use crate::units::{UNIT, Unit};

/// Sizes that pins are named for, at most.
const PINS: usize = 8;

/// Lifetimes of freed blocks by size bin: a histogram of octaves of nanoseconds.
#[derive(Debug)]
pub(crate) struct Lived {
    bins: Vec<[u64; 65]>,
}

impl Lived {
    pub(crate) fn new() -> Self {
        Self { bins: vec![[0; 65]; sizes::BINS] }
    }

    pub(crate) fn add(&mut self, size: u64, lifetime: u64) {
        self.bins[sizes::bin(size)][sizes::octave(lifetime)] += 1;
    }

    /// Half of the freed blocks up to 32 KiB lived shorter.
    fn median(&self) -> u64 {
        let mut all = [0; 65];
        for bin in &self.bins[..=sizes::bin(32 << 10)] {
            bin.iter().zip(&mut all).for_each(|(n, sum)| *sum += n);
        }
        median(&all)
    }
}

/// The middle of the octave in which the median lies.
fn median(octaves: &[u64; 65]) -> u64 {
    let half = octaves.iter().sum::<u64>().div_ceil(2);
    let mut seen = 0;
    for (octave, n) in octaves.iter().enumerate() {
        seen += n;
        if seen >= half && half > 0 {
            let top = 1_u64.checked_shl(u32::try_from(octave).unwrap_or(64)).unwrap_or(u64::MAX);
            return top / 4 * 3;
        }
    }
    0
}

/// What blocks of some sizes hold.
#[derive(Debug, Clone)]
struct Held {
    pin: Pin,
    ages: [u64; 65],
}

impl Held {
    const NONE: Self = Self {
        pin: Pin { from: 0, to: 0, blocks: 0, bytes: 0, holds: 0, age: 0, others_lived: 0 },
        ages: [0; 65],
    };

    fn add(&mut self, size: u64, age: u64, holds: u64) {
        let Self { pin, ages } = self;
        pin.from = if pin.blocks == 0 { size } else { pin.from.min(size) };
        pin.to = pin.to.max(size);
        pin.blocks += 1;
        pin.bytes += size;
        pin.holds += holds;
        ages[sizes::octave(age)] += 1;
    }

    /// Nothing is older than the recording, wherever the middle of an octave lies.
    fn pin(&self, others_lived: u64, now: u64) -> Pin {
        Pin { age: median(&self.ages).min(now), others_lived, ..self.pin }
    }
}

/// Of blocks in the order of their addresses.
pub(super) fn of(
    placed: &[Placed],
    heap: &Heap<'_>,
    now: u64,
    held: &mut dyn FnMut(&Entry, u64),
) -> Sparse {
    let mut sparse = Sparse::default();
    let (mut all, mut bins) = (Held::NONE, vec![Held::NONE; sizes::BINS]);
    let number = |placed: &Placed| placed.entry.address / UNIT;
    for group in placed.chunk_by(|a, b| number(a) == number(b)) {
        let unit = group.first().and_then(|first| heap.units.get(number(first)));
        let Some((unit, free)) = unit.and_then(|unit| Some((unit, free(unit, group)?))) else {
            continue;
        };
        sparse.units += 1;
        sparse.were += u64::from(unit.most);
        sparse.ever += unit.ever;
        for block in group {
            let (size, age) = (block.entry.size(), now.saturating_sub(block.entry.born));
            let holds = free / group.len() as u64;
            all.add(size, age, holds);
            held(&block.entry, holds);
            bins[sizes::bin(size)].add(size, age, holds);
        }
    }
    let others_lived = heap.lived.median();
    sparse.all = all.pin(others_lived, now);
    let bins = bins.iter().filter(|held| held.pin.blocks > 0);
    sparse.pins = bins.map(|held| held.pin(others_lived, now)).collect();
    sparse.pins.sort_by_key(|pin| core::cmp::Reverse(pin.holds));
    sparse.pins.truncate(PINS);
    sparse
}

/// Free bytes of a piece that is less than half full, on pages that were in use before.
fn free(unit: &Unit, group: &[Placed]) -> Option<u64> {
    let taken: u64 = group.iter().map(|block| block.taken).sum();
    let free = unit.touched().saturating_sub(u64::from(unit.live).max(taken.min(UNIT)));
    (u64::from(unit.live) * 2 < UNIT && free > 0).then_some(free)
}

//! Live blocks in a table, and numbers to choose among them.

use crate::heap::Block;
use core::cell::UnsafeCell;

pub(crate) const MOST: usize = 1 << 14;

struct Shelf(UnsafeCell<[Block; MOST]>);

// SAFETY: a kernel here has one thread.
unsafe impl Sync for Shelf {}

static SHELF: Shelf = Shelf(UnsafeCell::new([Block { at: 0, size: 0 }; MOST]));

/// Calls `with` with the table, cleared.
pub(crate) fn table<R>(with: impl FnOnce(&mut [Block]) -> R) -> R {
    // SAFETY: one thread, and no situation begins inside another.
    let blocks = unsafe { &mut *SHELF.0.get() };
    blocks.fill(Block::default());
    with(blocks)
}

/// Numbers that look random and are the same each time (xorshift64*, Vigna 2016).
#[derive(Debug)]
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn range(&mut self, low: usize, high: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high_half = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        let span = (high - low + 1) as u64;
        let offset = ((high_half * span) >> 32) as usize;
        low + offset
    }

    /// One of `low..=high`, each doubling as likely as the next.
    pub(crate) fn doubling(&mut self, low: usize, high: usize) -> usize {
        let bits = self.range(low.ilog2() as usize, high.ilog2() as usize);
        self.range((1 << bits).max(low), ((2 << bits) - 1).min(high))
    }

    pub(crate) fn shuffle<T>(&mut self, all: &mut [T]) {
        for i in (1..all.len()).rev() {
            all.swap(i, self.range(0, i));
        }
    }
}

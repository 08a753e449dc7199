//! Blocks sorted by their longest free run, so that a run is found without a search.
//!
//! ```text
//! in huge pages      bin 0   longest run is 1      bin k   2^k ≤ longest < 2^(k+1)      … bin 6
//! in small pages     bin 7   longest run is 1      …                                    … bin 13
//! of either          bin 14  all 128 free, some dirty   (preferred: resident)
//!                    bin 15  all 128 free, none dirty
//! ```
//!
//! A run of n granules fits every block of a bin above log2(n) of its kind of page, and some in its own.
//! Lists are doubly linked through the descriptors; newest first, purged from the tail.
use base::bits::longest_run_log2;
use base::sync::Ordering;

use crate::block::BlockInfo;
use crate::geometry::GRANULES_PER_BLOCK;
use crate::region::Region;

/// Wholly free blocks with old contents.
pub const EMPTY_DIRTY: usize = 2 * PARTLY_FREE;
/// Wholly free blocks that read as zero.
pub const EMPTY_CLEAN: usize = EMPTY_DIRTY + 1;
/// How many bins there are.
pub const BINS: usize = EMPTY_CLEAN + 1;
/// How many there are for blocks in use, of each kind of page.
const PARTLY_FREE: usize = GRANULES_PER_BLOCK.ilog2() as usize;

/// The bins of blocks in use that lie in huge pages.
pub const HUGE_IN_USE: u32 = (1 << PARTLY_FREE) - 1;
/// Those of blocks in use in small pages.
pub const SMALL_IN_USE: u32 = HUGE_IN_USE << PARTLY_FREE;
/// Those of wholly free blocks.
pub const EMPTY: u32 = 1 << EMPTY_DIRTY | 1 << EMPTY_CLEAN;

/// A bit for each bin in which a run of `count` granules may fit, the blocks to be tried first lowest.
#[inline]
pub const fn fitting(huge: bool, count: u32) -> u32 {
    // A run of a whole block fits no block in use.
    let in_use = (1 << PARTLY_FREE) - (1 << count.ilog2());
    let small = in_use << PARTLY_FREE | EMPTY;
    if huge { small | in_use } else { small }
}

/// The end of a list: block 0 holds the maps and is in none.
pub const NIL: u32 = 0;

/// The lists. Guarded by the page heap's lock.
#[derive(Debug)]
pub struct Bins {
    /// Blocks in the two bins of empty ones, and a block below which there is none of them.
    empty: u32,
    empty_from: u32,
    /// A bit for each bin with a block.
    occupied: u32,
    head: [u32; BINS],
    tail: [u32; BINS],
}

impl Bins {
    /// Empty lists.
    pub const fn new() -> Self {
        Self { empty: 0, empty_from: 0, occupied: 0, head: [NIL; BINS], tail: [NIL; BINS] }
    }

    /// The bin in which a block belongs; `None`: in none (block-B2).
    pub fn proper(info: &BlockInfo) -> Option<usize> {
        Some(match longest_run_log2(info.free())? as usize {
            PARTLY_FREE if info.dirty() == 0 => EMPTY_CLEAN,
            PARTLY_FREE => EMPTY_DIRTY,
            longest if info.is_huge() => longest,
            longest => PARTLY_FREE + longest,
        })
    }

    /// Wholly free blocks.
    pub fn empty(&self) -> u32 {
        self.empty
    }

    /// No block below this one is wholly free.
    pub fn empty_from(&self) -> u32 {
        self.empty_from
    }

    /// A search has found none below `block`.
    pub fn no_empty_below(&mut self, block: u32) {
        self.empty_from = block;
    }

    /// A bit for each bin with a block.
    pub fn occupied(&self) -> u32 {
        self.occupied
    }

    /// The newest block of a bin.
    pub fn first(&self, bin: usize) -> u32 {
        self.head[bin]
    }

    /// The oldest block of a bin.
    pub fn last(&self, bin: usize) -> u32 {
        self.tail[bin]
    }

    /// Puts a block where it belongs after its bits have changed. O(1).
    pub fn update(&mut self, region: &Region, block: u32) {
        let info = region.block(block);
        let proper = Self::proper(info);
        let now = usize::from(info.bin.load(Ordering::Relaxed)).checked_sub(1);
        if now == proper {
            return;
        }
        if let Some(bin) = now {
            self.remove(region, block, bin);
            self.empty -= u32::from(bin >= EMPTY_DIRTY);
        }
        if let Some(bin) = proper {
            self.push(region, block, bin);
            if bin >= EMPTY_DIRTY {
                self.empty += 1;
                self.empty_from = self.empty_from.min(block);
            }
        }
    }

    /// Makes a block the newest of its bin: the oldest is purged next, and this one cannot be.
    pub fn make_newest(&mut self, region: &Region, block: u32) {
        if let Some(bin) =
            usize::from(region.block(block).bin.load(Ordering::Relaxed)).checked_sub(1)
        {
            self.remove(region, block, bin);
            self.push(region, block, bin);
        }
    }

    fn push(&mut self, region: &Region, block: u32, bin: usize) {
        let info = region.block(block);
        let old = core::mem::replace(&mut self.head[bin], block);
        self.occupied |= 1 << bin;
        info.prev.store(NIL, Ordering::Relaxed);
        info.next.store(old, Ordering::Relaxed);
        if old == NIL {
            self.tail[bin] = block;
        } else {
            region.block(old).prev.store(block, Ordering::Relaxed);
        }
        info.bin.store(base::bits::low8(bin + 1), Ordering::Relaxed);
    }

    fn remove(&mut self, region: &Region, block: u32, bin: usize) {
        let info = region.block(block);
        let next = info.next.load(Ordering::Relaxed);
        let prev = info.prev.load(Ordering::Relaxed);
        if prev == NIL {
            self.head[bin] = next;
            if next == NIL {
                self.occupied &= !(1 << bin);
            }
        } else {
            region.block(prev).next.store(next, Ordering::Relaxed);
        }
        if next == NIL {
            self.tail[bin] = prev;
        } else {
            region.block(next).prev.store(prev, Ordering::Relaxed);
        }
        info.bin.store(0, Ordering::Relaxed);
    }
}

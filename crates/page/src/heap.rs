//! The page heap: runs of granules out of blocks.
//!
//! - **H1** `live` granules are handed out; `dirty` counts the free granules that cost memory
//!   which can go back: where the system's page is larger than a granule, those of free pages.
//! - **H2** blocks from `first_block` to `frontier` have been committed, or, in a window,
//!   belong to others or were given up; those behind have not.
//! - **H3** accounting: for each block, popcount(free) + handed-out granules = `owned`, which is 128
//!   but for the last block of a window that may have no more.
//!
//! Layer *page*; slabs and large blocks come from here. One lock. O(1) for runs up to a block
//! (bins), O(blocks) for longer ones. After Hunter et al., "Beyond malloc efficiency to fleet
//! efficiency", OSDI 2021 (fill the fullest block, keep whole blocks empty).
use base::bits::{align_up, low8, low32, ones, run_starts};
use base::check::ensure;
use base::lock::{Guard, Lock};
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use base::{Broken, Check};

use crate::System;
use crate::bins::{BINS, Bins, EMPTY_DIRTY, NIL};
use crate::block::BlockInfo;
use crate::geometry::{BLOCK, GRANULE, GRANULE_SHIFT, GRANULES_PER_BLOCK};
use crate::moved::Moved;
use crate::purge::Purge;
use crate::region::{Hold, Region};
use crate::slack::Slack;

/// How many blocks of a bin are tried before the next bin.
const PROBES: usize = 4;
/// The most blocks committed by one call: 64 MiB.
const MAX_COMMIT: u32 = 32;

/// A run of granules that was handed out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// Its address.
    pub at: usize,
    /// Whether every byte of it is known to be zero.
    pub zero: bool,
}

/// Hands out runs of granules and takes them back.
#[derive(Debug)]
pub struct PageHeap<S> {
    /// The region the runs lie in.
    pub region: Region,
    /// Where its memory comes from.
    pub source: S,
    pub(crate) lock: Lock<S>,
    pub(crate) bins: Bins,
    pub(crate) frontier: AtomicU32,
    pub(crate) live: AtomicUsize,
    pub(crate) dirty: AtomicUsize,
    /// What slabs hold beyond what the program does.
    pub slack: Slack,
    /// When memory goes back.
    pub purge: Purge,
    /// How many pages were moved rather than copied.
    pub(crate) moved: Moved,
    /// Blocks taken out of huge pages.
    pub(crate) small_blocks: AtomicU32,
    /// Below the frontier nobody finds a longer row of blocks that were given up.
    pub(crate) longest_hole: AtomicU32,
    huge_from: AtomicUsize,
    huge_asked: AtomicU32,
}

impl<S: System> PageHeap<S> {
    /// An empty heap; the region is made by the first request.
    #[must_use]
    pub const fn new(source: S) -> Self {
        Self {
            region: Region::new(),
            source,
            lock: Lock::new(),
            bins: Bins::new(),
            frontier: AtomicU32::new(0),
            live: AtomicUsize::new(0),
            dirty: AtomicUsize::new(0),
            slack: Slack::new(),
            purge: Purge::new(),
            moved: Moved::new(),
            small_blocks: AtomicU32::new(0),
            longest_hole: AtomicU32::new(0),
            huge_from: AtomicUsize::new(4 << 20),
            huge_asked: AtomicU32::new(0),
        }
    }

    /// From which size of the heap on huge pages are asked for; `usize::MAX`: never.
    pub fn set_huge_from(&self, bytes: usize) {
        self.huge_from.store(bytes, Ordering::Relaxed);
    }

    /// Whether the heap has grown enough for huge pages.
    pub fn wants_huge(&self) -> bool {
        self.huge_asked.load(Ordering::Relaxed) != 0
    }

    /// Bytes handed out.
    pub fn live_bytes(&self) -> usize {
        self.live.load(Ordering::Relaxed) * GRANULE
    }

    /// Bytes free that cost memory.
    pub fn dirty_bytes(&self) -> usize {
        self.dirty.load(Ordering::Relaxed) * GRANULE
    }

    /// How many granules the system's page has; 1 where it is no larger than one.
    pub(crate) fn granules_a_page(&self) -> u32 {
        low32((self.source.page_size() >> GRANULE_SHIFT).clamp(1, GRANULES_PER_BLOCK))
    }

    /// Free granules of a block that cost memory (H1).
    pub(crate) fn dirty_free(&self, info: &BlockInfo) -> u128 {
        info.dirty_free(self.granules_a_page())
    }

    /// Bytes of committed blocks.
    pub fn committed_bytes(&self) -> usize {
        let frontier = self.frontier.load(Ordering::Relaxed);
        (frontier.saturating_sub(self.region.first_block()) as usize) * BLOCK
    }

    /// Whether nothing was ever asked of it, and nothing is being asked by what this thread was
    /// interrupted in.
    pub fn is_untouched(&self) -> bool {
        self.region.granules() == 0 && !self.lock.is_interrupted()
    }

    /// Makes the first `len` bytes of the region's descriptors usable and says where they begin.
    /// `None`: out of memory.
    pub(crate) fn descriptors(&self, len: usize) -> Option<usize> {
        let guard = self.lock.lock();
        let made = self.region.granules() != 0 || self.start(&guard);
        made.then(|| self.region.grow_descriptors(&self.source, len))?
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// `count` granules at a multiple of `align` granules (a power of two up to 128).
    /// O(1) up to a block, else O(blocks). `None`: out of memory.
    pub fn allocate(&self, count: usize, align: usize) -> Option<Run> {
        debug_assert!(count > 0 && align.is_power_of_two() && align <= GRANULES_PER_BLOCK);
        let guard = self.lock.lock();
        if self.region.granules() == 0 && !self.start(&guard) {
            return None;
        }
        if count.div_ceil(GRANULES_PER_BLOCK) > self.region.longest_run() {
            return None;
        }
        if count > GRANULES_PER_BLOCK {
            return self.allocate_blocks(&guard, count);
        }
        let run = self.allocate_in_block(&guard, low32(count), low32(align))?;
        self.after_growth(&guard);
        Some(run)
    }

    /// `count` granules for a slab: the first of them. `counted`: its slack is (X1). As
    /// [`allocate`](Self::allocate).
    pub fn allocate_slab(&self, count: usize, counted: bool) -> Option<usize> {
        debug_assert!(count > 0 && count <= GRANULES_PER_BLOCK);
        let guard = self.lock.lock();
        if self.region.granules() == 0 && !self.start(&guard) {
            return None;
        }
        let run = self.allocate_in_block(&guard, low32(count), 1)?;
        if counted {
            self.slack.note_slab(count);
        }
        self.after_growth(&guard);
        self.region.granule_of(run.at)
    }

    /// At most a block, out of the fullest one in which it fits.
    fn allocate_in_block(&self, guard: &Guard<'_, S>, count: u32, align: u32) -> Option<Run> {
        loop {
            if let Some((block, at)) = self.find(count, align) {
                return Some(self.take(block, at, count));
            }
            self.grow(guard, 1)?;
        }
    }

    /// As [`allocate`](Self::allocate) for any power of two: beyond a block's length a longer
    /// run is cut at both ends.
    pub fn allocate_aligned(&self, count: usize, align: usize) -> Option<Run> {
        if align <= GRANULES_PER_BLOCK {
            return self.allocate(count, align);
        }
        let wide = count.checked_add(align)?;
        let run = self.allocate(wide, GRANULES_PER_BLOCK)?;
        let at = align_up(run.at, align * GRANULE);
        let head = (at - run.at) / GRANULE;
        if head > 0 {
            self.deallocate(run.at, head);
        }
        if wide > head + count {
            self.deallocate(at + count * GRANULE, wide - head - count);
        }
        Some(Run { at, zero: run.zero })
    }

    /// Takes back `count` granules at `at`.
    pub fn deallocate(&self, at: usize, count: usize) {
        let guard = self.lock.lock();
        let Some(granule) = self.region.granule_of(at) else { return };
        self.give_back(&guard, granule, count, true);
        self.after_free(&guard);
    }

    /// Takes back `count` granules at each of `runs`, which were slabs, under one lock. `counted` as
    /// in [`allocate_slab`](Self::allocate_slab).
    pub fn deallocate_slabs(&self, count: usize, runs: &[usize], counted: bool) {
        let guard = self.lock.lock();
        for granule in runs.iter().filter_map(|&at| self.region.granule_of(at)) {
            self.give_back(&guard, granule, count, true);
        }
        if counted {
            self.slack.note_slabs_end(runs.len() * count);
        }
        self.after_free(&guard);
    }

    /// Takes back `count` granules at `at` that are known to be zero and cost nothing.
    pub fn deallocate_zero(&self, at: usize, count: usize) {
        let guard = self.lock.lock();
        let Some(granule) = self.region.granule_of(at) else { return };
        self.give_back(&guard, granule, count, false);
    }

    /// Grows the run of `old` granules at `at` to `new` in place. `false`: what follows is taken.
    pub fn extend(&self, at: usize, old: usize, new: usize) -> bool {
        let guard = self.lock.lock();
        let Some(first) = self.region.granule_of(at) else { return false };
        let end = (first + new).div_ceil(GRANULES_PER_BLOCK);
        if end > self.region.blocks() as usize {
            return false;
        }
        let pieces = || pieces(first + old, new - old);
        for (block, mask, _) in pieces() {
            if block >= self.frontier.load(Ordering::Relaxed) {
                let reserved = self.region.hold() == Hold::Reserved;
                if !reserved || self.grow(&guard, low32(end) - block).is_none() {
                    return false;
                }
            }
            if self.region.block(block).free() & mask != mask {
                return false;
            }
        }
        for (block, mask, count) in pieces() {
            self.take_mask(block, mask, count);
        }
        self.note_huge_page(low32(end) - 1);
        true
    }

    /// Takes back the tail of the run of `old` granules at `at`, keeping `new`.
    pub fn truncate(&self, at: usize, old: usize, new: usize) {
        self.deallocate(at + new * GRANULE, old - new);
    }

    /// Makes the region. Called until it succeeds.
    #[cold]
    fn start(&self, _guard: &Guard<'_, S>) -> bool {
        if !self.region.init(&self.source) {
            return false;
        }
        self.frontier.store(self.region.first_block(), Ordering::Relaxed);
        true
    }

    /// The fullest block in which the run fits, and where.
    fn find(&self, count: u32, align: u32) -> Option<(u32, u32)> {
        let own = count.ilog2() as usize;
        for bin in own..BINS {
            let mut block = self.bins.first(bin);
            for _ in 0..PROBES {
                if block == NIL {
                    break;
                }
                let info = self.region.block(block);
                let starts = run_starts(info.free(), count) & aligned_starts(align);
                if starts != 0 {
                    return Some((block, starts.trailing_zeros()));
                }
                block = info.next.load(Ordering::Relaxed);
            }
        }
        None
    }

    fn take(&self, block: u32, at: u32, count: u32) -> Run {
        let zero = self.take_mask(block, ones(at, count), count);
        Run { at: self.region.address_of_block(block) + ((at as usize) << GRANULE_SHIFT), zero }
    }

    /// Hands out the `count` free granules of `mask` and says whether all of them were clean.
    pub(crate) fn take_mask(&self, block: u32, mask: u128, count: u32) -> bool {
        let info = self.region.block(block);
        let (free, dirty) = (info.free(), info.dirty());
        let were_dirty = common(dirty, mask, count);
        let before = self.dirty_near(info, mask, count);
        info.set_free(free & !mask);
        info.set_dirty(dirty | mask);
        let gone = before - self.dirty_near(info, mask, count);
        self.bins.update(&self.region, block);
        self.live.raise(count as usize);
        self.dirty.lower(gone as usize);
        self.purge.note_reuse(count - were_dirty);
        self.slack.note_reuse(count);
        were_dirty == 0
    }

    /// Free granules that cost memory (H1), at least those that depend on the `count` of `mask`.
    fn dirty_near(&self, info: &BlockInfo, mask: u128, count: u32) -> u32 {
        if self.granules_a_page() == 1 {
            return common(info.free() & info.dirty(), mask, count);
        }
        self.dirty_free(info).count_ones()
    }

    /// The head of a block is the end of a long run. In huge pages the rest of the block becomes
    /// resident with it, though nobody has touched it: it counts as dirty.
    pub(crate) fn note_huge_page(&self, block: u32) {
        let info = self.region.block(block);
        if !self.wants_huge() || info.small_pages.load(Ordering::Relaxed) != 0 {
            return;
        }
        let before = self.dirty_free(info).count_ones();
        info.set_dirty(info.dirty() | info.free());
        let come = self.dirty_free(info).count_ones() - before;
        self.dirty.raise(come as usize);
        self.bins.update(&self.region, block);
    }

    /// Marks granules free, block by block.
    fn give_back(&self, _guard: &Guard<'_, S>, granule: usize, count: usize, dirty: bool) {
        self.live.lower(count);
        for (block, mask, count) in pieces(granule, count) {
            let info = self.region.block(block);
            let before = self.dirty_near(info, mask, count);
            if !dirty {
                info.set_dirty(info.dirty() & !mask);
            }
            info.set_free(info.free() | mask);
            let come = self.dirty_near(info, mask, count) - before;
            self.dirty.raise(come as usize);
            if info.is_empty() {
                info.emptied.store(self.purge.tick(), Ordering::Relaxed);
                self.use_huge_pages(block);
                self.note_emptied(block);
            }
            self.bins.update(&self.region, block);
        }
    }

    /// Commits at least `blocks` more blocks behind the frontier; a part of one where addresses
    /// are limited and one block is asked for. `None`: refused.
    pub(crate) fn grow(&self, guard: &Guard<'_, S>, blocks: u32) -> Option<()> {
        self.look_for_address_limit(guard);
        self.ask_for_huge();
        self.before_growth(blocks);
        match self.region.hold() {
            Hold::Reserved => self.commit(blocks),
            Hold::Window => self.claim(blocks),
        }
    }

    fn commit(&self, blocks: u32) -> Option<()> {
        let region = &self.region;
        let frontier = self.frontier.load(Ordering::Relaxed);
        let left = region.blocks() - frontier;
        if blocks > left {
            return None;
        }
        let used = frontier - region.first_block();
        let ahead = blocks.max((used / 8).min(MAX_COMMIT)).min(left);
        for step in [ahead, blocks] {
            let end = (frontier + step) as usize * GRANULES_PER_BLOCK;
            let at = region.address_of_block(frontier);
            if region.cover(&self.source, end)
                // SAFETY: by H2 blocks behind the frontier are reserved.
                && unsafe { self.source.commit(at, step as usize * BLOCK) }
            {
                self.adopt(frontier, step);
                self.frontier.store(frontier + step, Ordering::Relaxed);
                return Some(());
            }
            if step == blocks {
                break;
            }
        }
        None
    }

    /// Enters `count` fresh blocks from `first` on, wholly free and clean.
    pub(crate) fn adopt(&self, first: u32, count: u32) {
        for block in first..first + count {
            let info = self.region.block(block);
            info.owned.store(low8(GRANULES_PER_BLOCK), Ordering::Relaxed);
            info.set_free(u128::MAX);
            info.set_dirty(0);
            self.bins.update(&self.region, block);
        }
    }

    /// Once the heap is large enough: huge pages for all of it, with one call. Not only for what
    /// is to come, because a run across the seam would be two mappings, which cannot be moved as
    /// one.
    fn ask_for_huge(&self) {
        if self.wants_huge() || self.committed_bytes() < self.huge_from.load(Ordering::Relaxed) {
            return;
        }
        self.huge_asked.store(1, Ordering::Relaxed);
        if self.region.hold() == Hold::Reserved {
            let first = self.region.first_block();
            let at = self.region.address_of_block(first);
            let len = (self.region.blocks() - first) as usize * BLOCK;
            // SAFETY: a part of the region, which is ours.
            unsafe { self.source.prefer_huge(at, len, true) };
        }
    }
}

/// The blocks that `count` granules from `first` on lie in, with their bits in each, and how many.
fn pieces(first: usize, count: usize) -> impl Iterator<Item = (u32, u128, u32)> {
    let end = first + count;
    let blocks = first / GRANULES_PER_BLOCK..end.div_ceil(GRANULES_PER_BLOCK);
    blocks.map(move |block| {
        let start = block * GRANULES_PER_BLOCK;
        let from = low32(first.max(start) - start);
        let count = low32(end.min(start + GRANULES_PER_BLOCK) - start) - from;
        (low32(block), ones(from, count), count)
    })
}

/// How many bits `bits` has in common with `mask`, which has `count`: mostly all or none. Counting 128
/// bits takes some 30 instructions on processors that have none for it.
fn common(bits: u128, mask: u128, count: u32) -> u32 {
    match bits & mask {
        0 => 0,
        all if all == mask => count,
        some => some.count_ones(),
    }
}

/// Bits at multiples of `align`.
fn aligned_starts(align: u32) -> u128 {
    let mut starts = u128::MAX;
    let mut step = 1;
    while step < align {
        // Keep the bits whose index is a multiple of 2 × step.
        starts &= !(low_half(step) << step);
        step *= 2;
    }
    starts
}

/// `step` ones, `step` zeroes, and so on.
fn low_half(step: u32) -> u128 {
    u128::MAX / ((1u128 << step) + 1)
}

impl<S: System> Check for PageHeap<S> {
    fn check(&self) -> Result<(), Broken> {
        let _guard = self.lock.lock();
        if self.region.granules() == 0 {
            return Ok(());
        }
        let (mut taken, mut dirty) = (0, 0);
        for block in self.region.first_block()..self.frontier.load(Ordering::Relaxed) {
            let info = self.region.block(block);
            let owned = info.owned();
            let at = self.region.address_of_block(block);
            ensure(info.free() & !owned == 0, "H3: only what is ours is free", at)?;
            let taken_here = owned & !info.free();
            ensure(taken_here & !info.dirty() == 0, "B1: a taken granule is dirty", at)?;
            let bin = usize::from(info.bin.load(Ordering::Relaxed)).checked_sub(1);
            ensure(bin == Bins::proper(info), "B2: a block is in the bin of its longest run", at)?;
            taken += taken_here.count_ones() as usize;
            dirty += self.dirty_free(info).count_ones() as usize;
        }
        ensure(self.is_sunk(), "Z2: a bare window ends with a block that is ours", taken)?;
        ensure(taken == self.live.load(Ordering::Relaxed), "H1: live granules add up", taken)?;
        ensure(dirty == self.dirty.load(Ordering::Relaxed), "H1: dirty granules add up", dirty)?;
        self.check_moved()?;
        for bin in 0..BINS {
            let mut block = self.bins.first(bin);
            let mut before = NIL;
            while block != NIL {
                let info = self.region.block(block);
                let at = self.region.address_of_block(block);
                let here = usize::from(info.bin.load(Ordering::Relaxed)) == bin + 1;
                ensure(here, "B2: a listed block knows its bin", at)?;
                let back = info.prev.load(Ordering::Relaxed) == before;
                ensure(back, "B2: bin links go both ways", at)?;
                before = block;
                block = info.next.load(Ordering::Relaxed);
            }
            ensure(self.bins.last(bin) == before, "B2: a bin's tail is its last block", bin)?;
        }
        let oldest = self.bins.last(EMPTY_DIRTY);
        ensure(oldest == NIL || dirty >= 1, "H1: an empty dirty block is counted", dirty)
    }
}

#[cfg(test)]
mod tests;

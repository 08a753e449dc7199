//! Runs: which granules are free, found, handed out and taken back.
//!
//! ```text
//! find: the fullest bin ─► a block in which the run fits ─► its bits
//! hand_out: free → taken, dirty         give_back: taken → free, dirty if it may have been written
//! ```
//!
//! Layer *page*, inside the page heap's lock. O(1) for a run up to a block, O(blocks) when there is no memory.
use base::bits::{low32, ones, run_starts};
use base::sync::{OneWriter as _, Ordering};
use source::Claim;

use super::{PageHeap, Run, State, Whose};
use crate::System;
use crate::bins::{EMPTY, HUGE_IN_USE, NIL, SMALL_IN_USE, fitting};
use crate::block::BlockInfo;
use crate::geometry::{GRANULE_SHIFT, GRANULES_PER_BLOCK};
use crate::region::Hold;

/// How many blocks of a bin are tried before the next bin.
const PROBES: usize = 4;

impl<S: System> PageHeap<S> {
    /// At most a block, out of the fullest one in which it fits.
    pub(super) fn allocate_in_block(
        &self,
        state: &mut State,
        count: u32,
        align: u32,
        whose: Whose,
    ) -> Option<Run> {
        loop {
            let mut found = self.find(state, count, align, whose);
            if found.is_none()
                && self.claim_given_up(state).or_else(|| self.grow(state, 1, whose)).is_none()
            {
                // No memory: it may fit in a block that was not tried.
                found = Some(self.find_anywhere(state, count, align)?);
            }
            if let Some((block, at)) = found {
                let zero = self.hand_out(state, block, ones(at, count), count, whose);
                let at = self.region.address_of_block(block) + ((at as usize) << GRANULE_SHIFT);
                return Some(Run { at, zero });
            }
        }
    }

    /// [`extend`](Self::extend) of the run from the granule `first` on.
    pub(super) fn extend_inside(
        &self,
        state: &mut State,
        first: usize,
        old: usize,
        new: usize,
    ) -> bool {
        let end = (first + new).div_ceil(GRANULES_PER_BLOCK);
        if end > self.region.blocks() as usize {
            return false;
        }
        let pieces = || pieces(first + old, new - old);
        for (block, mask, _) in pieces() {
            if block >= self.frontier() {
                let reserved = self.region.hold() == Hold::Reserved;
                if !reserved || self.grow(state, low32(end) - block, Whose::Run).is_none() {
                    return false;
                }
                // A limit that was found on the way makes it a window, and releases empty blocks.
                if self.region.hold() != Hold::Reserved {
                    return false;
                }
            }
            if self.is_given_up(block) && self.claim_at(state, block, 1) != Claim::Ours {
                return false;
            }
            if self.region.block(block).free() & mask != mask {
                return false;
            }
        }
        for (block, mask, count) in pieces() {
            self.hand_out(state, block, mask, count, Whose::Run);
        }
        self.after_growth(state);
        true
    }

    /// The fullest block of the kind that `whose` may have (huge-pages-HP1) in which the run fits, and where. A few blocks of a bin are
    /// tried.
    fn find(&self, state: &State, count: u32, align: u32, whose: Whose) -> Option<(u32, u32)> {
        let bins = fitting(self.may_lie_in_huge(whose), count);
        if self.opens_huge(state, whose) {
            // Clean rests of blocks in small pages are left to large runs (huge-pages-HP3).
            return self
                .find_in(state, bins & HUGE_IN_USE, count, align, PROBES)
                .or_else(|| self.find_resident(state, bins & SMALL_IN_USE, count, align))
                .or_else(|| self.find_in(state, bins & EMPTY, count, align, PROBES));
        }
        self.find_in(state, bins, count, align, PROBES)
    }

    /// A block of the `bins` in which the run fits into old contents, and where.
    fn find_resident(
        &self,
        state: &State,
        bins: u32,
        count: u32,
        align: u32,
    ) -> Option<(u32, u32)> {
        self.find_where(state, bins, align, PROBES, |info| {
            run_starts(info.free() & info.dirty(), count)
        })
    }

    /// Any block in which the run fits, and where.
    pub(super) fn find_anywhere(
        &self,
        state: &State,
        count: u32,
        align: u32,
    ) -> Option<(u32, u32)> {
        self.find_in(state, u32::MAX, count, align, usize::MAX)
    }

    /// A block of the `bins` in which the run fits, and where; `probes` of each bin are tried.
    #[inline]
    fn find_in(
        &self,
        state: &State,
        bins: u32,
        count: u32,
        align: u32,
        probes: usize,
    ) -> Option<(u32, u32)> {
        self.find_where(state, bins, align, probes, |info| run_starts(info.free(), count))
    }

    /// [`find_in`](Self::find_in) where `starts` says at which granules of a block the run may begin.
    #[inline]
    fn find_where(
        &self,
        state: &State,
        bins: u32,
        align: u32,
        probes: usize,
        starts: impl Fn(&BlockInfo) -> u128,
    ) -> Option<(u32, u32)> {
        let mut bins = bins & state.bins.occupied();
        while bins != 0 {
            let mut block = state.bins.first(bins.trailing_zeros() as usize);
            for _ in 0..probes {
                if block == NIL {
                    break;
                }
                let info = self.region.block(block);
                let starts = starts(info) & aligned_starts(align);
                if starts != 0 {
                    return Some((block, starts.trailing_zeros()));
                }
                block = info.next.load(Ordering::Relaxed);
            }
            bins &= bins - 1;
        }
        None
    }

    /// Hands out the `count` free granules of `mask` and says whether all of them are zero.
    #[inline]
    pub(crate) fn hand_out(
        &self,
        state: &mut State,
        block: u32,
        mask: u128,
        count: u32,
        whose: Whose,
    ) -> bool {
        if !self.region.block(block).is_empty() {
            return self.take_mask(state, block, mask, count);
        }
        self.choose_pages(state, block, whose);
        let zero = self.take_mask(state, block, mask, count);
        self.note_rest(state, block);
        zero
    }

    /// Takes the `count` free granules of `mask` and says whether all of them were clean.
    pub(crate) fn take_mask(&self, state: &mut State, block: u32, mask: u128, count: u32) -> bool {
        let info = self.region.block(block);
        let (free, dirty) = (info.free(), info.dirty());
        let were_dirty = common(dirty, mask, count);
        let before = self.dirty_near(info, mask, count);
        info.set_free(free & !mask);
        info.set_dirty(dirty | mask);
        let gone = before - self.dirty_near(info, mask, count);
        state.bins.update(&self.region, block);
        self.live.raise(count as usize);
        self.lower_dirty(state, gone);
        state.keep.note_reuse(&self.purge, count - were_dirty);
        self.slack.note_reuse(count);
        were_dirty == 0
    }

    /// Free granules that cost memory (heap-H1), at least those that depend on the `count` of `mask`.
    fn dirty_near(&self, info: &BlockInfo, mask: u128, count: u32) -> u32 {
        if self.granules_a_page() == 1 {
            return common(info.free() & info.dirty(), mask, count);
        }
        self.dirty_free(info).count_ones()
    }

    /// Free granules of a block cost memory from now on.
    pub(super) fn note_dirty(&self, state: &mut State, block: u32, granules: u32) {
        if granules != 0 {
            self.dirty.raise(granules as usize);
            state.dirty.enter(&self.region, block);
        }
    }

    pub(super) fn give_back(&self, state: &mut State, granule: usize, count: usize, dirty: bool) {
        self.live.lower(count);
        for (block, mask, count) in pieces(granule, count) {
            let info = self.region.block(block);
            let before = self.dirty_near(info, mask, count);
            info.set_free(info.free() | mask);
            // In a block with huge pages that is in use all of it is resident.
            if !dirty && (info.is_empty() || !self.lies_in_huge(info)) {
                info.set_dirty(info.dirty() & !mask);
            }
            let come = self.dirty_near(info, mask, count) - before;
            self.note_dirty(state, block, come);
            if info.is_empty() {
                info.emptied.store(self.now(), Ordering::Relaxed);
                self.note_emptied(state, block);
            }
            state.bins.update(&self.region, block);
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

pub(super) fn aligned_starts(align: u32) -> u128 {
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

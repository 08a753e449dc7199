//! Huge pages: which blocks of 2 MiB lie in them. Decided for each block when the first of it is handed out.
//!
//! ```text
//! a slab of small objects opens a block that costs nothing ─► huge pages: most of the slab will be touched
//! anything else opens it                                   ─► small pages: perhaps little of it ever is
//! free granules of a block in use go back                  ─► small pages, or the kernel would fill them again
//! ```
//!
//! - **huge-pages-HP1** in a block with huge pages lie slabs of small objects, whose pages are touched with their objects, and
//!   free granules, which count as dirty (heap-H1). So what a huge page makes resident is counted, bounded and given back as
//!   all free memory is. Three exceptions count their free granules too, and not what is untouched of what they hand out: the
//!   user has asked for huge pages (`hugepages=on`), the system makes them unasked, or huge-pages-HP2 forbids a change.
//! - **huge-pages-HP2** huge pages are asked for while neighbours with different advice are [`MOST_SEAMS`] at most, small ones up to
//!   [`MOST_SMALL_SEAMS`]: each pair is a mapping more in the kernel's list.
//! - **huge-pages-HP3** small objects take free memory of blocks with huge pages, then what is resident of blocks with small ones,
//!   then a wholly free block. What is left clean beside large blocks would cost them a fault a page: they take it only when a new
//!   block would not get huge pages, or there is none.
//!
//! Nothing is asked of the system to decide, so filters of system calls, limits and other threads make no difference.
//! Layer *page*, inside the page heap's lock. O(1); one system call for a block whose advice changes.
use base::check::ensure;
use base::sync::{AtomicBool, AtomicUsize, Ordering};
use base::{Broken, bits::low32};
use policy::table::{HUGE_FROM, MOST_SEAMS, MOST_SMALL_SEAMS};

use super::{PageHeap, State, Whose};
use crate::System;
use crate::block::{Advice, BlockInfo};
use crate::geometry::{GRANULE, GRANULES_PER_BLOCK};

/// So many neighbours of a block can differ from it.
const SEAMS_OF_A_BLOCK: u32 = 2;

#[derive(Debug)]
pub(crate) struct HugePages {
    /// From how many bytes of the heap on they are asked for; `usize::MAX`: never.
    from: AtomicUsize,
    /// Whether for everything, not only for small objects.
    for_all: AtomicBool,
    /// Whether the system makes none, and whether it makes them unasked, once that was read.
    pub(super) never: AtomicBool,
    pub(super) always: AtomicBool,
}

impl HugePages {
    pub(super) const fn new() -> Self {
        Self {
            from: AtomicUsize::new(HUGE_FROM),
            for_all: AtomicBool::new(false),
            never: AtomicBool::new(false),
            always: AtomicBool::new(false),
        }
    }

    /// Whether huge-pages-HP1 holds, but for huge-pages-HP2.
    fn are_for_small_objects(&self) -> bool {
        !self.for_all.load(Ordering::Relaxed) && !self.always.load(Ordering::Relaxed)
    }
}

impl<S: System> PageHeap<S> {
    /// From which size of the heap on huge pages are asked for, whatever they are for; `usize::MAX`: never.
    pub fn set_huge_from(&self, bytes: usize) {
        self.huge_pages.from.store(bytes, Ordering::Relaxed);
        self.huge_pages.for_all.store(bytes != usize::MAX, Ordering::Relaxed);
    }

    /// Whether huge pages are asked for, for everything.
    pub fn wants_huge_for_all(&self) -> bool {
        self.huge_pages.for_all.load(Ordering::Relaxed) && self.is_large_enough()
    }

    fn is_large_enough(&self) -> bool {
        let from = self.huge_pages.from.load(Ordering::Relaxed);
        self.committed_bytes() >= from && !self.huge_pages.never.load(Ordering::Relaxed)
    }

    /// Whether blocks with huge pages may serve.
    pub(super) fn may_lie_in_huge(&self, whose: Whose) -> bool {
        whose == Whose::SmallObjects || !self.huge_pages.are_for_small_objects()
    }

    /// Whether a block that `whose` opens gets huge pages. A memory limit has to have room for the whole of it (purge-G3).
    fn wants_huge(&self, whose: Whose) -> bool {
        let is_for =
            whose == Whose::SmallObjects || self.huge_pages.for_all.load(Ordering::Relaxed);
        is_for
            && self.is_large_enough()
            && self.dirty.load(Ordering::Relaxed) + GRANULES_PER_BLOCK <= self.room()
    }

    /// Whether a block that `whose` opens now would lie in huge pages, and be better than pages elsewhere that cost a fault each
    /// (huge-pages-HP3).
    pub(super) fn opens_huge(&self, state: &State, whose: Whose) -> bool {
        whose == Whose::SmallObjects
            && state.growth.seams + SEAMS_OF_A_BLOCK <= MOST_SEAMS
            && self.wants_huge(whose)
    }

    /// Whether what is touched of a block makes all of it resident.
    pub(super) fn lies_in_huge(&self, info: &BlockInfo) -> bool {
        match info.advice() {
            Advice::Huge => true,
            Advice::Small => false,
            Advice::None => self.huge_pages.always.load(Ordering::Relaxed),
        }
    }

    /// The first of a block is about to be handed out: decides of which pages it is (huge-pages-HP1).
    pub(super) fn choose_pages(&self, state: &mut State, block: u32, whose: Whose) {
        let info = self.region.block(block);
        let is_huge = info.is_huge();
        // What is resident in small pages stays as it is.
        let wants = self.wants_huge(whose) && (is_huge || info.dirty() == 0);
        if wants != is_huge {
            self.advise(state, block, if wants { Advice::Huge } else { Advice::Small });
        }
    }

    /// The first of a block was handed out: with huge pages the rest becomes resident with it.
    pub(super) fn note_rest(&self, state: &mut State, block: u32) {
        let info = self.region.block(block);
        if self.lies_in_huge(info) {
            let before = self.dirty_free(info).count_ones();
            info.set_dirty(info.dirty() | info.free());
            let come = self.dirty_free(info).count_ones() - before;
            self.note_dirty(state, block, come);
            // The system fills it again as a whole (purge-G1).
            state.keep.note_reuse(&self.purge, come);
        }
    }

    /// Parts of a block are about to go back.
    pub fn use_small_pages(&self, block: u32) {
        if self.lies_in_huge(self.region.block(block)) {
            self.split_huge_pages(&mut self.state.lock(), block);
        }
    }

    /// [`use_small_pages`](Self::use_small_pages) under the lock: no pages are moved meanwhile (moved-P3).
    pub(crate) fn split_huge_pages(&self, state: &mut State, block: u32) {
        if self.lies_in_huge(self.region.block(block)) {
            self.advise(state, block, Advice::Small);
        }
    }

    /// Says of which pages a block is to be, unless huge-pages-HP2 forbids it.
    fn advise(&self, state: &mut State, block: u32, advice: Advice) {
        let before = self.region.block(block).advice();
        self.note_advice(state, block, advice);
        let most = if advice == Advice::Huge { MOST_SEAMS } else { MOST_SMALL_SEAMS };
        if state.growth.seams > most {
            self.note_advice(state, block, before);
            return;
        }
        let len = usize::from(self.region.block(block).owned.load(Ordering::Relaxed)) * GRANULE;
        let at = self.region.address_of_block(block);
        // SAFETY: memory of ours; the kind of page changes no contents.
        unsafe { self.source.prefer_huge(at, len, advice == Advice::Huge) };
    }

    /// A block is of other pages than before, or its mapping is new.
    pub(crate) fn note_advice(&self, state: &mut State, block: u32, advice: Advice) {
        let before = self.seams_of(block);
        self.region.block(block).set_advice(advice);
        state.growth.seams = state.growth.seams + self.seams_of(block) - before;
        state.bins.update(&self.region, block);
    }

    /// Neighbours of a block that have other advice.
    fn seams_of(&self, block: u32) -> u32 {
        let advice = self.region.block(block).advice();
        // Behind the frontier nothing was said yet, and there may be no descriptors.
        let of = |other| {
            if other < self.frontier() { self.region.block(other).advice() } else { Advice::None }
        };
        let below = block > self.region.first_block() && of(block - 1) != advice;
        u32::from(below) + u32::from(of(block + 1) != advice)
    }

    /// huge-pages-HP2, under the lock.
    pub(super) fn check_seams(&self, state: &State) -> Result<(), Broken> {
        let advice = |block| self.region.block(block).advice();
        let blocks = self.region.first_block()..self.frontier();
        let behind = blocks.end.max(blocks.start + 1);
        let inner = (blocks.start + 1..behind).filter(|&block| advice(block - 1) != advice(block));
        let last = blocks.end > blocks.start && advice(blocks.end - 1) != Advice::None;
        let seams = low32(inner.count()) + u32::from(last);
        ensure(seams == state.growth.seams, "huge-pages-HP2: seams add up", seams as usize)
    }
}

#[cfg(test)]
mod tests;

//! Growth: which blocks are ours, and of which pages they are.
//!
//! ```text
//! [ maps │ block │ block │ … committed ░░ reserved ░░░░░░ ]
//!                                      ▲ frontier
//! ```
//!
//! Layer *page*, inside the page heap's lock. A system call for an eighth of the heap, or, where
//! addresses are limited, for each block (module `window`).
use base::bits::low8;
use base::sync::Ordering;
use policy::growth::{ahead, for_runs, may_split, nears_limits, next_look};
use policy::table::HUGE_FROM;

use super::{PageHeap, State};
use crate::System;
use crate::geometry::{BLOCK, GRANULE, GRANULES_PER_BLOCK};
use crate::region::Hold;

/// What the heap grows for. Runs leave the last of a reserved region to slabs, which can be nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A slab.
    Slab,
    /// A large block.
    Run,
}

/// How far the heap has grown.
#[derive(Debug)]
pub(crate) struct Growth {
    /// Below the frontier nobody finds a longer row of blocks that were given up.
    pub(crate) longest_hole: u32,
    /// Below this block none before the frontier was given up, or belongs to others.
    pub(crate) first_hole: u32,
    /// Rows of blocks before the frontier of a reserved region that were given up (L2).
    pub(super) rows: u32,
    /// Blocks taken out of huge pages.
    pub(crate) small_blocks: u32,
    /// How many pages were moved rather than copied (P2).
    pub(crate) moved: u32,
    /// From how many bytes on huge pages are asked for, or that is looked at again; `usize::MAX`: never.
    huge_from: usize,
    /// Whether they are asked for only where the program touches what it takes: nobody has said otherwise.
    looks: bool,
}

impl Growth {
    pub(super) const fn new() -> Self {
        Self {
            longest_hole: 0,
            first_hole: 0,
            rows: 0,
            small_blocks: 0,
            moved: 0,
            huge_from: HUGE_FROM,
            looks: true,
        }
    }

    /// From `block` on there may be one that is not ours.
    pub(crate) fn note_hole(&mut self, block: u32) {
        self.first_hole = self.first_hole.min(block);
    }
}

impl<S: System> PageHeap<S> {
    /// From which size of the heap on huge pages are asked for, whatever the program does; `usize::MAX`: never.
    pub fn set_huge_from(&self, bytes: usize) {
        let growth = &mut self.state.lock().growth;
        (growth.huge_from, growth.looks) = (bytes, false);
    }

    /// Whether the heap has grown enough for huge pages. That the system makes none may be read after they were asked for.
    pub fn wants_huge(&self) -> bool {
        self.huge_asked.load(Ordering::Relaxed) && !self.no_huge.load(Ordering::Relaxed)
    }

    /// The first block that is not there yet (H2).
    #[inline]
    pub(crate) fn frontier(&self) -> u32 {
        self.frontier.load(Ordering::Relaxed)
    }

    /// Bytes of committed blocks.
    pub fn committed_bytes(&self) -> usize {
        self.committed().len().saturating_sub(self.given_up()) * BLOCK
    }

    /// The blocks of H2. Some were given up, and in a window some belong to others.
    pub fn committed(&self) -> core::ops::Range<u32> {
        let first = self.region.first_block();
        first..self.frontier().max(first)
    }

    /// Commits at least `blocks` more blocks behind the frontier; a part of one where addresses
    /// are limited and one block is asked for. `None`: refused.
    pub(crate) fn grow(&self, state: &mut State, blocks: u32, whose: Whose) -> Option<()> {
        self.look_for_address_limit(state);
        self.before_growth(blocks);
        self.ask_for_huge(&mut state.growth);
        match self.region.hold() {
            Hold::Reserved => self.commit(state, blocks, whose),
            Hold::Window => {
                self.claim(state, blocks)?;
                if let Some(limit) = self.source.address_limit() {
                    self.region.claim_descriptors(&self.source, self.frontier(), limit);
                }
                Some(())
            }
        }
    }

    /// The heap grows by `blocks`: once it is large enough for the memory limit to matter, and while
    /// no other thread can notice, the limit is read.
    fn before_growth(&self, blocks: u32) {
        let bytes = self.committed_bytes() + blocks as usize * BLOCK;
        if !self.purge.has_looked() && nears_limits(bytes) && self.source.is_only_thread() {
            self.look_at_memory_limit();
        }
    }

    fn commit(&self, state: &mut State, blocks: u32, whose: Whose) -> Option<()> {
        let region = &self.region;
        let frontier = self.frontier();
        let end = match whose {
            Whose::Slab => region.blocks(),
            Whose::Run => for_runs(region.blocks()),
        };
        let left = end.saturating_sub(frontier);
        if blocks > left {
            return None;
        }
        let used = frontier - region.first_block();
        let ahead = ahead(blocks, used, left);
        for step in [ahead, blocks] {
            let end = (frontier + step) as usize * GRANULES_PER_BLOCK;
            let at = region.address_of_block(frontier);
            if region.cover(&self.source, end)
                // SAFETY: by H2 blocks behind the frontier are reserved.
                && unsafe { self.source.commit(at, step as usize * BLOCK) }
            {
                self.adopt(state, frontier, step);
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
    pub(crate) fn adopt(&self, state: &mut State, first: u32, count: u32) {
        for block in first..first + count {
            let info = self.region.block(block);
            info.owned.store(low8(GRANULES_PER_BLOCK), Ordering::Relaxed);
            info.set_free(u128::MAX);
            info.set_dirty(0);
            state.bins.update(&self.region, block);
        }
    }

    /// Once the heap is large enough: huge pages for all of it, with one call. Not only for what
    /// is to come, because a run across the seam would be two mappings, which cannot be moved as
    /// one.
    ///
    /// A program that touches little of what it takes would pay 2 MiB for each page: while that is so it is looked at
    /// again each time that the heap has grown by an eighth. Where the system makes huge pages unasked it pays that already.
    fn ask_for_huge(&self, growth: &mut Growth) {
        let bytes = self.committed_bytes();
        if self.huge_asked.load(Ordering::Relaxed)
            || bytes < growth.huge_from
            || self.no_huge.load(Ordering::Relaxed)
        {
            return;
        }
        let looks = growth.looks && !self.always_huge.load(Ordering::Relaxed);
        if looks && (self.would_waste() || !self.is_touched()) {
            growth.huge_from = next_look(bytes);
            return;
        }
        self.huge_asked.store(true, Ordering::Relaxed);
        if self.region.hold() == Hold::Reserved {
            let first = self.region.first_block();
            let at = self.region.address_of_block(first);
            let len = (self.region.blocks() - first) as usize * BLOCK;
            // SAFETY: a part of the region, which is ours.
            unsafe { self.source.prefer_huge(at, len, true) };
        }
    }

    /// Parts of a block are about to be purged: without this the kernel's huge-page collector
    /// would sooner or later fill them again. Undone when the block is empty.
    pub fn use_small_pages(&self, block: u32) {
        let small = self.region.block(block).small_pages.load(Ordering::Relaxed);
        if small == 0 && self.wants_huge() {
            self.split_huge_pages(&mut self.state.lock(), block);
        }
    }

    /// [`use_small_pages`](Self::use_small_pages) under the lock: no pages are moved meanwhile (P3).
    pub(crate) fn split_huge_pages(&self, state: &mut State, block: u32) {
        let info = self.region.block(block);
        let may = self.wants_huge() && may_split(state.growth.small_blocks);
        if !may || info.small_pages.swap(1, Ordering::Relaxed) != 0 {
            return;
        }
        state.growth.small_blocks += 1;
        self.prefer_huge(block, false);
    }

    /// An empty block takes part in huge pages again.
    pub(super) fn use_huge_pages(&self, state: &mut State, block: u32) {
        if self.region.block(block).small_pages.swap(0, Ordering::Relaxed) == 0 {
            return;
        }
        state.growth.small_blocks -= 1;
        self.prefer_huge(block, true);
    }

    /// Huge pages, or small ones, for the part of a block that is ours.
    fn prefer_huge(&self, block: u32, huge: bool) {
        let len = usize::from(self.region.block(block).owned.load(Ordering::Relaxed)) * GRANULE;
        // SAFETY: memory of ours; the kind of page changes no contents.
        unsafe { self.source.prefer_huge(self.region.address_of_block(block), len, huge) };
    }
}

//! Growth: which blocks are ours.
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
use policy::growth::{ahead, for_runs, nears_limits};

use super::{PageHeap, State};
use crate::System;
use crate::geometry::{BLOCK, GRANULES_PER_BLOCK};
use crate::region::Hold;

/// What the heap grows for. Runs leave the last of a reserved region to slabs, which can be nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A slab of objects up to two pages: with them most of its pages are touched.
    SmallObjects,
    /// A slab of larger objects.
    LargeObjects,
    /// A large block.
    Run,
}

#[derive(Debug)]
pub(crate) struct Growth {
    /// Below the frontier nobody finds a longer row of blocks that were given up.
    pub(crate) longest_hole: u32,
    /// Below this block none before the frontier was given up, or belongs to others.
    pub(crate) first_hole: u32,
    /// Rows of blocks before the frontier of a reserved region that were given up (charge-L2).
    pub(super) rows: u32,
    /// Neighbours whose pages were advised differently (huge-pages-HP2).
    pub(crate) seams: u32,
    /// How many pages were moved rather than copied (moved-P2).
    pub(crate) moved: u32,
}

impl Growth {
    pub(super) const fn new() -> Self {
        Self { longest_hole: 0, first_hole: 0, rows: 0, seams: 0, moved: 0 }
    }

    /// From `block` on there may be one that is not ours.
    pub(crate) fn note_hole(&mut self, block: u32) {
        self.first_hole = self.first_hole.min(block);
    }
}

impl<S: System> PageHeap<S> {
    /// The first block that is not there yet (heap-H2).
    #[inline]
    pub(crate) fn frontier(&self) -> u32 {
        self.frontier.load(Ordering::Relaxed)
    }

    /// Bytes of committed blocks.
    pub fn committed_bytes(&self) -> usize {
        self.committed().len().saturating_sub(self.given_up()) * BLOCK
    }

    /// The blocks of heap-H2. Some were given up, and in a window some belong to others.
    pub fn committed(&self) -> core::ops::Range<u32> {
        let first = self.region.first_block();
        first..self.frontier().max(first)
    }

    /// Commits at least `blocks` more blocks behind the frontier; a part of one where addresses
    /// are limited and one block is asked for. `None`: refused.
    pub(crate) fn grow(&self, state: &mut State, blocks: u32, whose: Whose) -> Option<()> {
        self.see_limit(state);
        self.before_growth(blocks);
        match self.region.hold() {
            Hold::Reserved => self.commit(state, blocks, whose),
            Hold::Window => self.grow_window(state, blocks),
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
            Whose::SmallObjects | Whose::LargeObjects => region.blocks(),
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
                // SAFETY: by heap-H2 blocks behind the frontier are reserved.
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
}

//! The page heap: runs of granules out of blocks, in three parts under one lock.
//!
//! ```text
//! runs     which granules are free: finds runs, hands them out, takes them back    runs.rs, span_runs.rs
//! growth   which blocks are ours, and of which pages: commits, claims, moves       growth.rs, window.rs, huge_pages.rs
//! keep     how much of what is free stays, and what goes back                      purge.rs
//! ```
//!
//! - **heap-H1** `live` granules are handed out; `dirty` counts the free granules that cost memory
//!   which can go back: where the system's page is larger than a granule, those of free pages.
//! - **heap-H2** blocks from `first_block` to `frontier` have been committed, or were given up, or, in a window,
//!   belong to others; those behind have not.
//! - **heap-H3** accounting: for each block, popcount(free) + handed-out granules = `owned`, which is 128
//!   but for the last block of a window that may have no more.
//!
//! Layer *page*; slabs and large blocks come from here. O(1) for runs up to a block
//! (bins), O(blocks) for longer ones. After Hunter et al., "Beyond malloc efficiency to fleet
//! efficiency", OSDI 2021 (fill the fullest block, keep whole blocks empty).
use base::bits::{align_up, low32};
use base::guarded::Guarded;
use base::live::{At, Number, Table};
use base::lock::Lock;
use base::sync::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use self::confined::Confined;
pub(crate) use self::growth::{Growth, Whose};
use self::huge_pages::HugePages;
pub(crate) use self::vectors::Runs;
use crate::System;
use crate::bins::Bins;
use crate::block::BlockInfo;
use crate::dirty_blocks::DirtyBlocks;
use crate::geometry::{BLOCK_SHIFT, GRANULE, GRANULE_SHIFT, GRANULES_PER_BLOCK};
use crate::purge::{Keep, Purge};
use crate::region::Region;
use crate::slack::Slack;
use policy::table::SMALL_OBJECT;

mod charge;
mod check;
mod confined;
mod growth;
mod huge_pages;
mod runs;
mod vectors;

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
    pub(crate) state: Guarded<S, State>,
    /// heap-H1, heap-H2: changed under the lock, read without.
    pub(crate) frontier: AtomicU32,
    /// Blocks before the frontier of a reserved region that were given up (charge-L1).
    given_up: AtomicU32,
    pub(crate) live: AtomicUsize,
    pub(crate) dirty: AtomicUsize,
    /// Granules of blocks that are mappings of their own, outside the region: a memory limit is for those too (purge-G3).
    pub(crate) mapped: AtomicUsize,
    /// What slabs hold beyond what the program does.
    pub slack: Slack,
    /// What has gone back, and whether more can.
    pub purge: Purge,
    pub(crate) huge_pages: HugePages,
    pub(crate) confined: Confined,
    /// Whether a limit on addresses was changed where nobody could look.
    pub(crate) limit_unseen: AtomicBool,
    /// Whether this is a child of `fork` (moved-P4).
    pub(crate) is_child: AtomicBool,
}

/// The three parts' own data, which the lock guards. The blocks' bits and links are in the region.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) bins: Bins,
    pub(crate) dirty: DirtyBlocks,
    pub(crate) growth: Growth,
    pub(crate) keep: Keep,
}

impl<S: System> PageHeap<S> {
    /// An empty heap; the region is made by the first request.
    pub const fn new(source: S) -> Self {
        let state = State {
            bins: Bins::new(),
            dirty: DirtyBlocks::new(),
            growth: Growth::new(),
            keep: Keep::new(),
        };
        Self {
            region: Region::new(),
            source,
            state: Guarded::new(state),
            frontier: AtomicU32::new(0),
            given_up: AtomicU32::new(0),
            live: AtomicUsize::new(0),
            dirty: AtomicUsize::new(0),
            mapped: AtomicUsize::new(0),
            slack: Slack::new(),
            purge: Purge::new(),
            huge_pages: HugePages::new(),
            confined: Confined::new(),
            limit_unseen: AtomicBool::new(false),
            is_child: AtomicBool::new(false),
        }
    }

    /// Where its counters and maps are, for who reads the process from outside.
    pub const fn show(&'static self, table: Table) -> Table {
        let table = self.purge.show(self.slack.show(self.region.show(BlockInfo::show(table))));
        table
            .at(At::Frontier, &self.frontier)
            .at(At::GivenUp, &self.given_up)
            .at(At::Live, &self.live)
            .at(At::Dirty, &self.dirty)
            .number(Number::GranuleShift, GRANULE_SHIFT as usize)
            .number(Number::BlockShift, BLOCK_SHIFT as usize)
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

    /// Free granules of a block that cost memory (heap-H1).
    pub(crate) fn dirty_free(&self, info: &BlockInfo) -> u128 {
        info.dirty_free(self.granules_a_page())
    }

    /// Whether nothing was ever asked of it.
    pub fn is_untouched(&self) -> bool {
        self.region.granules() == 0
    }

    /// Makes the first `len` bytes of the region's descriptors usable and says where they begin.
    /// `None`: out of memory.
    pub(crate) fn descriptors(&self, len: usize) -> Option<usize> {
        let mut state = self.state.lock();
        if !self.has_region(&mut state) {
            return None;
        }
        let grown = self.region.grow_descriptors(&self.source, len);
        if grown.is_none() && self.gives_up() && self.release_blocks(&mut state) {
            // What is short, empty blocks had some of.
            return self.region.grow_descriptors(&self.source, len);
        }
        grown
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        self.state.bare()
    }

    /// `count` granules at a multiple of `align` granules (a power of two up to 128).
    /// O(1) up to a block, else O(blocks). `None`: out of memory.
    pub fn allocate(&self, count: usize, align: usize) -> Option<Run> {
        debug_assert!(count > 0 && align.is_power_of_two() && align <= GRANULES_PER_BLOCK);
        let mut state = self.state.lock();
        if !self.has_region(&mut state) {
            return None;
        }
        if count.div_ceil(GRANULES_PER_BLOCK) > self.region.longest_run() {
            return None;
        }
        if count > GRANULES_PER_BLOCK {
            return self.allocate_blocks(&mut state, count);
        }
        let run = self.allocate_in_block(&mut state, low32(count), low32(align), Whose::Run)?;
        self.after_growth(&mut state);
        Some(run)
    }

    /// `count` granules for a slab of objects of `size` bytes: the first of them. `counted`: its slack is (slack-X1). As
    /// [`allocate`](Self::allocate).
    pub fn allocate_slab(&self, count: usize, size: usize, counted: bool) -> Option<usize> {
        debug_assert!(count > 0 && count <= GRANULES_PER_BLOCK);
        let mut state = self.state.lock();
        if !self.has_region(&mut state) {
            return None;
        }
        let whose = if size <= SMALL_OBJECT { Whose::SmallObjects } else { Whose::LargeObjects };
        let run = self.allocate_in_block(&mut state, low32(count), 1, whose)?;
        if counted {
            self.slack.note_slab(count);
        }
        self.after_growth(&mut state);
        self.region.granule_of(run.at)
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
        let ends = [(run.at, head), (at + count * GRANULE, wide - head - count)];
        for (end, count) in ends.into_iter().filter(|&(_, count)| count > 0) {
            // What nobody has touched costs nothing, and needs not go back.
            if run.zero { self.deallocate_zero(end, count) } else { self.deallocate(end, count) }
        }
        Some(Run { at, zero: run.zero })
    }

    /// Takes back `count` granules at `at`.
    pub fn deallocate(&self, at: usize, count: usize) {
        let mut state = self.state.lock();
        let Some(granule) = self.region.granule_of(at) else { return };
        self.give_back(&mut state, granule, count, true);
        self.after_free(&mut state, count);
    }

    /// Takes back `count` granules at each of `runs`, which were slabs, under one lock. `counted` as
    /// in [`allocate_slab`](Self::allocate_slab).
    pub fn deallocate_slabs(&self, count: usize, runs: &[usize], counted: bool) {
        let mut state = self.state.lock();
        for granule in runs.iter().filter_map(|&at| self.region.granule_of(at)) {
            self.give_back(&mut state, granule, count, true);
        }
        if counted {
            self.slack.note_slabs_end(runs.len() * count);
        }
        self.after_free(&mut state, runs.len() * count);
    }

    /// Takes back `count` granules at `at` that are known to be zero and cost nothing.
    pub fn deallocate_zero(&self, at: usize, count: usize) {
        let mut state = self.state.lock();
        let Some(granule) = self.region.granule_of(at) else { return };
        self.give_back(&mut state, granule, count, false);
    }

    /// Takes back `count` granules at `at` whose pages have been moved away.
    pub fn deallocate_moved(&self, at: usize, count: usize) {
        let mut state = self.state.lock();
        let Some(granule) = self.region.granule_of(at) else { return };
        self.give_back(&mut state, granule, count, false);
        self.after_free(&mut state, count);
    }

    /// Grows the run of `old` granules at `at` to `new` in place. `false`: what follows is taken.
    pub fn extend(&self, at: usize, old: usize, new: usize) -> bool {
        let Some(first) = self.region.granule_of(at) else { return false };
        self.extend_inside(&mut self.state.lock(), first, old, new)
    }

    /// Takes back the tail of the run of `old` granules at `at`, keeping `new`.
    pub fn truncate(&self, at: usize, old: usize, new: usize) {
        self.deallocate(at + new * GRANULE, old - new);
    }

    /// Whether there is a region, which is made now if it can be.
    #[inline]
    fn has_region(&self, _state: &mut State) -> bool {
        self.region.granules() != 0 || self.start()
    }

    /// Makes the region. Called until it succeeds.
    #[cold]
    fn start(&self) -> bool {
        if !self.region.init(&self.source) {
            return false;
        }
        self.frontier.store(self.region.first_block(), Ordering::Relaxed);
        true
    }
}

#[cfg(test)]
mod tests;

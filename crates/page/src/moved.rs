//! Pages moved from run to run by page tables, and how that leaves the mappings few.
//!
//! ```text
//! before   [ block              │ block               ]     one mapping
//! moved    [ block    ┌ moved ┐ │ block               ]     three: moved pages keep the offset they
//! fresh    [ block              │ block               ]     had, so the kernel joins them to none
//! ```
//!
//! - **moved-P1** a block's `moved` says how often pages were moved into it since it was fresh; at most
//!   twice as many mappings begin in it or where it ends.
//! - **moved-P2** the heap's `moved` is the sum over all blocks. Beyond [`MOST_MOVED`] contents are copied.
//! - **moved-P3** pages are moved only out of blocks that none were moved into and that are of one kind of
//!   page, so what is moved is one mapping, if the program itself has not split it.
//!   The lock is held until it is moved: nobody else splits it meanwhile.
//! - **moved-P4** nothing is moved in a window, whose blocks are mappings of different kinds, nor where
//!   addresses are limited and a move may be refused halfway, nor in a child that a process with
//!   threads forked: there the kernel joins no fresh mapping to one from before.
//!
//! So the region is never more than 2 × 512 + 2048 + 16 mappings, and where memory that is committed counts 2 × 4096 more
//! (charge-L2): those of moved-P2, seams between huge and small pages (huge-pages-HP2), the maps and descriptors, and what is
//! not usable yet. In a child of a process with one thread, around whose fork nothing of ours runs, each block made fresh may
//! be one more.
//!
//! Layer *page*. A move is O(blocks of the run), three system calls; a fresh block one or two.
use base::check::ensure;
use base::sync::Ordering;
use base::{Broken, bits::low32};
use policy::growth::{joins_at_once, may_move};
#[cfg(doc)]
use policy::table::MOST_MOVED;
use source::Move;

use crate::System;
use crate::block::Advice;
use crate::geometry::{BLOCK, BLOCK_SHIFT};
use crate::heap::{Growth, PageHeap, State};
use crate::region::Hold;

impl<S: System> PageHeap<S> {
    /// Moves `len` bytes of contents from a run or a mapping into a run of its region. Refused:
    /// they are to be copied. Lost: the target must stay taken for ever.
    /// # Safety
    /// Both are whole pages of live blocks, which nobody else uses meanwhile.
    pub unsafe fn move_pages(&self, from: usize, to: usize, len: usize) -> Move {
        let mut state = self.state.lock();
        if !self.may_leave(from, len) || !self.note_moved(&mut state.growth, to, len) {
            return Move::Refused;
        }
        // SAFETY: the caller's promise.
        unsafe { self.source.move_pages(from, to, len) }
    }

    /// Moves the contents of a run of the region into a mapping of the same length.
    /// # Safety
    /// As [`move_pages`](Self::move_pages).
    pub unsafe fn move_out(&self, from: usize, to: usize, len: usize) -> Move {
        let _inside = self.state.lock();
        if !self.may_leave(from, len) {
            return Move::Refused;
        }
        // SAFETY: the caller's promise.
        unsafe { self.source.move_pages(from, to, len) }
    }

    /// This process is a child of `fork`, and its parent had threads (moved-P4).
    pub fn note_child(&self) {
        self.is_child.store(true, Ordering::Relaxed);
    }

    fn joins(&self) -> bool {
        self.region.hold() == Hold::Reserved
            && !self.region.is_bare()
            && !self.is_child.load(Ordering::Relaxed)
    }

    /// The blocks that `len` bytes at `at` lie in; none outside the region.
    fn blocks_of(&self, at: usize, len: usize) -> core::ops::Range<u32> {
        if self.region.granule_of(at).is_none() {
            return 0..0;
        }
        let offset = at - self.region.base();
        low32(offset >> BLOCK_SHIFT)..low32((offset + len).div_ceil(BLOCK))
    }

    /// Whether the pages there are one mapping (moved-P3), under the lock.
    fn may_leave(&self, from: usize, len: usize) -> bool {
        let mut blocks = self.blocks_of(from, len);
        let advice = self.region.block(blocks.start).advice();
        let as_first = |block| {
            let info = self.region.block(block);
            info.moved.load(Ordering::Relaxed) == 0 && info.advice() == advice
        };
        self.joins() && blocks.all(as_first)
    }

    /// Counts a move into a run of the region, which may still fail: a kernel that refuses is
    /// not asked for ever. `false`: there were too many, or it is no run. Under the lock.
    fn note_moved(&self, growth: &mut Growth, to: usize, len: usize) -> bool {
        let blocks = self.blocks_of(to, len);
        let count = low32(blocks.len());
        let full = |block| self.region.block(block).moved.load(Ordering::Relaxed) == u8::MAX;
        if count == 0 || !may_move(growth.moved, count) || blocks.clone().any(full) {
            return false;
        }
        for block in blocks {
            self.region.block(block).moved.fetch_add(1, Ordering::Relaxed);
        }
        growth.moved += count;
        true
    }

    /// A block has become wholly free: purged and made fresh where moved pages are many.
    pub(crate) fn note_emptied(&self, state: &mut State, block: u32) {
        let moved = self.region.block(block).moved.load(Ordering::Relaxed);
        if moved != 0
            && self.joins()
            && joins_at_once(state.growth.moved)
            && let Some(attempt) = self.purge.attempt()
        {
            self.purge_block(state, block, &attempt);
        }
    }

    /// A wholly free block was purged: it becomes one mapping with its neighbours again.
    pub(crate) fn make_fresh(&self, state: &mut State, block: u32) {
        let info = self.region.block(block);
        let moved = info.moved.load(Ordering::Relaxed);
        if moved == 0 || !self.joins() {
            return;
        }
        let at = self.region.address_of_block(block);
        // SAFETY: a committed block of a reserved region, free and purged.
        if !unsafe { self.source.renew(at, BLOCK) } {
            return;
        }
        info.moved.store(0, Ordering::Relaxed);
        state.growth.moved -= u32::from(moved);
        self.note_advice(state, block, Advice::None);
    }

    /// moved-P2, under the lock.
    pub(crate) fn check_moved(&self, growth: &Growth) -> Result<(), Broken> {
        let blocks = self.region.first_block()..self.frontier();
        let moved = |block| u32::from(self.region.block(block).moved.load(Ordering::Relaxed));
        let sum = growth.moved;
        ensure(blocks.map(moved).sum::<u32>() == sum, "moved-P2: moves add up", sum as usize)
    }
}

#[cfg(test)]
mod tests;

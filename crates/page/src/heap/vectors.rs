//! Vectors: runs of free granules, of any blocks, and stretches of pages that go back by one system call.
//!
//! ```text
//! blocks  [ █ ░ █ █ ░ ░ │ █ █ ░ █ █ █ │ … ]      three runs ─► one process_madvise, or a madvise for each
//! ```
//!
//! Layer *page*, inside the page heap's lock; holes of slabs come to `purge_each` inside their shelf's. 0.3 µs a page where 64 stretches are one call, 2.3 one by one.
use base::bits::ones;
use source::Stretch;

use super::{PageHeap, State};
use crate::System;
use crate::geometry::{GRANULE, GRANULE_SHIFT};
use crate::refusals::Attempt;

/// The most runs at a time: a block has no more.
const MOST: usize = 64;

/// Runs of free granules that have been found and have not gone back yet.
#[derive(Debug)]
pub(crate) struct Runs {
    stretches: [Stretch; MOST],
    masks: [u128; MOST],
    blocks: [u32; MOST],
    count: usize,
    dirty: usize,
}

impl Runs {
    pub(crate) const fn new() -> Self {
        let stretches = [Stretch { at: 0, len: 0 }; MOST];
        Self { stretches, masks: [0; MOST], blocks: [0; MOST], count: 0, dirty: 0 }
    }

    /// Granules of them that cost memory (heap-H1).
    pub(crate) const fn dirty(&self) -> usize {
        self.dirty
    }
}

impl<S: System> PageHeap<S> {
    /// Adds the granules `bits` of a block, all of which are free. What no longer fits goes back before.
    pub(crate) fn add(
        &self,
        state: &mut State,
        runs: &mut Runs,
        block: u32,
        mut bits: u128,
        attempt: &Attempt<'_>,
    ) {
        let (start, info) = (self.region.address_of_block(block), self.region.block(block));
        while bits != 0 {
            if runs.count == MOST {
                self.purge_runs(state, runs, attempt);
            }
            let first = bits.trailing_zeros();
            let len = (bits >> first).trailing_ones();
            let mask = ones(first, len);
            let at = start + ((first as usize) << GRANULE_SHIFT);
            runs.stretches[runs.count] = Stretch { at, len: len as usize * GRANULE };
            runs.masks[runs.count] = mask;
            runs.blocks[runs.count] = block;
            runs.count += 1;
            runs.dirty += (mask & self.dirty_free(info)).count_ones() as usize;
            bits &= !mask;
        }
    }

    /// Gives the runs back; those that the system refuses stay dirty.
    pub(crate) fn purge_runs(&self, state: &mut State, runs: &mut Runs, attempt: &Attempt<'_>) {
        runs.dirty = 0;
        let count = core::mem::take(&mut runs.count);
        let gone = |index: usize| {
            let (block, mask) = (runs.blocks[index], runs.masks[index]);
            let info = self.region.block(block);
            let count = (mask & self.dirty_free(info)).count_ones();
            info.set_dirty(info.dirty() & !mask);
            self.lower_dirty(state, count);
            self.purge.note_given_back(count);
            state.bins.update(&self.region, block);
        };
        // SAFETY: free granules, whose contents nobody needs.
        unsafe { self.purge_each(&runs.stretches[..count], attempt, gone) };
    }

    /// Gives stretches of pages back, by one call where that may be made, and says of each that went back which it was.
    /// # Safety
    /// Nobody needs their contents.
    pub unsafe fn purge_each(
        &self,
        stretches: &[Stretch],
        attempt: &Attempt<'_>,
        mut gone: impl FnMut(usize),
    ) {
        let mut done = 0;
        if stretches.len() > 1 && !attempt.is_over() {
            // SAFETY: the caller's promise.
            let vector = || unsafe { self.source.purge_each(stretches) };
            done = self.confined.ask(vector).unwrap_or(0);
        }
        for (index, stretch) in stretches.iter().enumerate() {
            if index >= done && attempt.is_over() {
                return;
            }
            // SAFETY: the caller's promise.
            let taken = index < done || unsafe { self.source.purge(stretch.at, stretch.len) };
            if attempt.note(taken) {
                gone(index);
            }
        }
    }
}

//! Runs longer than a block: whole blocks in a row, and the head of one more.
//!
//! ```text
//! [ all 128 taken │ all 128 taken │ 37 taken, 91 free ]      300 − … granules
//! ```
//!
//! The free tail of the last block serves other runs. O(blocks) from the first empty
//! one on: such runs are megabytes long, and to fill one touches far more than the descriptors.
use base::bits::{low32, ones};

use crate::System;
use crate::geometry::GRANULES_PER_BLOCK;
use crate::heap::{PageHeap, Run, State, Whose};
use crate::region::Hold;

impl<S: System> PageHeap<S> {
    /// A run of more than 128 granules, at a block's start.
    pub(crate) fn allocate_blocks(&self, state: &mut State, count: usize) -> Option<Run> {
        let blocks = low32(count.div_ceil(GRANULES_PER_BLOCK));
        let first = match self.find_empty(state, blocks) {
            Some(first) => first,
            None => self.grow_for(state, blocks)?,
        };
        let mut zero = true;
        let mut left = count;
        for block in first..first + blocks {
            let here = low32(left.min(GRANULES_PER_BLOCK));
            zero &= self.hand_out(state, block, ones(0, here), here, Whose::Run);
            left -= here as usize;
        }
        self.after_growth(state);
        Some(Run { at: self.region.address_of_block(first), zero })
    }

    /// `blocks` empty blocks in a row: some that were given up, or what is missing at the frontier.
    fn grow_for(&self, state: &mut State, blocks: u32) -> Option<u32> {
        if self.claim_holes(state, blocks) {
            return self.find_empty(state, blocks);
        }
        let frontier = self.frontier();
        let mut have = 0;
        while have < blocks && frontier - have > self.region.first_block() {
            if self.region.block(frontier - have - 1).free() != u128::MAX {
                break;
            }
            have += 1;
        }
        self.grow(state, blocks - have, Whose::Run)?;
        if self.region.hold() == Hold::Reserved {
            return Some(frontier - have);
        }
        // A window may have skipped addresses, and so broken the row.
        self.find_empty(state, blocks).or_else(|| {
            self.grow(state, blocks, Whose::Run)?;
            self.find_empty(state, blocks)
        })
    }

    /// The first `blocks` empty blocks in a row. Looks only if there are as many, and from the
    /// first of them on: a heap that grows by long runs is not searched each time.
    fn find_empty(&self, state: &mut State, blocks: u32) -> Option<u32> {
        if state.bins.empty() < blocks {
            return None;
        }
        let from = state.bins.empty_from().max(self.region.first_block());
        let (mut row, mut seen) = (0, false);
        for block in from..self.frontier() {
            row = if self.region.block(block).free() == u128::MAX { row + 1 } else { 0 };
            if row == 1 && !seen {
                state.bins.no_empty_below(block);
                seen = true;
            }
            if row == blocks {
                return Some(block + 1 - blocks);
            }
        }
        None
    }
}

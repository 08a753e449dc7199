//! Charge: where the system counts what is committed, used or not, empty blocks of a reserved region are given up.
//!
//! ```text
//! [ block │ given up ░░░░░░░░░ │ block │ given up ░░ │ block │ given up ░░ ┊ reserved ░░░ ]
//!           one mapping, not counted     another row           sunk to here: behind the frontier
//! ```
//!
//! A process of which the kernel counts every page that could be written to (`vm.overcommit_memory` 2, `ulimit -d`) is refused
//! `fork` and mappings for what it has freed. So a block that goes back there is reserved again, as those behind the frontier
//! are, and is committed before anything of it is handed out: a refusal is one of growth.
//!
//! - **charge-L1** a block before the frontier that was given up has `owned` 0, as in a window; the heap counts them.
//! - **charge-L2** `rows` counts the rows of such blocks, which are [`MOST_ROWS`] at most: each is a mapping, and parts one in two.
//!
//! Layer *page*, inside the page heap's lock. Two system calls for each block that goes or comes.
use base::Broken;
use base::bits::low32;
use base::check::ensure;
use base::sync::{OneWriter as _, Ordering};
use policy::table::MOST_ROWS;
use source::Mapped;

use super::{Growth, PageHeap, State};
use crate::System;
use crate::geometry::BLOCK;
use crate::region::Hold;

impl<S: System> PageHeap<S> {
    /// Whether empty blocks are worth more to others than to us: their addresses, or the promise of memory behind them.
    pub(crate) fn gives_up(&self) -> bool {
        self.region.is_bare() || self.purge.charges()
    }

    pub(super) fn given_up(&self) -> usize {
        self.given_up.load(Ordering::Relaxed) as usize
    }

    pub(super) fn is_given_up(&self, block: u32) -> bool {
        self.region.hold() == Hold::Reserved
            && self.committed().contains(&block)
            && self.region.block(block).owned.load(Ordering::Relaxed) == 0
    }

    /// One more block, if one was given up.
    pub(super) fn claim_given_up(&self, state: &mut State) -> Option<()> {
        (self.given_up() > 0 && self.claim_holes(state, 1)).then_some(())
    }

    /// On how many sides of the blocks `first..end` lie such that were given up.
    fn given_up_beside(&self, first: u32, end: u32) -> u32 {
        u32::from(self.is_given_up(first - 1)) + u32::from(self.is_given_up(end))
    }

    /// An empty block of a reserved region becomes what it was behind the frontier.
    pub(crate) fn decommit_block(&self, growth: &mut Growth, block: u32) -> Mapped {
        let rows = growth.rows + 1 - self.given_up_beside(block, block + 1);
        if rows > MOST_ROWS {
            return Mapped::Refused;
        }
        let at = self.region.address_of_block(block);
        // SAFETY: a committed block without a live granule.
        let decommitted = unsafe { self.source.decommit(at, BLOCK) };
        if decommitted == Mapped::Done {
            growth.rows = rows;
            self.given_up.raise(1);
        }
        decommitted
    }

    /// Blocks that were given up are committed again, and not yet owned.
    pub(crate) fn note_taken_back(&self, growth: &mut Growth, first: u32, blocks: u32) {
        if self.region.hold() == Hold::Reserved {
            growth.rows = growth.rows + self.given_up_beside(first, first + blocks) - 1;
            self.given_up.lower(blocks);
        }
    }

    /// The frontier has sunk below `blocks` blocks (window-Z2): a whole row.
    pub(crate) fn note_sunk(&self, growth: &mut Growth, blocks: u32) {
        if self.region.hold() == Hold::Reserved && blocks > 0 {
            growth.rows -= 1;
            self.given_up.lower(blocks);
        }
    }

    /// A reserved region has become a window: what was given up is not even reserved any more.
    pub(crate) fn release_given_up(&self, growth: &mut Growth) {
        for block in self.committed() {
            if self.region.block(block).owned.load(Ordering::Relaxed) == 0 {
                // SAFETY: reserved, and in nobody's use. Where it is refused, nobody claims it.
                unsafe { self.source.release(self.region.address_of_block(block), BLOCK) };
            }
        }
        growth.rows = 0;
        self.given_up.store(0, Ordering::Relaxed);
    }

    /// The process is about to fork, which may be refused for what is free: then empty blocks are given up. `beside`: bytes in
    /// use outside the region. No other thread is inside for long; a signal handler may have interrupted this one.
    pub fn make_way_for_fork(&self, beside: usize) {
        let is_interrupted = self.state.bare().is_interrupted();
        if !is_interrupted
            && self.purge.may_refuse_fork(&self.source, self.committed_bytes() + beside)
        {
            self.release_empty();
        }
    }

    /// charge-L1, charge-L2, under the lock.
    pub(super) fn check_given_up(&self, growth: &Growth) -> Result<(), Broken> {
        let given_up = || self.committed().filter(|&block| self.is_given_up(block));
        let blocks = given_up().count();
        ensure(blocks == self.given_up(), "charge-L1: blocks that were given up add up", blocks)?;
        let rows = low32(given_up().filter(|&block| !self.is_given_up(block - 1)).count());
        ensure(rows == growth.rows, "charge-L2: rows of them add up", rows as usize)?;
        let below = given_up().any(|block| block < growth.first_hole);
        ensure(!below, "charge-L1: none lies below the first", growth.first_hole as usize)
    }
}

#[cfg(test)]
mod tests;

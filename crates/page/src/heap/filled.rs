//! Filled: whether large blocks were full when they were freed, and so which later ones get huge pages.
//!
//! ```text
//! a run takes all of an untouched block, small pages ─► freed: four pages are looked at
//!     all of them resident ─► the next blocks that runs take whole get huge pages, a few
//!     one of them not      ─► none does
//! ```
//!
//! - **filled-HP3** of the blocks that runs have taken whole, at most [`MOST_FILLED`] lie in huge pages without as many having been
//!   seen full by fours ([`EACH_FILLED`]). So what a program asks for and does not touch costs 24 MiB at most beyond that.
//!
//! A block with huge pages shows nothing, and one that was resident before shows nothing new: neither is looked at.
//!
//! Layer *page*, inside the page heap's lock. Four system calls for a block that is looked at, 1 µs where filling it took 100.
use base::sync::Ordering;
use policy::table::{EACH_FILLED, MOST_FILLED};

use super::{PageHeap, State};
use crate::System;
use crate::block::BlockInfo;

/// Pages of 4 KiB that are looked at: no step of a power of two meets more than one.
const SPOTS: [usize; 4] = [37, 149, 331, 511];

impl<S: System> PageHeap<S> {
    /// A run takes the whole of an empty block: whether with huge pages, which are granted once.
    pub(super) fn take_grant(&self, state: &mut State) -> bool {
        let granted = state.growth.granted;
        state.growth.granted = granted.saturating_sub(1);
        granted > 0
    }

    /// A run that had all of `block` is freed.
    pub(super) fn look_whether_filled(&self, state: &mut State, block: u32, info: &BlockInfo) {
        if !info.is_fresh.swap(false, Ordering::Relaxed) || !self.asks_whether_filled() {
            return;
        }
        let at = self.region.address_of_block(block);
        let is_resident =
            |spot| self.source.is_resident((at + (spot << 12)) & !(self.source.page_size() - 1));
        // `None`: it may not be asked, and nothing is known.
        match self.confined.ask(|| SPOTS.into_iter().all(is_resident)) {
            Some(true) => {
                state.growth.granted = (state.growth.granted + EACH_FILLED).min(MOST_FILLED);
            }
            Some(false) => state.growth.granted = 0,
            None => {}
        }
    }
}

#[cfg(test)]
mod tests;

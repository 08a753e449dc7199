//! Touched: whether the program uses what it takes, which huge pages need.
//!
//! ```text
//! taken     [ large block          │ slab │ slab ]      three of eight pages are resident: small pages stay
//! resident    ▓ ░ ░ ░ ░              ▓ ░     ▓
//! ```
//!
//! Until huge pages are asked for the kernel knows this page by page. What it is asked with, `mincore`, some filters
//! of system calls end the process for (module `confined`).
//!
//! Layer *page*, inside the page heap's lock. At most 16 system calls of some 3 µs.
use base::bits::low8;
use policy::growth::is_used;
use policy::table::MOST_LOOKED_AT;

use super::PageHeap;
use crate::System;
use crate::geometry::{BLOCK, GRANULE_SHIFT};

/// Pages of a block where they are smallest.
const MOST_PAGES: usize = BLOCK / 4096;

impl<S: System> PageHeap<S> {
    /// Whether the program touches what it takes, as far as blocks here and there say; `true` where nobody may ask.
    pub(super) fn is_touched(&self) -> bool {
        if !self.may_ask() {
            return true;
        }
        let blocks = self.committed();
        let step = blocks.len().div_ceil(MOST_LOOKED_AT).max(1);
        let (mut taken, mut resident) = (0, 0);
        for block in blocks.step_by(step) {
            let Some((all, some)) = self.pages_of(block) else { return true };
            taken += all;
            resident += some;
        }
        is_used(resident, taken)
    }

    /// Pages of a block that are handed out, and those of them that are resident. `None`: the system does not say.
    fn pages_of(&self, block: u32) -> Option<(usize, usize)> {
        let info = self.region.block(block);
        let taken = info.owned() & !info.free();
        if taken == 0 {
            return Some((0, 0));
        }
        let page = self.source.page_size();
        let mut pages = [0; MOST_PAGES];
        let pages = &mut pages[..(BLOCK / page).min(MOST_PAGES)];
        if !self.source.resident(self.region.address_of_block(block), pages) {
            return None;
        }
        let is_taken = |at: usize| taken >> low8((at * page) >> GRANULE_SHIFT) & 1 != 0;
        let each = pages.iter().enumerate().filter(|(at, _)| is_taken(*at));
        Some(each.fold((0, 0), |(all, some), (_, byte)| (all + 1, some + usize::from(byte & 1))))
    }
}

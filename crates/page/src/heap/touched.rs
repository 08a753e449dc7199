//! Touched: whether the program uses what it takes, and takes most of what there is, which huge pages need.
//!
//! ```text
//! block 0   taken     [ large block          │ slab │ slab ]
//!           resident    ▓ ░ ░ ░ ░              ▓ ░     ▓      3 of 8 pages
//! block 1   taken     [ large block                        ]
//!           resident    ░ ░ ░ ░ ░ ░ ░ ░ ░ ░ ░ ░ ░ ░ ░ ░      nothing yet: says nothing
//! ```
//!
//! Until huge pages are asked for the kernel knows this page by page. What it is asked with, `mincore`, some filters
//! of system calls end the process for (module `confined`).
//!
//! Layer *page*, inside the page heap's lock. At most 16 system calls of some 3 µs.
use base::bits::low8;
use policy::growth::{is_used, is_wasteful};
use policy::table::MOST_LOOKED_AT;

use super::PageHeap;
use crate::System;
use crate::geometry::{BLOCK, GRANULE, GRANULE_SHIFT};

/// Pages of a block where they are smallest.
const MOST_PAGES: usize = BLOCK / 4096;

impl<S: System> PageHeap<S> {
    /// Whether the program touches what it takes, as far as blocks here and there say; `true` where nobody may ask.
    ///
    /// A block of which nothing is resident was perhaps taken to be filled in a moment: where most are so, they are believed
    /// to be. Where nothing is taken at all nobody knows yet.
    pub(super) fn is_touched(&self) -> bool {
        let (mut taken, mut resident) = (0, 0);
        let (mut in_use, mut begun) = (0, 0);
        for block in self.here_and_there() {
            let Some((all, some)) = self.pages_of(block) else { return true };
            in_use += usize::from(all > 0);
            begun += usize::from(some > 0);
            taken += all;
            resident += some;
        }
        in_use > 0 && (!is_used(begun, in_use) || is_used(resident, taken))
    }

    /// Whether huge pages would make much resident that costs nothing now: ends of blocks behind large runs, which nobody takes.
    /// Asks the system nothing.
    pub(super) fn would_waste(&self) -> bool {
        let (mut clean, mut all) = (0, 0);
        let infos = self.here_and_there().map(|block| self.region.block(block));
        for info in infos.filter(|info| !info.is_empty()) {
            clean += info.free().count_ones() - self.dirty_free(info).count_ones();
            all += info.owned().count_ones();
        }
        is_wasteful(clean as usize, all as usize)
    }

    /// The blocks that are looked at.
    fn here_and_there(&self) -> impl Iterator<Item = u32> {
        let blocks = self.committed();
        let step = blocks.len().div_ceil(MOST_LOOKED_AT).max(1);
        blocks.step_by(step)
    }

    /// Pages of a block that are handed out, and those of them that are resident. `None`: the system does not say.
    fn pages_of(&self, block: u32) -> Option<(usize, usize)> {
        let info = self.region.block(block);
        let (owned, page) = (info.owned(), self.source.page_size());
        let taken = owned & !info.free();
        let count = (owned.count_ones() as usize * GRANULE / page).min(MOST_PAGES);
        if taken == 0 || count == 0 {
            return Some((0, 0));
        }
        let mut pages = [0; MOST_PAGES];
        let pages = &mut pages[..count];
        let at = self.region.address_of_block(block);
        if !self.confined.ask(|| self.source.resident(at, pages))? {
            return None;
        }
        let is_taken = |at: usize| taken >> low8((at * page) >> GRANULE_SHIFT) & 1 != 0;
        let each = pages.iter().enumerate().filter(|(at, _)| is_taken(*at));
        Some(each.fold((0, 0), |(all, some), (_, byte)| (all + 1, some + usize::from(byte & 1))))
    }
}

//! The free memory that a block keeps from going back: it lies on pages where the block does.
//!
//! ```text
//! a page   [ ours │ free │ free │ another's │ free ]     its free bytes are shared among the blocks on it, by their bytes
//! ```
//!
//! So the shares of all blocks of a heap are what is free on pages with a block: fragmentation, and nothing is counted twice.

use base::live::Number;

use crate::classes::Class;
use crate::snapshot::{Slab, Snapshot, Span};
use crate::table::Table;

/// A heap as a look saw it, to be asked about addresses.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    copy: &'a Snapshot,
    table: &'a Table,
    classes: &'a [Class],
    page: usize,
}

impl<'a> Beside<'a> {
    pub(crate) fn of(copy: &'a Snapshot, table: &'a Table, classes: &'a [Class]) -> Self {
        Self { copy, table, classes, page: rustix::param::page_size() }
    }

    /// The share of a block at an address, in bytes: 0, where the block has its pages to itself, or was freed meanwhile.
    pub fn share(&self, address: u64) -> u64 {
        let shift = self.table.number(Number::GranuleShift);
        let first = (self.copy.first_block * self.copy.granules_a_block) as u64;
        let granule = (address.wrapping_sub(self.copy.base) >> shift).wrapping_sub(first);
        if granule >= (self.copy.blocks * self.copy.granules_a_block) as u64 {
            return 0;
        }
        match self.copy.span(self.table, self.classes, granule as usize) {
            Span::Slab(slab) => {
                let start = self.copy.base + ((first + slab.granule as u64) << shift);
                self.in_slab(slab, address.wrapping_sub(start) as usize)
            }
            Span::None | Span::Run(_) | Span::Kept(_) | Span::Large(_) | Span::Torn => 0,
        }
    }

    /// The share of the object that is at an offset of a slab.
    fn in_slab(&self, slab: Slab<'_>, offset: usize) -> u64 {
        let class = self.classes[slab.class];
        let object = class.object_at(offset);
        if object >= class.objects || slab.free(class, object, object + 1) != 0 {
            return 0;
        }
        let (start, end) = (object * class.size, (object + 1) * class.size);
        let mut share = 0.0;
        for page in (start / self.page * self.page..end).step_by(self.page) {
            let last = (page + self.page).min(class.objects * class.size);
            let free = slab.free_bytes(class, page, last);
            let own = end.min(last) - start.max(page);
            share += own as f64 * free as f64 / (last - page - free).max(1) as f64;
        }
        share as u64
    }
}

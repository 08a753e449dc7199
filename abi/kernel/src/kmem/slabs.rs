//! The pages of one cache: those of all, and each known to be the cache's.

use core::ptr::NonNull;

use base::PageAllocator;

use super::Cache;
use crate::owners;
use crate::pages::{PAGE, Pages};

pub(super) struct Slabs {
    owner: *const Cache,
}

// SAFETY: the pointer is a name only.
unsafe impl Send for Slabs {}

impl Slabs {
    pub(super) const fn new(owner: *const Cache) -> Self {
        Self { owner }
    }
}

// SAFETY: what `Pages` hands out.
unsafe impl PageAllocator for Slabs {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let start = Pages.allocate_pages(pages, align)?;
        if owners::set(start.addr().get(), pages, self.owner) {
            return Some(start);
        }
        // SAFETY: just taken; nobody has seen it.
        unsafe { self.deallocate_pages(start, pages) };
        None
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        owners::clear(start.addr().get(), pages);
        // SAFETY: the caller's promise.
        unsafe { Pages.deallocate_pages(start, pages) };
    }
}

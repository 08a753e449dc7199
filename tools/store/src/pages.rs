//! Pages of the program's own allocator: each run is a block of it.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::alloc::{alloc, dealloc};

use base::PageAllocator;

const PAGE: usize = 4096;

/// Runs of 4 KiB pages from the program's allocator, without a limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProgramPages;

/// The block of a run at a multiple of `align` bytes.
fn layout(pages: usize) -> Option<Layout> {
    Layout::from_size_align(pages.checked_mul(PAGE)?, PAGE).ok()
}

// SAFETY: blocks of the global allocator, at multiples of a page.
unsafe impl PageAllocator for ProgramPages {
    fn page_size(&self) -> usize {
        PAGE
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        // No caller here asks for more; a larger one would be needed to give the block back.
        if pages == 0 || align > PAGE {
            return None;
        }
        // SAFETY: not of size 0.
        NonNull::new(unsafe { alloc(layout(pages)?) })
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        let Some(layout) = layout(pages) else { return };
        // SAFETY: allocated above by this layout; the caller's promise.
        unsafe { dealloc(start.as_ptr(), layout) };
    }
}

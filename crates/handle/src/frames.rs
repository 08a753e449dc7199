//! Pages of 4 KiB out of an allocator whose pages may have another size.

use core::ptr::NonNull;

use base::PageAllocator;

use crate::PAGE;

fn pages_of<P: PageAllocator>(pages: &P, count: usize) -> usize {
    (count * PAGE).div_ceil(pages.page_size())
}

pub(crate) fn take<P: PageAllocator>(pages: &mut P, count: usize) -> Option<NonNull<u8>> {
    pages.allocate_pages(pages_of(pages, count), PAGE)
}

/// Gives them back.
/// The caller promises: [`take`] returned `start` for this `count`, and nobody uses them any more.
pub(crate) unsafe fn give<P: PageAllocator>(pages: &mut P, start: NonNull<u8>, count: usize) {
    let count = pages_of(pages, count);
    // SAFETY: the caller's promise.
    unsafe { pages.deallocate_pages(start, count) };
}

//! `PageAllocator`: whole pages in a row, out of memory it was given.

use core::ptr::NonNull;

/// Whole pages, from `&mut self`: one owner, no lock.
/// # Safety
/// An implementer returns memory that is valid for `pages * page_size()` bytes, aligned as
/// asked, and not handed out again before it is given back.
pub unsafe trait PageAllocator {
    /// Bytes in a page, a power of two.
    fn page_size(&self) -> usize;

    /// `pages` pages at a multiple of `align` bytes, a power of two; what is below the page size
    /// counts as the page size. `None`: no run of free pages is long enough, or `pages` is 0.
    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>>;

    /// Gives pages back.
    /// # Safety
    /// `pages` pages were allocated here at `start`, are live, and are dead afterwards.
    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize);
}

/// Can allocate the pages at an address that the caller chooses.
pub trait AllocatePagesAt: PageAllocator {
    /// The `pages` pages at `start`, a page's first address. Whether they were free; if not,
    /// nothing has changed.
    fn allocate_pages_at(&mut self, start: *mut u8, pages: usize) -> bool;
}

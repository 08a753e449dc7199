//! A page allocator out of any of ours.
use core::ptr::{self, NonNull};

use base::{AddMemory, AllocatePagesAt, PageAllocator, Stats};

use super::{AllocError, AllocResult, v1, v2};

/// `P`, whose pages have `PAGE_SIZE` bytes, under the component OS's names.
#[derive(Debug, Default)]
pub struct Pages<P, const PAGE_SIZE: usize = 4096> {
    inner: P,
}

impl<P, const PAGE_SIZE: usize> Pages<P, PAGE_SIZE> {
    /// Around `inner`, which has no memory yet.
    pub const fn over(inner: P) -> Self {
        const { assert!(PAGE_SIZE.is_power_of_two(), "a page's size is a power of two") };
        Self { inner }
    }

    /// Whether pages can be asked for so.
    fn judge(num_pages: usize, align_pow2: usize) -> AllocResult {
        let fits = num_pages > 0 && align_pow2.is_power_of_two() && align_pow2 >= PAGE_SIZE;
        if fits { Ok(()) } else { Err(AllocError::InvalidParam) }
    }
}

impl<P: PageAllocator + AddMemory + Stats, const PAGE_SIZE: usize> v1::BaseAllocator
    for Pages<P, PAGE_SIZE>
{
    unsafe fn init(&mut self, start: usize, size: usize) -> AllocResult {
        if self.inner.page_size() != PAGE_SIZE || self.inner.stats().total != 0 {
            return Err(AllocError::InvalidParam);
        }
        // SAFETY: the caller's promise.
        unsafe { self.add_memory(start, size) }
    }

    unsafe fn add_memory(&mut self, start: usize, size: usize) -> AllocResult {
        let start = ptr::with_exposed_provenance_mut(start);
        // SAFETY: the caller's promise.
        unsafe { self.inner.add_memory(start, size) }.map_err(AllocError::from)
    }
}

impl<P: PageAllocator + AddMemory + Stats, const PAGE_SIZE: usize> v1::PageAllocator
    for Pages<P, PAGE_SIZE>
{
    const PAGE_SIZE: usize = PAGE_SIZE;

    fn alloc_pages(&mut self, num_pages: usize, align_pow2: usize) -> AllocResult<usize> {
        Self::judge(num_pages, align_pow2)?;
        let pages = self.inner.allocate_pages(num_pages, align_pow2);
        Ok(pages.ok_or(AllocError::NoMemory)?.as_ptr().expose_provenance())
    }

    unsafe fn dealloc_pages(&mut self, pos: usize, num_pages: usize) {
        let pages = ptr::with_exposed_provenance_mut(pos);
        // SAFETY: what was allocated is not null.
        let pages = unsafe { NonNull::new_unchecked(pages) };
        // SAFETY: the caller's promise.
        unsafe { self.inner.deallocate_pages(pages, num_pages) };
    }

    fn total_pages(&self) -> usize {
        self.inner.stats().total / PAGE_SIZE
    }

    fn used_pages(&self) -> usize {
        self.inner.stats().used / PAGE_SIZE
    }

    fn available_pages(&self) -> usize {
        let stats = self.inner.stats();
        (stats.total - stats.used) / PAGE_SIZE
    }
}

impl<P: AllocatePagesAt + AddMemory + Stats, const PAGE_SIZE: usize> v2::PageAllocator
    for Pages<P, PAGE_SIZE>
{
    fn alloc_pages_at(
        &mut self,
        base: usize,
        num_pages: usize,
        align_pow2: usize,
    ) -> AllocResult<usize> {
        Self::judge(num_pages, align_pow2)?;
        if !base.is_multiple_of(align_pow2) {
            return Err(AllocError::InvalidParam);
        }
        let start = ptr::with_exposed_provenance_mut(base);
        let taken = self.inner.allocate_pages_at(start, num_pages);
        taken.then_some(base).ok_or(AllocError::NoMemory)
    }
}

#[cfg(test)]
mod tests;

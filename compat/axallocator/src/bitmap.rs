//! Pages.

use base::{AddMemory, AllocatePagesAt, PageAllocator as _, Stats};
use core::ptr::NonNull;

use crate::{AllocError, AllocResult, BaseAllocator, PageAllocator};

/// Pages of `PAGE_SIZE` bytes, by a bit for each.
#[derive(Debug)]
pub struct BitmapPageAllocator<const PAGE_SIZE: usize> {
    inner: kernel::bitmap::BitmapPages<PAGE_SIZE>,
}

impl<const PAGE_SIZE: usize> BitmapPageAllocator<PAGE_SIZE> {
    /// Without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: kernel::bitmap::BitmapPages::new() }
    }

    /// Whether pages can be asked for so.
    fn judge(num_pages: usize, align_pow2: usize) -> AllocResult {
        let fits = num_pages > 0 && align_pow2.is_power_of_two() && align_pow2 >= PAGE_SIZE;
        if fits { Ok(()) } else { Err(AllocError::InvalidParam) }
    }
}

impl<const PAGE_SIZE: usize> Default for BitmapPageAllocator<PAGE_SIZE> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const PAGE_SIZE: usize> BaseAllocator for BitmapPageAllocator<PAGE_SIZE> {
    fn init(&mut self, start: usize, size: usize) {
        // The interface has no way to say no; what comes after fails instead.
        let _ = self.add_memory(start, size);
    }

    fn add_memory(&mut self, start: usize, size: usize) -> AllocResult {
        let start = core::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the interface's promise.
        unsafe { self.inner.add_memory(start, size) }?;
        Ok(())
    }
}

impl<const PAGE_SIZE: usize> PageAllocator for BitmapPageAllocator<PAGE_SIZE> {
    const PAGE_SIZE: usize = PAGE_SIZE;

    fn alloc_pages(&mut self, num_pages: usize, align_pow2: usize) -> AllocResult<usize> {
        Self::judge(num_pages, align_pow2)?;
        let pages = self.inner.allocate_pages(num_pages, align_pow2);
        Ok(pages.ok_or(AllocError::NoMemory)?.as_ptr().expose_provenance())
    }

    fn dealloc_pages(&mut self, pos: usize, num_pages: usize) {
        let Some(pages) = NonNull::new(core::ptr::with_exposed_provenance_mut(pos)) else { return };
        // SAFETY: the interface's promise: allocated here, and given up.
        unsafe { self.inner.deallocate_pages(pages, num_pages) };
    }

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
        let start = core::ptr::with_exposed_provenance_mut(base);
        let taken = self.inner.allocate_pages_at(start, num_pages);
        taken.then_some(base).ok_or(AllocError::NoMemory)
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

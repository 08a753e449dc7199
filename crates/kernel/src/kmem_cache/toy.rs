//! Pages for tests: they can refuse the n-th call, and count.
use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bitmap::BitmapPages;
use base::{AddMemory, PageAllocator};

/// Pages of 4 KiB out of memory of its own.
#[derive(Debug)]
pub(crate) struct Pages {
    inner: BitmapPages<4096>,
    memory: (*mut u8, Layout),
    taken: usize,
    /// How many calls are granted before some are refused, and how many are.
    refuse: (usize, usize),
    most: usize,
}

// SAFETY: the memory is its own.
unsafe impl Send for Pages {}

impl Pages {
    /// At least this many pages, at a multiple of 2 MiB, so that alignments and the map's leaves fall the same way in every run.
    pub(crate) fn new(count: usize) -> Self {
        let layout = Layout::from_size_align((count + 16) * 4096, 2 << 20).unwrap();
        // SAFETY: the layout is not empty.
        let memory = unsafe { std::alloc::alloc(layout) };
        let mut inner = BitmapPages::new();
        // SAFETY: the memory is the allocator's alone and outlives it.
        unsafe { inner.add_memory(memory, layout.size()) }.unwrap();
        Self { inner, memory: (memory, layout), taken: 0, refuse: (0, 0), most: usize::MAX }
    }

    /// The `n`-th call from now on is refused.
    pub(crate) fn refuse(&mut self, n: usize) {
        self.refuse_some(n, 1);
    }

    /// From the `n`-th call on, `count` are refused.
    pub(crate) fn refuse_some(&mut self, n: usize, count: usize) {
        self.refuse = (n - 1, count);
    }

    /// Runs longer than this are refused.
    pub(crate) fn at_most(&mut self, pages: usize) {
        self.most = pages;
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken
    }
}

// SAFETY: the inner one's pages.
unsafe impl PageAllocator for Pages {
    fn page_size(&self) -> usize {
        4096
    }

    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let (granted, refused) = &mut self.refuse;
        let is_refused = *granted == 0 && *refused > 0;
        *refused -= usize::from(is_refused);
        *granted = granted.saturating_sub(1);
        if is_refused || pages > self.most {
            return None;
        }
        let start = self.inner.allocate_pages(pages, align)?;
        // SAFETY: pages that were just allocated. What was there before must not matter.
        unsafe { start.write_bytes(0xd5, pages * 4096) };
        self.taken += pages;
        Some(start)
    }

    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        self.taken -= pages;
        // SAFETY: the caller's promise.
        unsafe { self.inner.deallocate_pages(start, pages) };
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout.
        unsafe { std::alloc::dealloc(self.memory.0, self.memory.1) };
    }
}

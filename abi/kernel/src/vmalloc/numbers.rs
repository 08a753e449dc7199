//! The numbers of the frames that `vmap` was given, in pages of their own.
use core::ptr::NonNull;

use base::PageAllocator;

use crate::pages::{PAGE, Pages};

pub(super) struct Numbers {
    start: NonNull<u32>,
    count: usize,
}

impl Numbers {
    const fn pages(count: usize) -> usize {
        (count * size_of::<u32>()).div_ceil(PAGE)
    }

    /// Room for as many. `None`: no memory, or `count` is 0.
    pub(super) fn new(count: usize) -> Option<Self> {
        let start = Pages.allocate_pages(Self::pages(count), PAGE)?.cast();
        Some(Self { start, count })
    }

    pub(super) fn set(&mut self, index: usize, number: u32) {
        debug_assert!(index < self.count, "room was made for each");
        // SAFETY: within the pages.
        let place = unsafe { self.start.add(index) };
        // SAFETY: as above.
        unsafe { place.write(number) };
    }

    pub(super) fn all(&self) -> &[u32] {
        // SAFETY: every one was written.
        unsafe { NonNull::slice_from_raw_parts(self.start, self.count).as_ref() }
    }
}

impl Drop for Numbers {
    fn drop(&mut self) {
        // SAFETY: taken in `new`.
        unsafe { Pages.deallocate_pages(self.start.cast(), Self::pages(self.count)) };
    }
}

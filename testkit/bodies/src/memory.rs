//! `Memory`: where the blocks of a body come from.

use alloc::alloc::{alloc, alloc_zeroed, dealloc, realloc};
use core::alloc::Layout;
use core::hint::black_box;

/// An allocator. Sizes are not 0; null is a refusal.
/// # Safety
/// What an implementer hands out is valid for the layout until it is freed.
pub unsafe trait Memory {
    fn allocate(&self, layout: Layout) -> *mut u8;

    fn allocate_zeroed(&self, layout: Layout) -> *mut u8;

    /// A block of `size` bytes with what the old one held; null: the old one is still there.
    /// # Safety
    /// `block` is live and has this layout.
    unsafe fn resize(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8;

    /// Takes a block back.
    /// # Safety
    /// As for [`resize`](Self::resize).
    unsafe fn free(&self, block: *mut u8, layout: Layout);
}

/// Rust's global allocator, hidden, so that no pair of calls is optimised away.
#[derive(Debug, Clone, Copy)]
pub struct Global;

// SAFETY: passed on to an allocator that promises the same.
unsafe impl Memory for Global {
    fn allocate(&self, layout: Layout) -> *mut u8 {
        // SAFETY: no size here is 0.
        black_box(unsafe { alloc(layout) })
    }

    fn allocate_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        black_box(unsafe { alloc_zeroed(layout) })
    }

    unsafe fn resize(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        black_box(unsafe { realloc(block, layout, size) })
    }

    unsafe fn free(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { dealloc(block, layout) };
    }
}

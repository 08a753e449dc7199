//! rlsf.

use super::{Subject, address};
use core::alloc::Layout;
use core::ptr::NonNull;

/// In the geometry of its published figures.
pub(crate) type Chosen = rlsf::Tlsf<'static, u16, u16, 16, 16>;

impl Subject for Chosen {
    const NEW: Self = Chosen::new();

    #[inline(always)]
    unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
        let Some(start) = NonNull::new(start) else { return false };
        let memory = NonNull::slice_from_raw_parts(start, len);
        // SAFETY: the caller's gift.
        unsafe { self.insert_free_block_ptr(memory) }.is_some()
    }

    #[inline(always)]
    fn alloc(&mut self, layout: Layout) -> *mut u8 {
        address(self.allocate(layout))
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.deallocate(block, layout.align()) }
    }

    #[inline(always)]
    unsafe fn realloc(&mut self, block: NonNull<u8>, layout: Layout, new: usize) -> *mut u8 {
        // SAFETY: the caller passes a size that makes a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(new, layout.align()) };
        // SAFETY: the caller's promise.
        address(unsafe { self.reallocate(block, wanted) })
    }
}

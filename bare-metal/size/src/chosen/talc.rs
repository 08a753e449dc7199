//! talc.

use super::{Subject, address};
use core::alloc::Layout;
use core::ptr::NonNull;

/// Given its memory by hand.
pub(crate) type Chosen = talc::base::Talc<talc::source::Manual, talc::DefaultBinning>;

impl Subject for Chosen {
    const NEW: Self = Chosen::new(talc::source::Manual);

    #[inline(always)]
    unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's gift.
        unsafe { self.claim(start, len) }.is_some()
    }

    #[inline(always)]
    fn alloc(&mut self, layout: Layout) -> *mut u8 {
        // SAFETY: firmware asks for at least a byte.
        address(unsafe { self.allocate(layout) })
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.deallocate(block.as_ptr(), layout) }
    }

    #[inline(always)]
    unsafe fn realloc(&mut self, block: NonNull<u8>, layout: Layout, new: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        if unsafe { self.try_realloc_in_place(block.as_ptr(), layout, new) } {
            return block.as_ptr();
        }
        // SAFETY: the caller passes a size that makes a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(new, layout.align()) };
        let Some(to) = NonNull::new(self.alloc(wanted)) else { return core::ptr::null_mut() };
        // SAFETY: both are live, the new one is the larger, and they are apart.
        unsafe { to.copy_from_nonoverlapping(block, layout.size()) };
        // SAFETY: the caller gives it up.
        unsafe { self.free(block, layout) };
        to.as_ptr()
    }
}

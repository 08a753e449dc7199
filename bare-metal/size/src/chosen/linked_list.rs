//! `linked_list_allocator`.

use super::{Subject, address};
use core::alloc::Layout;
use core::ptr::NonNull;

/// First fit over a list in address order.
pub(crate) type Chosen = linked_list_allocator::Heap;

impl Subject for Chosen {
    const NEW: Self = Chosen::empty();

    #[inline(always)]
    unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's gift.
        unsafe { linked_list_allocator::Heap::init(self, start, len) };
        true
    }

    #[inline(always)]
    fn alloc(&mut self, layout: Layout) -> *mut u8 {
        address(self.allocate_first_fit(layout).ok())
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.deallocate(block, layout) }
    }
}

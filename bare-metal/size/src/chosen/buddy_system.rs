//! `buddy_system_allocator`.

use super::{Subject, address};
use core::alloc::Layout;
use core::ptr::NonNull;

/// Up to 16 MiB.
pub(crate) type Chosen = buddy_system_allocator::Heap<24>;

impl Subject for Chosen {
    const NEW: Self = Chosen::new();

    #[inline(always)]
    unsafe fn init(&mut self, start: *mut u8, len: usize) -> bool {
        // SAFETY: the caller's gift.
        unsafe { buddy_system_allocator::Heap::init(self, start.addr(), len) };
        true
    }

    #[inline(always)]
    fn alloc(&mut self, layout: Layout) -> *mut u8 {
        address(buddy_system_allocator::Heap::alloc(self, layout).ok())
    }

    #[inline(always)]
    unsafe fn free(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.dealloc(block, layout) }
    }
}

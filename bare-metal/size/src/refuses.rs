//! talc links the alloc crate, which wants a global allocator; nobody asks it for anything.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::null_mut;

struct Refuses;

// SAFETY: gives nothing out.
unsafe impl GlobalAlloc for Refuses {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static NONE: Refuses = Refuses;

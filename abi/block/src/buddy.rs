//! `heapwright/buddy.h`: the buddy system. Who frees says the size again, as no block has a header.
//!
//! ```text
//! memory                                                      memory + bytes
//!   │ pad │ handle │ record │ state │ pad │ unit │ unit │ … │ pad │
//!                  └ first pool
//! ```

use core::alloc::Layout;
use core::ptr::{self, NonNull};

use base::{AddMemory, BlockAllocator, Owns, RemoveMemory, Reset};
use block::buddy::Buddy;

use crate::call::{self, pointer};
use crate::common::{self, with_it};

common::pooled! {
    Buddy, with_it;
    heapwright_buddy_add_pool heapwright_buddy_remove_pool heapwright_buddy_get_pool heapwright_buddy_size
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_create(memory: *mut u8, bytes: usize) -> *mut Handle {
    // SAFETY: the caller's gift.
    unsafe { create(memory, bytes, Some(Buddy::new())) }
}

common::allocating! {
    Handle, open, with_it; heapwright_buddy_malloc heapwright_buddy_calloc heapwright_buddy_memalign
}
common::placed! { Handle, open, with_it; heapwright_buddy_reset heapwright_buddy_owns }
common::looking! {
    Handle, open, with_it, 0; heapwright_buddy_stats heapwright_buddy_check heapwright_buddy_walk
}

/// The layout that a live block was allocated with.
/// The caller promises: one was.
#[inline]
unsafe fn layout_of(alignment: usize, size: usize) -> Layout {
    // SAFETY: the caller's promise.
    unsafe { Layout::from_size_align_unchecked(size, alignment) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_realloc(
    heap: *mut Handle,
    block: *mut u8,
    alignment: usize,
    old_size: usize,
    size: usize,
) -> *mut u8 {
    let Some(block) = NonNull::new(block) else {
        // SAFETY: the caller's promise.
        return unsafe { heapwright_buddy_memalign(heap, alignment, size) };
    };
    if size == 0 {
        // SAFETY: as above.
        unsafe { heapwright_buddy_free_aligned(heap, block.as_ptr(), alignment, old_size) };
        return ptr::null_mut();
    }
    // SAFETY: what the header asks of the caller.
    let Some(heap) = (unsafe { open(heap) }) else { return ptr::null_mut() };
    if call::layout(alignment, size).is_none() {
        return call::memalign(heap, alignment, size);
    }
    // SAFETY: as above.
    let old = unsafe { layout_of(alignment, old_size) };
    // SAFETY: as above, and the new size makes a layout.
    pointer(unsafe { heap.reallocate(block, old, size) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_free(heap: *mut Handle, block: *mut u8, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { heapwright_buddy_free_aligned(heap, block, 1, size) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_free_aligned(
    heap: *mut Handle,
    block: *mut u8,
    alignment: usize,
    size: usize,
) {
    let Some(block) = NonNull::new(block) else { return };
    // SAFETY: what the header asks of the caller.
    if let Some(heap) = unsafe { open(heap) } {
        // SAFETY: as above.
        let layout = unsafe { layout_of(alignment, size) };
        // SAFETY: the block is live, and dead afterwards.
        unsafe { heap.deallocate(block, layout) }
    }
}

#[unsafe(no_mangle)]
extern "C" fn heapwright_buddy_block_size(alignment: usize, size: usize) -> usize {
    match call::layout(alignment, size) {
        Some(_) => (2 * size_of::<usize>()) << Buddy::order_of(size.max(alignment)),
        None => 0,
    }
}

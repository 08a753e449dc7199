//! `heapwright/buddy.h`: the buddy system. Who frees says the size again, as no block has a header.
//!
//! ```text
//! memory                                                      memory + bytes
//!   │ pad │ handle │ record │ state │ pad │ unit │ unit │ … │ pad │
//!                  └ first pool
//! ```

use core::alloc::Layout;
use core::ffi::c_int;
use core::ptr::{self, NonNull};

use base::{AddMemory, BlockAllocator, Owns, RemoveMemory, Reset};
use block::buddy::Buddy;

use crate::call::{self, pointer};
use crate::common::{self, with_it};
use crate::error;

/// What `heapwright_buddy *` points to.
struct Handle {
    heap: Buddy,
    /// The first pool begins behind it.
    end: *mut u8,
}

/// The heap, if there is one.
/// The caller promises: `heap` is null or was made by `heapwright_buddy_create`, and nobody else uses it.
#[inline(always)]
unsafe fn open<'a>(heap: *mut Handle) -> Option<&'a mut Buddy> {
    // SAFETY: the caller's promise.
    Some(&mut unsafe { heap.as_mut() }?.heap)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_create(memory: *mut u8, bytes: usize) -> *mut Handle {
    let at = call::records_at::<Handle>(memory, bytes, align_of::<Handle>());
    let Some((at, left)) = at else { return ptr::null_mut() };
    // SAFETY: `left` is enough for the handle.
    let pool = unsafe { at.add(1) }.cast::<u8>().as_ptr();
    // SAFETY: the caller's gift, aligned.
    unsafe { at.write(Handle { heap: Buddy::new(), end: pool }) };
    // SAFETY: just written.
    let handle = unsafe { &mut *at.as_ptr() };
    // SAFETY: the caller's gift.
    match unsafe { handle.heap.add_memory(pool, left - size_of::<Handle>()) } {
        Ok(()) => at.as_ptr(),
        Err(_) => ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_add_pool(
    heap: *mut Handle,
    memory: *mut u8,
    bytes: usize,
) -> c_int {
    let own = heap.cast_const().cast();
    // SAFETY: what the header asks of the caller.
    let Some(heap) = (unsafe { open(heap) }) else { return error::NULL };
    let allowed = call::addable(memory, bytes, own, size_of::<Handle>());
    // SAFETY: the caller gives the memory.
    error::added(allowed.and_then(|()| unsafe { heap.add_memory(memory, bytes) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_remove_pool(heap: *mut Handle, pool: *mut u8) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(heap) = (unsafe { open(heap) }) else { return error::NULL };
    error::removed(heap.remove_memory(pool))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_buddy_get_pool(heap: *const Handle) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    unsafe { heap.as_ref() }.map_or(ptr::null_mut(), |handle| handle.end)
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

#[unsafe(no_mangle)]
extern "C" fn heapwright_buddy_size() -> usize {
    size_of::<Handle>()
}

//! C's calls over the OS's allocator: each block has its size in front of it, as in the OS's own library for C.
//!
//! ```text
//! │ size │ – │ C's block …        16 bytes, since the allocator wants the layout back
//! ```

extern crate alloc;

use alloc::alloc::{alloc, dealloc, realloc as resize};
use core::alloc::Layout;
use core::ptr;

const HEADER: usize = 16;

unsafe extern "C" {
    fn memtest() -> i32;
}

/// The test in C: what went wrong, 0 if nothing.
pub(crate) fn run() -> i32 {
    // SAFETY: it takes any state of the heap.
    unsafe { memtest() }
}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

/// C's block in a block that was allocated for `size`, or null.
fn payload(whole: *mut u8, size: usize) -> *mut u8 {
    if whole.is_null() {
        return whole;
    }
    // SAFETY: the header is the block's.
    unsafe { whole.cast::<usize>().write(size) };
    // SAFETY: as above.
    unsafe { whole.add(HEADER) }
}

/// The block in front of C's, and its layout.
/// The caller promises: `block` is live.
unsafe fn whole(block: *mut u8) -> (*mut u8, Option<Layout>) {
    // SAFETY: a header stands in front of it.
    let whole = unsafe { block.sub(HEADER) };
    // SAFETY: as above.
    let size = unsafe { whole.cast::<usize>().read() };
    (whole, layout(size))
}

#[unsafe(no_mangle)]
extern "C" fn malloc(size: usize) -> *mut u8 {
    // SAFETY: the size is not 0.
    layout(size).map_or(ptr::null_mut(), |layout| payload(unsafe { alloc(layout) }, size))
}

#[unsafe(no_mangle)]
extern "C" fn calloc(count: usize, each: usize) -> *mut u8 {
    let Some(size) = count.checked_mul(each) else { return ptr::null_mut() };
    let block = malloc(size);
    if !block.is_null() {
        // SAFETY: `size` bytes that are ours.
        unsafe { block.write_bytes(0, size) };
    }
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        return malloc(size);
    }
    // SAFETY: the caller's block.
    let (whole, old) = unsafe { whole(block) };
    match (old, layout(size)) {
        (Some(old), Some(new)) => {
            // SAFETY: live, of this layout, and the new size makes one.
            payload(unsafe { resize(whole, old, new.size()) }, size)
        }
        _ => ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut u8) {
    if block.is_null() {
        return;
    }
    // SAFETY: the caller's block.
    if let (whole, Some(layout)) = unsafe { whole(block) } {
        // SAFETY: the caller gives it up.
        unsafe { dealloc(whole, layout) };
    }
}

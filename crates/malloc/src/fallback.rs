//! What every malloc does where it has nothing better: `realloc` by copying, `calloc` by writing zeroes.
use core::ptr;

use base::Malloc;

/// A block of `size` bytes with the old one's contents; the old one, if it is large enough and there is no other. Null: out of
/// memory, and the old one stays.
///
/// # Safety
///
/// `ptr` is a live block of `held` bytes; unless null or itself is returned, it is dead.
pub(crate) unsafe fn realloc_by_copy<M: Malloc>(
    malloc: &M,
    ptr: *mut u8,
    held: usize,
    size: usize,
) -> *mut u8 {
    let new = malloc.malloc(size);
    if new.is_null() {
        return if size <= held { ptr } else { new };
    }
    // SAFETY: both are live, of at least the lesser size, and apart.
    unsafe { new.copy_from_nonoverlapping(ptr, held.min(size)) };
    // SAFETY: the caller gives it up.
    unsafe { malloc.free(ptr) };
    new
}

/// `count` times `size` bytes of zeroes; `allocate` says whether its block is. Null: out of memory, or too much.
pub(crate) fn calloc(
    count: usize,
    size: usize,
    allocate: impl FnOnce(usize) -> (*mut u8, bool),
) -> *mut u8 {
    let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
    let (block, zero) = allocate(size);
    if !block.is_null() && !zero {
        // SAFETY: just allocated, at least `size` bytes.
        unsafe { block.write_bytes(0, size) };
    }
    block
}

//! What every malloc does where it has nothing better: `realloc` by copying, `calloc` by writing zeroes; and what those with a fast and
//! a slow half do alike.
use core::ptr;

use base::Malloc;

/// What [`Malloc`] forwards to the halves, to `size_of` and to `resize`, which says where the block lies then, if it need not be copied.
macro_rules! by_halves {
    () => {
        #[inline]
        fn malloc(&self, size: usize) -> *mut u8 {
            let block = self.malloc_ready(size);
            if block.is_null() { self.malloc_any(size) } else { block }
        }

        unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
            let address = ptr.expose_provenance();
            if address == 0 {
                return self.malloc(size);
            }
            if size > isize::MAX.cast_unsigned() {
                return core::ptr::null_mut();
            }
            let (held, what) = self.size_of("realloc()", address);
            if let Some(at) = self.resize(address, (held, size), what) {
                return core::ptr::with_exposed_provenance_mut(at);
            }
            // SAFETY: the caller's promise.
            unsafe { $crate::fallback::realloc_by_copy(self, ptr, held, size) }
        }

        #[inline]
        unsafe fn free(&self, ptr: *mut u8) {
            if !self.free_ready(ptr.expose_provenance()) {
                self.free_any(ptr.addr());
            }
        }

        #[inline]
        unsafe fn free_sized(&self, ptr: *mut u8, _size: usize) {
            // SAFETY: the caller's promise.
            unsafe { self.free(ptr) };
        }

        unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
            if ptr.is_null() { 0 } else { self.size_of("malloc_usable_size()", ptr.addr()).0 }
        }
    };
}
pub(crate) use by_halves;

/// A block of `size` bytes with the old one's contents; the old one, if it is large enough and there is no other. Null: out of
/// memory, and the old one stays.
/// The caller promises: `ptr` is a live block of `held` bytes; unless null or itself is returned, it is dead.
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

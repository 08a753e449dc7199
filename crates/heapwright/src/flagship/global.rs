//! `Heapwright`: the process's malloc as Rust's traits.
//!
//! Rust names the size of what it frees, so `dealloc` takes the sized path: 12 instructions,
//! nothing looked up. A block whose alignment asked for more than its size did is in another
//! class than the size says, and takes the other path.
use core::alloc::{GlobalAlloc, Layout};

use base::Malloc;
use malloc::HEAP;

/// Every class is a multiple of this.
const QUANTUM: usize = 16;

/// The process's malloc. All values are the same allocator.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Heapwright;

// SAFETY: the flagship hands out disjoint blocks of at least the size, at multiples of the
// alignment, and keeps them until they are freed.
unsafe impl GlobalAlloc for Heapwright {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > QUANTUM {
            return HEAP.aligned_alloc(layout.align(), layout.size());
        }
        HEAP.malloc(layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        HEAP.aligned_calloc(layout.align(), layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        let (size, align) = (layout.size(), layout.align());
        let done = if align > QUANTUM {
            // SAFETY: the caller gives up a live block.
            unsafe { HEAP.free_fast(ptr) }
        } else {
            // SAFETY: the caller gives up a live block of that size.
            unsafe { HEAP.free_sized_fast(ptr, size) }
        };
        if !done {
            // SAFETY: the caller gives up a live block of that size and alignment.
            unsafe { HEAP.free_sized_slow(ptr, align, size, "dealloc()") }
        }
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        HEAP.verify_size(ptr, layout.align(), layout.size(), "realloc()");
        if layout.align() <= QUANTUM {
            // SAFETY: a live block; null leaves it as it was.
            return unsafe { HEAP.realloc(ptr, new_size) };
        }
        // SAFETY: the caller's size is within isize when rounded up to the alignment.
        let new_layout = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        // SAFETY: the new size is not 0, by the caller's promise.
        let new = unsafe { self.alloc(new_layout) };
        if !new.is_null() {
            // SAFETY: two live blocks; the shorter length is within both.
            unsafe { ptr.copy_to_nonoverlapping(new, layout.size().min(new_size)) };
            // SAFETY: the old block is given up.
            unsafe { self.dealloc(ptr, layout) };
        }
        new
    }
}

#[cfg(feature = "allocator-api2")]
mod allocator {
    use core::ptr::NonNull;

    use allocator_api2::alloc::{AllocError, Allocator, Layout};

    use super::{GlobalAlloc, Heapwright};

    // SAFETY: the blocks are those of the global allocator, which all values share.
    unsafe impl Allocator for Heapwright {
        fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
            if layout.size() == 0 {
                let dangling = core::ptr::without_provenance_mut::<u8>(layout.align());
                let ptr = NonNull::new(dangling).ok_or(AllocError)?;
                return Ok(NonNull::slice_from_raw_parts(ptr, 0));
            }
            // SAFETY: the size is not 0.
            let ptr = NonNull::new(unsafe { self.alloc(layout) }).ok_or(AllocError)?;
            Ok(NonNull::slice_from_raw_parts(ptr, layout.size()))
        }

        unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
            if layout.size() != 0 {
                // SAFETY: the caller gives up a block of that layout.
                unsafe { self.dealloc(ptr.as_ptr(), layout) };
            }
        }
    }
}

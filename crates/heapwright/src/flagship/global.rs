//! `Heapwright`: the process's malloc as Rust's traits.
//!
//! Rust names the size of what it frees, so `dealloc` takes the sized path: 12 instructions,
//! nothing looked up. A block whose alignment asked for more than its size did is in another
//! class than the size says, and takes the other path.
use core::alloc::{GlobalAlloc, Layout};

use base::Malloc;
use malloc::HEAP;
use object::size_class::MAX_SIZE;

/// Every class is a multiple of this.
const QUANTUM: usize = 16;

/// Pages are no smaller anywhere.
const LEAST_PAGE: usize = 4096;

/// Whether a block stays as aligned as it is where its size changes, `size` being the smaller of both: every block
/// is a multiple of a quantum, and what no class has of a page. Runs are of a granule, but a mapping of its own goes
/// where the system puts it when there are no addresses for old and new at once.
pub(super) fn stays_aligned(align: usize, size: usize) -> bool {
    align <= QUANTUM || align <= LEAST_PAGE && size > MAX_SIZE
}

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
        if stays_aligned(layout.align(), layout.size().min(new_size)) {
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
pub(super) mod allocator {
    use core::ptr::NonNull;

    use allocator_api2::alloc::{AllocError, Allocator, Layout};

    use super::{GlobalAlloc, Heapwright};

    /// What an allocator of collections answers.
    pub(in super::super) type Allocated = Result<NonNull<[u8]>, AllocError>;

    /// A block of `new` with the contents of that of `old`, which is given up.
    /// The caller promises: a live block of `from`.
    pub(in super::super) unsafe fn moved(
        from: &impl Allocator,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Allocated {
        let moved = from.allocate(new)?;
        let len = old.size().min(new.size());
        // SAFETY: both are live, of at least `len` bytes, and apart.
        unsafe { moved.cast().copy_from_nonoverlapping(block, len) };
        // SAFETY: the caller gives it up.
        unsafe { from.deallocate(block, old) };
        Ok(moved)
    }

    /// A block that may not be there.
    pub(in super::super) fn slice(ptr: *mut u8, size: usize) -> Allocated {
        Ok(NonNull::slice_from_raw_parts(NonNull::new(ptr).ok_or(AllocError)?, size))
    }

    impl Heapwright {
        /// The block as one of `new`, in place or by page tables where that can be.
        /// The caller promises: a live block of `old`, given up if another is returned.
        unsafe fn resize(self, ptr: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
            if old.align() != new.align() || old.size() == 0 || new.size() == 0 {
                // SAFETY: the caller's promise.
                return unsafe { moved(&self, ptr, old, new) };
            }
            // SAFETY: the caller's promise; no size is 0, and the new one goes with this alignment.
            slice(unsafe { self.realloc(ptr.as_ptr(), old, new.size()) }, new.size())
        }
    }

    // SAFETY: the blocks are those of the global allocator, which all values share.
    unsafe impl Allocator for Heapwright {
        fn allocate(&self, layout: Layout) -> Allocated {
            if layout.size() == 0 {
                return slice(core::ptr::without_provenance_mut(layout.align()), 0);
            }
            // SAFETY: the size is not 0.
            slice(unsafe { self.alloc(layout) }, layout.size())
        }

        fn allocate_zeroed(&self, layout: Layout) -> Allocated {
            if layout.size() == 0 {
                return self.allocate(layout);
            }
            // SAFETY: the size is not 0.
            slice(unsafe { self.alloc_zeroed(layout) }, layout.size())
        }

        unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
            if layout.size() != 0 {
                // SAFETY: the caller gives up a block of that layout.
                unsafe { self.dealloc(ptr.as_ptr(), layout) };
            }
        }

        unsafe fn grow(&self, ptr: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
            // SAFETY: the caller's promise.
            unsafe { self.resize(ptr, old, new) }
        }

        unsafe fn shrink(&self, ptr: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
            // SAFETY: the caller's promise.
            unsafe { self.resize(ptr, old, new) }
        }
    }
}

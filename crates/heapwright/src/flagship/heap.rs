//! `Heap`: a heap of its own, freed at once.

use core::alloc::Layout;
use core::ptr::NonNull;

use base::Malloc;
use malloc::HEAP;
use malloc::heapwright::Heap as Inner;
use source::os::Os;

/// A heap whose blocks are all freed when it is dropped, in time that depends on its size and
/// not on how many blocks there are. Any thread may allocate from it.
///
/// ```
/// use core::alloc::Layout;
///
/// let heap = heapwright::Heap::new().expect("memory");
/// let block = heap.allocate(Layout::new::<[u64; 8]>()).expect("memory");
/// assert!(block.is_aligned());
/// heap.destroy();
/// ```
///
/// Its blocks are freed by [`deallocate`](Self::deallocate) or with it. The global allocator's `dealloc` is for the global
/// allocator's blocks: it would keep one of a heap for the next request, and hand it out after the heap has gone.
///
/// With the feature `allocator-api2`, `&Heap` is an `Allocator`, and its collections borrow the
/// heap: it cannot be destroyed before they are.
#[derive(Debug)]
pub struct Heap {
    inner: &'static Inner<Os>,
}

impl Heap {
    /// An empty heap. `None`: out of memory, or 1,024 heaps exist.
    #[must_use]
    pub fn new() -> Option<Self> {
        HEAP.heap_new().map(|inner| Self { inner })
    }

    /// A block of a layout, uninitialised. `None`: out of memory. Takes one lock.
    #[must_use]
    pub fn allocate(&self, layout: Layout) -> Option<NonNull<u8>> {
        NonNull::new(HEAP.heap_allocate(self.inner, layout.align(), layout.size()))
    }

    /// Frees one block before the rest.
    /// # Safety
    /// `block` is a live block of this heap, and dead afterwards.
    pub unsafe fn deallocate(&self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { HEAP.free(block.as_ptr()) };
    }

    /// Frees every block at once. Pointers into the heap are dangling afterwards.
    pub fn destroy(self) {
        drop(self);
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: blocks were handed out as raw pointers, whose use is the caller's to justify,
        // or to collections that borrow the heap and so are gone.
        unsafe { HEAP.heap_destroy(self.inner) };
    }
}

#[cfg(feature = "allocator-api2")]
mod allocator {
    use core::ptr::NonNull;

    use allocator_api2::alloc::{Allocator, Layout};

    use super::super::global::allocator::{Allocated, moved, slice};
    use super::super::global::stays_aligned;
    use super::{HEAP, Heap, Malloc as _};

    impl Heap {
        /// The block as one of `new`, in place where its class or run serves that too.
        /// The caller promises: a live block of this heap and of `old`, given up if another is returned.
        unsafe fn resize(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
            let align = old.align().max(new.align());
            if !stays_aligned(align, old.size().min(new.size())) {
                // SAFETY: the caller's promise.
                return unsafe { moved(&self, block, old, new) };
            }
            // SAFETY: the caller's promise; a block of no bytes is one too.
            slice(unsafe { HEAP.realloc(block.as_ptr(), new.size().max(1)) }, new.size())
        }
    }

    // SAFETY: blocks stay until they are freed or the heap is dropped, which the borrow delays;
    // copies of a reference are the same heap.
    unsafe impl Allocator for &Heap {
        fn allocate(&self, layout: Layout) -> Allocated {
            let ptr = HEAP.heap_allocate(self.inner, layout.align(), layout.size());
            slice(ptr, layout.size())
        }

        unsafe fn deallocate(&self, block: NonNull<u8>, _layout: Layout) {
            // SAFETY: the caller gives up a block of this heap.
            unsafe { Heap::deallocate(self, block) };
        }

        unsafe fn grow(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
            // SAFETY: the caller's promise.
            unsafe { self.resize(block, old, new) }
        }

        unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
            // SAFETY: the caller's promise.
            unsafe { self.resize(block, old, new) }
        }
    }
}

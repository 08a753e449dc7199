//! A reference as an allocator for collections. Not the value itself: a collection moves its
//! allocator along, and an allocator's memory may point back to where it stood.
use core::ptr::NonNull;

use allocator_api2::alloc::{AllocError, Allocator, Layout};
use base::BlockAllocator;

use super::Locked;
use crate::mutex::Mutex;

/// What an allocator of collections answers.
type Allocated = Result<NonNull<[u8]>, AllocError>;

fn slice(block: Option<NonNull<u8>>, size: usize) -> Allocated {
    Ok(NonNull::slice_from_raw_parts(block.ok_or(AllocError)?, size))
}

// SAFETY: blocks stay until they are given back, copies of a reference are the same allocator,
// and the borrow keeps it where it is.
unsafe impl<L: Mutex, A: BlockAllocator> Allocator for &Locked<L, A> {
    #[inline]
    fn allocate(&self, layout: Layout) -> Allocated {
        slice(self.with(|inner| inner.allocate(layout)), layout.size())
    }

    #[inline]
    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller gives up a block of this layout.
        self.with(|inner| unsafe { inner.deallocate(block, layout) });
    }

    #[inline]
    unsafe fn grow(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
        // SAFETY: the caller's promise.
        unsafe { self.resize(block, old, new) }
    }

    #[inline]
    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
        // SAFETY: the caller's promise.
        unsafe { self.resize(block, old, new) }
    }
}

impl<L: Mutex, A: BlockAllocator> Locked<L, A> {
    /// The block as one of `new`, in place where the allocator can.
    /// The caller promises: `block` is a live block of `old`, given up if another is returned.
    unsafe fn resize(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Allocated {
        let resized = self.with(|inner| {
            // With another alignment the layout to give it back with would be another too.
            if new.align() == old.align() {
                // SAFETY: the caller's promise; the size goes with this alignment.
                return unsafe { inner.reallocate(block, old, new.size()) };
            }
            let moved = inner.allocate(new)?;
            let len = old.size().min(new.size());
            // SAFETY: both are live, of at least `len` bytes, and apart.
            unsafe { moved.copy_from_nonoverlapping(block, len) };
            // SAFETY: the caller gives it up.
            unsafe { inner.deallocate(block, old) };
            Some(moved)
        });
        slice(resized, new.size())
    }
}

//! A byte allocator that several collections share.

extern crate alloc;

use alloc::rc::Rc;
use core::alloc::{AllocError, Allocator, Layout};
use core::cell::RefCell;
use core::fmt;
use core::ptr::NonNull;

use crate::ByteAllocator;

/// A byte allocator behind a reference count, as a [`core::alloc::Allocator`].
pub struct AllocatorRc<A: ByteAllocator>(Rc<RefCell<A>>);

impl<A: ByteAllocator> AllocatorRc<A> {
    /// `inner`, whose memory is `pool`: it must live as long as the allocator and all that is allocated.
    pub fn new(mut inner: A, pool: &mut [u8]) -> Self {
        inner.init(pool.as_mut_ptr().expose_provenance(), pool.len());
        Self(Rc::new(RefCell::new(inner)))
    }
}

impl<A: ByteAllocator> Clone for AllocatorRc<A> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<A: ByteAllocator> fmt::Debug for AllocatorRc<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AllocatorRc").finish_non_exhaustive()
    }
}

// SAFETY: the inner allocator's blocks are valid until they are given back; clones share it.
unsafe impl<A: ByteAllocator> Allocator for AllocatorRc<A> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.size() == 0 {
            return Ok(NonNull::slice_from_raw_parts(layout.dangling_ptr(), 0));
        }
        let block = self.0.borrow_mut().alloc(layout).map_err(|_| AllocError)?;
        Ok(NonNull::slice_from_raw_parts(block, layout.size()))
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            self.0.borrow_mut().dealloc(ptr, layout);
        }
    }
}

//! `Copying`: a block that changes its size always moves.
//!
//! ```text
//! reallocate = allocate + copy + deallocate      nothing of the inner allocator's resizing is called
//! ```
//!
//! Layer *compose*. For firmware that hardly ever resizes: what is not called is not linked, and
//! resizing in place is often the larger half of an allocator's code. Costs a copy a resize.
use core::alloc::Layout;
use core::ptr::NonNull;

use base::BlockAllocator;

use crate::pass_on::pass_on;

/// `A` without resizing in place.
#[derive(Debug, Default)]
pub struct Copying<A> {
    inner: A,
}

impl<A> Copying<A> {
    /// Around `inner`.
    pub const fn new(inner: A) -> Self {
        Self { inner }
    }

    /// What it is around.
    pub const fn inner(&self) -> &A {
        &self.inner
    }
}

// SAFETY: blocks are the inner allocator's; `reallocate` is the trait's own.
unsafe impl<A: BlockAllocator> BlockAllocator for Copying<A> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.inner.allocate(layout)
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.inner.deallocate(block, layout) };
    }

    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.inner.allocate_zeroed(layout)
    }
}

pass_on! { [A] Copying<A>: AddMemory RemoveMemory Free UsableSize Owns Reset Walk Check Stats }

#[cfg(test)]
mod tests;

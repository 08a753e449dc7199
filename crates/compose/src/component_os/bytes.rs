//! A byte allocator out of any block allocator.
use core::alloc::Layout;
use core::ptr::{self, NonNull};

use base::{AddMemory, BlockAllocator, Stats};

use super::{AllocError, AllocResult, v1, v2};

/// `A` under the component OS's names. O(1) beyond what `A` does.
#[derive(Debug, Default)]
pub struct Bytes<A> {
    inner: A,
}

impl<A> Bytes<A> {
    /// Around `inner`, which has no memory yet.
    pub const fn over(inner: A) -> Self {
        Self { inner }
    }
}

impl<A: AddMemory + Stats> v1::BaseAllocator for Bytes<A> {
    unsafe fn init(&mut self, start: usize, size: usize) -> AllocResult {
        if self.inner.stats().total != 0 {
            return Err(AllocError::InvalidParam);
        }
        // SAFETY: the caller's promise.
        unsafe { self.add_memory(start, size) }
    }

    unsafe fn add_memory(&mut self, start: usize, size: usize) -> AllocResult {
        let start = ptr::with_exposed_provenance_mut(start);
        // SAFETY: the caller's promise.
        unsafe { self.inner.add_memory(start, size) }.map_err(AllocError::from)
    }
}

impl<A: BlockAllocator + AddMemory + Stats> v1::ByteAllocator for Bytes<A> {
    fn alloc(&mut self, size: usize, align_pow2: usize) -> AllocResult<usize> {
        let layout = Layout::from_size_align(size, align_pow2);
        let layout = layout.map_err(|_| AllocError::InvalidParam)?;
        let block = self.inner.allocate(layout).ok_or(AllocError::NoMemory)?;
        Ok(block.as_ptr().expose_provenance())
    }

    unsafe fn dealloc(&mut self, pos: usize, size: usize, align_pow2: usize) {
        let block = ptr::with_exposed_provenance_mut(pos);
        // SAFETY: what was allocated is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: it was a layout when the block was allocated.
        let layout = unsafe { Layout::from_size_align_unchecked(size, align_pow2) };
        // SAFETY: the caller's promise.
        unsafe { self.inner.deallocate(block, layout) };
    }

    fn total_bytes(&self) -> usize {
        self.inner.stats().total
    }

    fn used_bytes(&self) -> usize {
        self.inner.stats().used
    }

    fn available_bytes(&self) -> usize {
        let stats = self.inner.stats();
        stats.total - stats.used
    }
}

impl<A: BlockAllocator + AddMemory + Stats> v2::ByteAllocator for Bytes<A> {
    fn alloc(&mut self, layout: Layout) -> AllocResult<NonNull<u8>> {
        self.inner.allocate(layout).ok_or(AllocError::NoMemory)
    }

    unsafe fn dealloc(&mut self, pos: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.inner.deallocate(pos, layout) };
    }

    fn total_bytes(&self) -> usize {
        v1::ByteAllocator::total_bytes(self)
    }

    fn used_bytes(&self) -> usize {
        v1::ByteAllocator::used_bytes(self)
    }

    fn available_bytes(&self) -> usize {
        v1::ByteAllocator::available_bytes(self)
    }
}

#[cfg(test)]
mod tests;

//! Slabs.

use base::AddMemory;

use crate::AllocResult;

/// Slabs of one size each, over a buddy system of pages; larger blocks are pages.
#[derive(Debug)]
pub struct SlabByteAllocator {
    inner: kernel::size_slabs::SizeSlabs,
}

impl SlabByteAllocator {
    /// Without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: kernel::size_slabs::SizeSlabs::new() }
    }

    fn more(&mut self, start: usize, size: usize) -> AllocResult {
        let start = core::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the interface's promise.
        unsafe { self.inner.add_memory(start, size) }?;
        Ok(())
    }
}

byte_allocator!(SlabByteAllocator);

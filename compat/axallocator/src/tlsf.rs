//! TLSF.

use crate::AllocResult;

/// TLSF: O(1), a header of one word.
#[derive(Debug)]
pub struct TlsfByteAllocator {
    inner: block::tlsf::Tlsf,
}

impl TlsfByteAllocator {
    /// Without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: block::tlsf::Tlsf::new() }
    }

    /// Takes memory. Where it begins at the end of what there is, the two become one: a heap that grows page by page
    /// stays in one piece.
    fn more(&mut self, start: usize, size: usize) -> AllocResult {
        let start = core::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the interface's promise; a kernel's memory is one allocation.
        unsafe { self.inner.append_memory(start, size) }?;
        Ok(())
    }
}

byte_allocator!(TlsfByteAllocator);

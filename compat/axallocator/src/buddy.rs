//! Buddy.

use base::AddMemory;

use crate::AllocResult;

/// Buddy: blocks of powers of two, O(log n) whatever the number of holes.
#[derive(Debug)]
pub struct BuddyByteAllocator {
    inner: block::buddy::Buddy,
}

impl BuddyByteAllocator {
    /// Without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { inner: block::buddy::Buddy::new() }
    }

    fn more(&mut self, start: usize, size: usize) -> AllocResult {
        let start = core::ptr::with_exposed_provenance_mut(start);
        // SAFETY: the interface's promise.
        unsafe { self.inner.add_memory(start, size) }?;
        Ok(())
    }
}

byte_allocator!(BuddyByteAllocator);

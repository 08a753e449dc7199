//! Taking memory, giving it up, and forgetting every block.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::SizeSlabs;
use super::class::CLASSES;

impl<const PAGE: usize> AddMemory for SizeSlabs<PAGE> {
    /// As the buddy system's.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        unsafe { self.pages.add_memory(start, len) }
    }
}

impl<const PAGE: usize> RemoveMemory for SizeSlabs<PAGE> {
    /// As the buddy system's; the empty slabs that are kept do not hold it up.
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        self.reclaim();
        self.pages.remove_memory(start)
    }
}

impl<const PAGE: usize> Owns for SizeSlabs<PAGE> {
    /// O(pools).
    fn owns(&self, address: *const u8) -> bool {
        self.pages.owns(address)
    }
}

impl<const PAGE: usize> Reset for SizeSlabs<PAGE> {
    /// As the buddy system's.
    unsafe fn reset(&mut self) {
        self.partial = [None; CLASSES];
        self.used = 0;
        // SAFETY: the caller's promise; no list names a slab any more.
        unsafe { self.pages.reset() };
    }
}

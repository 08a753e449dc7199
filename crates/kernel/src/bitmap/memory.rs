//! Taking memory, giving it up, and forgetting every run.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::BitmapPages;

impl<const PAGE: usize> AddMemory for BitmapPages<PAGE> {
    /// O(pools + pages / word bits).
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let pool = unsafe { self.pools.add(start, len) }?;
        self.total += pool.pages() * PAGE;
        Ok(())
    }
}

impl<const PAGE: usize> RemoveMemory for BitmapPages<PAGE> {
    /// O(pools).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let mut pools = self.pools.iter();
        let found = pools.find(|pool| pool.added().0.as_ptr() == start);
        let mut pool = found.ok_or(RemoveError::Unknown)?;
        if pool.runs().longest() != pool.pages() {
            return Err(RemoveError::InUse);
        }
        self.pools.remove(pool);
        self.total -= pool.pages() * PAGE;
        let (start, len) = pool.added();
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl<const PAGE: usize> Owns for BitmapPages<PAGE> {
    /// O(pools).
    fn owns(&self, address: *const u8) -> bool {
        self.pools.iter().any(|pool| {
            let (start, len) = pool.added();
            address.addr().wrapping_sub(start.addr().get()) < len
        })
    }
}

impl<const PAGE: usize> Reset for BitmapPages<PAGE> {
    /// O(pages / word bits). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        for mut pool in self.pools.iter() {
            let pages = pool.pages();
            pool.runs().fill(pages);
        }
        self.used = 0;
    }
}

//! Taking memory, giving it up, and forgetting every run.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::BitmapPages;
use super::pool::Pool;

impl<const PAGE: usize> AddMemory for BitmapPages<PAGE> {
    /// O(pools + pages / word bits).
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let pool = unsafe { Pool::<PAGE>::add(&mut self.pools, start, len) }?;
        self.total += pool.pages() * PAGE;
        Ok(())
    }
}

impl<const PAGE: usize> RemoveMemory for BitmapPages<PAGE> {
    /// O(pools).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let mut pool = Pool::<PAGE>(self.pools.find(start).ok_or(RemoveError::Unknown)?);
        if pool.runs().longest() != pool.pages() {
            return Err(RemoveError::InUse);
        }
        self.total -= pool.pages() * PAGE;
        Ok(self.pools.remove(pool.0))
    }
}

impl<const PAGE: usize> Owns for BitmapPages<PAGE> {
    /// O(pools).
    fn owns(&self, address: *const u8) -> bool {
        self.pools.own(address)
    }
}

impl<const PAGE: usize> Reset for BitmapPages<PAGE> {
    /// O(pages / word bits). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        for mut pool in self.pools() {
            let pages = pool.pages();
            pool.runs().fill(pages);
        }
        self.counts.used = 0;
    }
}

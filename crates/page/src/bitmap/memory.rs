//! Taking memory, giving it up, and forgetting every run.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::BitmapPages;

impl<const PAGE: usize> AddMemory for BitmapPages<PAGE> {
    /// O(regions + pages / word bits).
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let region = unsafe { self.regions.add(start, len) }?;
        self.total += region.pages() * PAGE;
        Ok(())
    }
}

impl<const PAGE: usize> RemoveMemory for BitmapPages<PAGE> {
    /// O(regions).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let mut regions = self.regions.iter();
        let found = regions.find(|region| region.added().0.as_ptr() == start);
        let mut region = found.ok_or(RemoveError::Unknown)?;
        if region.runs().longest() != region.pages() {
            return Err(RemoveError::InUse);
        }
        self.regions.remove(region);
        self.total -= region.pages() * PAGE;
        let (start, len) = region.added();
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl<const PAGE: usize> Owns for BitmapPages<PAGE> {
    /// O(regions).
    fn owns(&self, address: *const u8) -> bool {
        self.regions.iter().any(|region| {
            let (start, len) = region.added();
            address.addr().wrapping_sub(start.addr().get()) < len
        })
    }
}

impl<const PAGE: usize> Reset for BitmapPages<PAGE> {
    /// O(pages / word bits). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        for mut region in self.regions.iter() {
            let pages = region.pages();
            region.runs().fill(pages);
        }
        self.used = 0;
    }
}

//! Taking memory, giving it up, and forgetting every block.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::tree::Tree;
use super::{Fit, Policy};

impl<P: Policy> AddMemory for Fit<P> {
    /// O(regions). Four words of it hold no blocks; regions that touch are not joined.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let region = unsafe { self.regions.add(start, len) }?;
        let hole = region.clear();
        self.total += hole.hole_size();
        self.holes.insert(hole);
        Ok(())
    }
}

impl<P: Policy> RemoveMemory for Fit<P> {
    /// O(regions + depth).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let region = self.regions.find(start).ok_or(RemoveError::Unknown)?;
        let (whole, first) = (region.blocks_len(), region.first());
        if first.is_used() || first.size() != whole {
            return Err(RemoveError::InUse);
        }
        let (start, len) = region.added();
        let start = NonNull::new(start).ok_or(RemoveError::Unknown)?;
        self.holes.remove_at(self.holes.find(first));
        self.regions.remove(region);
        self.total -= whole;
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl<P: Policy> Owns for Fit<P> {
    /// O(regions).
    fn owns(&self, address: *const u8) -> bool {
        self.regions.own(address)
    }
}

impl<P: Policy> Reset for Fit<P> {
    /// O(regions). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        self.holes = Tree::new();
        self.policy = P::START;
        self.used = 0;
        for region in self.regions.iter() {
            self.holes.insert(region.clear());
        }
    }
}

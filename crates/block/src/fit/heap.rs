//! Taking memory, giving it up, and forgetting every block.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::tree::Tree;
use super::{Fit, Policy};

impl<P: Policy> AddMemory for Fit<P> {
    /// O(pools). Four words of it hold no blocks; pools that touch are not joined.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let pool = unsafe { self.pools.add(start, len) }?;
        let hole = pool.clear();
        self.total += hole.hole_size();
        self.holes.insert(hole);
        Ok(())
    }
}

impl<P: Policy> RemoveMemory for Fit<P> {
    /// O(pools + depth).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let pool = self.pools.find(start).ok_or(RemoveError::Unknown)?;
        let (whole, first) = (pool.blocks_len(), pool.first());
        if first.is_used() || first.size() != whole {
            return Err(RemoveError::InUse);
        }
        let (start, len) = pool.added();
        let start = NonNull::new(start).ok_or(RemoveError::Unknown)?;
        self.holes.remove_at(self.holes.find(first));
        self.pools.remove(pool);
        self.total -= whole;
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl<P: Policy> Owns for Fit<P> {
    /// O(pools).
    fn owns(&self, address: *const u8) -> bool {
        self.pools.own(address)
    }
}

impl<P: Policy> Reset for Fit<P> {
    /// O(pools). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        self.holes = Tree::new();
        self.policy = P::START;
        self.used = 0;
        for pool in self.pools.iter() {
            self.holes.insert(pool.clear());
        }
    }
}

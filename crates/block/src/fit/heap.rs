//! Taking memory, giving it up, and forgetting every block.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::pool::Pool;
use super::tree::Tree;
use super::{Fit, Policy};

impl<P: Policy> AddMemory for Fit<P> {
    /// O(pools). Four words of it hold no blocks; pools that touch are not joined.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let pool = unsafe { Pool::add(&mut self.pools, start, len) }?;
        let hole = pool.clear();
        self.total += hole.hole_size();
        self.holes.insert(hole);
        Ok(())
    }
}

impl<P: Policy> RemoveMemory for Fit<P> {
    /// O(pools + depth).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let pool = Pool(self.pools.find(start).ok_or(RemoveError::Unknown)?);
        let (whole, first) = (pool.blocks_len(), pool.first());
        if first.is_used() || first.size() != whole {
            return Err(RemoveError::InUse);
        }
        self.holes.remove_at(self.holes.find(first));
        self.total -= whole;
        Ok(self.pools.remove(pool.0))
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
        self.counts.used = 0;
        for pool in self.pools.iter().map(Pool) {
            self.holes.insert(pool.clear());
        }
    }
}

//! Taking pools, giving them up, and forgetting every block.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::Buddy;
use super::chunk::Chunk;
use super::lists::Lists;
use super::pool::Pool;

impl<const UNIT: usize> Buddy<UNIT> {
    /// Gives back `[from, to)`, units of `pool` that are in use, as the fewest blocks.
    pub(super) fn give_range(&mut self, pool: Pool, mut from: usize, to: usize) {
        while from < to {
            let order = largest_at::<UNIT>(from, to);
            // SAFETY: as large as its address and the range allow; the caller gives it up.
            let chunk = unsafe { Chunk::from_raw::<UNIT>(pool.pointer(from), order) };
            self.give(chunk);
            from += UNIT << order;
        }
    }

    fn take_free(&mut self, pool: Pool) {
        for (address, order) in pool.free_blocks::<UNIT>() {
            // SAFETY: its bit is set, so by buddy-B1 it is in this list.
            let chunk = unsafe { self.lists.remove(pool.pointer(address), order) };
            // The bits go with the pool.
            let _ = chunk.into_raw();
        }
    }

    fn iter(&self) -> impl Iterator<Item = Pool> + use<UNIT> {
        core::iter::successors(self.pools, |pool| pool.next())
    }
}

/// The order of the largest block that begins at `from`, a multiple of a unit, and ends by `to`.
fn largest_at<const UNIT: usize>(from: usize, to: usize) -> u32 {
    let by_address = from.trailing_zeros();
    let by_len = (to - from).ilog2();
    by_address.min(by_len) - UNIT.trailing_zeros()
}

impl<const UNIT: usize> AddMemory for Buddy<UNIT> {
    /// O(pools + len / UNIT / 32): the state is cleared. It takes two bits for each unit, and
    /// five words.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let pool = unsafe { Pool::create::<UNIT>(start, len, self.pools) }?;
        self.pools = Some(pool);
        let (first, end) = pool.units();
        self.total += end - first;
        self.used += end - first;
        self.give_range(pool, first, end);
        Ok(())
    }
}

impl<const UNIT: usize> RemoveMemory for Buddy<UNIT> {
    /// O(pools + len / UNIT / 32).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let wanted = |pool: &Pool| pool.added().0.as_ptr() == start;
        let pool = self.iter().find(wanted).ok_or(RemoveError::Unknown)?;
        let (first, end) = pool.units();
        let free: usize = pool.free_blocks::<UNIT>().map(|(_, order)| UNIT << order).sum();
        if free != end - first {
            return Err(RemoveError::InUse);
        }
        self.take_free(pool);
        match self.iter().take_while(|other| *other != pool).last() {
            None => self.pools = pool.next(),
            Some(before) => before.set_next(pool.next()),
        }
        self.total -= free;
        let (start, len) = pool.added();
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl<const UNIT: usize> Owns for Buddy<UNIT> {
    /// O(pools).
    fn owns(&self, address: *const u8) -> bool {
        self.iter().any(|pool| {
            let (start, len) = pool.added();
            address.addr().wrapping_sub(start.addr().get()) < len
        })
    }
}

impl<const UNIT: usize> Reset for Buddy<UNIT> {
    /// O(memory / UNIT / 32). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        self.lists = Lists::new();
        self.used = self.total;
        for pool in self.iter() {
            pool.clear::<UNIT>();
            let (first, end) = pool.units();
            self.give_range(pool, first, end);
        }
    }
}

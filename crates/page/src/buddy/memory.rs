//! Taking regions, giving them up, and forgetting every block.
use core::ptr::NonNull;

use base::{AddError, AddMemory, Owns, RemoveError, RemoveMemory, Reset};

use super::Buddy;
use super::chunk::Chunk;
use super::lists::Lists;
use super::region::Region;

impl<const UNIT: usize> Buddy<UNIT> {
    /// Gives back `[from, to)`, units of `region` that are in use, as the fewest blocks.
    pub(super) fn give_range(&mut self, region: Region, mut from: usize, to: usize) {
        while from < to {
            let order = largest_at::<UNIT>(from, to);
            // SAFETY: as large as its address and the range allow; the caller gives it up.
            let chunk = unsafe { Chunk::from_raw::<UNIT>(region.pointer(from), order) };
            self.give(chunk);
            from += UNIT << order;
        }
    }

    /// Takes all of a region's memory out of the lists.
    fn take_free(&mut self, region: Region) {
        for (address, order) in region.free_blocks::<UNIT>() {
            // SAFETY: its bit is set, so by B1 it is in this list.
            let chunk = unsafe { self.lists.remove(region.pointer(address), order) };
            // The bits go with the region.
            let _ = chunk.into_raw();
        }
    }

    fn iter(&self) -> impl Iterator<Item = Region> + use<UNIT> {
        core::iter::successors(self.regions, |region| region.next())
    }
}

/// The order of the largest block that begins at `from`, a multiple of a unit, and ends by `to`.
fn largest_at<const UNIT: usize>(from: usize, to: usize) -> u32 {
    let by_address = from.trailing_zeros();
    let by_len = (to - from).ilog2();
    by_address.min(by_len) - UNIT.trailing_zeros()
}

impl<const UNIT: usize> AddMemory for Buddy<UNIT> {
    /// O(regions + len / UNIT / 32): the state is cleared. It takes two bits for each unit, and
    /// five words.
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        let region = unsafe { Region::create::<UNIT>(start, len, self.regions) }?;
        self.regions = Some(region);
        let (first, end) = region.units();
        self.total += end - first;
        self.used += end - first;
        self.give_range(region, first, end);
        Ok(())
    }
}

impl<const UNIT: usize> RemoveMemory for Buddy<UNIT> {
    /// O(regions + len / UNIT / 32).
    fn remove_memory(&mut self, start: *mut u8) -> Result<NonNull<[u8]>, RemoveError> {
        let wanted = |region: &Region| region.added().0.as_ptr() == start;
        let region = self.iter().find(wanted).ok_or(RemoveError::Unknown)?;
        let (first, end) = region.units();
        let free: usize = region.free_blocks::<UNIT>().map(|(_, order)| UNIT << order).sum();
        if free != end - first {
            return Err(RemoveError::InUse);
        }
        self.take_free(region);
        match self.iter().take_while(|other| *other != region).last() {
            None => self.regions = region.next(),
            Some(before) => before.set_next(region.next()),
        }
        self.total -= free;
        let (start, len) = region.added();
        Ok(NonNull::slice_from_raw_parts(start, len))
    }
}

impl<const UNIT: usize> Owns for Buddy<UNIT> {
    /// O(regions).
    fn owns(&self, address: *const u8) -> bool {
        self.iter().any(|region| {
            let (start, len) = region.added();
            address.addr().wrapping_sub(start.addr().get()) < len
        })
    }
}

impl<const UNIT: usize> Reset for Buddy<UNIT> {
    /// O(memory / UNIT / 32). The peak and the failures stay.
    unsafe fn reset(&mut self) {
        self.lists = Lists::new();
        self.used = self.total;
        for region in self.iter() {
            region.clear::<UNIT>();
            let (first, end) = region.units();
            self.give_range(region, first, end);
        }
    }
}

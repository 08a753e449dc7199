//! Pages: a run of any length is cut out of the next power of two, and the rest given back.
use core::ptr::NonNull;

use base::PageAllocator;

use super::Buddy;
use super::chunk::Chunk;

// SAFETY: a run begins where a chunk out of the lists begins, at a multiple of its length (buddy-B2);
// only what is behind the run is given back.
unsafe impl<const UNIT: usize> PageAllocator for Buddy<UNIT> {
    fn page_size(&self) -> usize {
        UNIT
    }

    /// O(orders), for a run of another length than a power of two O(orders²).
    fn allocate_pages(&mut self, pages: usize, align: usize) -> Option<NonNull<u8>> {
        let len = pages.checked_mul(UNIT).filter(|len| *len > 0 && *len <= isize::MAX as usize)?;
        let order = Self::order_of(len.max(align));
        let peak = self.peak;
        let start = self.take(order)?.into_raw();
        let (from, whole) = (start.addr().get() + len, UNIT << order);
        if len < whole
            && let Some(pool) = self.pool_of(start.addr().get())
        {
            self.give_range(pool, from, from - len + whole);
            self.peak = peak.max(self.used);
        }
        Some(start)
    }

    /// O(orders), for a run of another length than a power of two O(orders²).
    unsafe fn deallocate_pages(&mut self, start: NonNull<u8>, pages: usize) {
        let from = start.addr().get();
        if pages.is_power_of_two() && from.is_multiple_of(pages * UNIT) {
            // SAFETY: the caller gives up these pages.
            return self.give(unsafe { Chunk::from_raw::<UNIT>(start, pages.trailing_zeros()) });
        }
        if let Some(pool) = self.pool_of(from) {
            self.give_range(pool, from, from + pages * UNIT);
        }
    }
}

//! Blocks: of the next power of two, which is their alignment too. No header.
use core::alloc::Layout;
use core::ptr::NonNull;

use base::BlockAllocator;

use super::Buddy;
use super::chunk::Chunk;

impl<const UNIT: usize> Buddy<UNIT> {
    #[inline]
    const fn order_for(layout: Layout) -> u32 {
        let (size, align) = (layout.size(), layout.align());
        Self::order_of(if size < align { align } else { size })
    }

    /// Makes a block of one order one of a higher order, if all that is missing stands free
    /// behind it.
    fn grow(&mut self, block: NonNull<u8>, from: u32, to: u32) -> bool {
        let start = block.addr().get();
        let Some(pool) = self.pool_of(start) else { return false };
        let upper = |order: u32| (start + (UNIT << order), UNIT << order);
        let (first, end) = pool.units();
        let free = |order: u32| {
            let (address, len) = upper(order);
            start & len == 0
                && len <= end - first
                && pool.free_number::<UNIT>(address, len).is_some()
        };
        if !(from..to).all(free) {
            return false;
        }
        for order in from..to {
            let (address, len) = upper(order);
            if let Some(number) = pool.free_number::<UNIT>(address, len) {
                pool.mark_used(number);
                // SAFETY: its bit was set, so by buddy-B1 it is in this list.
                let chunk = unsafe { self.lists.remove(pool.pointer(address), order) };
                self.used += chunk.len();
                // The block has this memory now.
                let _ = chunk.into_raw();
            }
        }
        self.peak = self.peak.max(self.used);
        true
    }
}

// SAFETY: a block is a chunk out of the lists, so nobody else has it, and it begins at a multiple
// of its size (buddy-B2), which is at least the alignment.
unsafe impl<const UNIT: usize> BlockAllocator for Buddy<UNIT> {
    /// O(orders).
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.take(Self::order_for(layout)).map(Chunk::into_raw)
    }

    /// O(orders).
    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller gives up the block of this order.
        self.give(unsafe { Chunk::from_raw::<UNIT>(block, Self::order_for(layout)) });
    }

    /// In place when it shrinks, when the power of two stays the same or when what follows it is
    /// free up to the next one. O(orders), O(size) where it moves.
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise about `new_size`.
        let wanted = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        let (old, new) = (Self::order_for(layout), Self::order_for(wanted));
        // From the upper half down, so that nothing that is given back can be joined again.
        for order in (new..old).rev() {
            // SAFETY: the upper half of what is left of the block.
            let upper = unsafe { block.byte_add(UNIT << order) };
            // SAFETY: the caller gives it up.
            self.give(unsafe { Chunk::from_raw::<UNIT>(upper, order) });
        }
        if new <= old || self.grow(block, old, new) {
            return Some(block);
        }
        let moved = self.allocate(wanted)?;
        // SAFETY: both are live, of at least the old size, and apart.
        unsafe { moved.copy_from_nonoverlapping(block, layout.size()) };
        // SAFETY: the caller gives it up.
        unsafe { self.deallocate(block, layout) };
        Some(moved)
    }
}

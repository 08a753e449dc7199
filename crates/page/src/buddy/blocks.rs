//! Blocks: of the next power of two, which is their alignment too. No header.
use core::alloc::Layout;
use core::ptr::NonNull;

use base::BlockAllocator;

use super::Buddy;
use super::chunk::Chunk;
use super::region::Region;

impl<const UNIT: usize> Buddy<UNIT> {
    /// The order that a layout gets.
    #[inline]
    const fn order_for(layout: Layout) -> u32 {
        let (size, align) = (layout.size(), layout.align());
        Self::order_of(if size < align { align } else { size })
    }

    /// Makes a block of one order one of a higher order, if all that is missing stands free
    /// behind it.
    fn grow(&mut self, block: NonNull<u8>, from: u32, to: u32) -> bool {
        let start = block.addr().get();
        let Some(region) = self.region_of(start) else { return false };
        let whole = |order: &u32| {
            let len = UNIT << order;
            start & len == 0 && region.free_block::<UNIT>(start + len, *order).is_some()
        };
        let can = (from..to).all(|order| whole(&order));
        if can {
            (from..to).for_each(|order| self.take_at(region, start + (UNIT << order), order));
        }
        can
    }

    /// Takes a free block at an address; what it is taken for has it now.
    fn take_at(&mut self, region: Region, address: usize, order: u32) {
        // SAFETY: its bit is set, so by B1 it is in this list.
        let chunk = unsafe { self.lists.remove(region.pointer(address), order) };
        region.mark_used::<UNIT>(&chunk);
        let _ = chunk.into_raw();
        self.used += UNIT << order;
        self.peak = self.peak.max(self.used);
    }
}

// SAFETY: a block is a chunk out of the lists, so nobody else has it, and it begins at a multiple
// of its size (B2), which is at least the alignment.
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
        self.give(unsafe { Chunk::from_raw(block, Self::order_for(layout)) });
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
            self.give(unsafe { Chunk::from_raw(upper, order) });
        }
        if new <= old || self.grow(block, old, new) {
            return Some(block);
        }
        let moved = self.allocate(wanted)?;
        // SAFETY: both are live, of at least so many bytes, and apart.
        unsafe { moved.copy_from_nonoverlapping(block, layout.size()) };
        // SAFETY: the caller gives it up.
        unsafe { self.deallocate(block, layout) };
        Some(moved)
    }
}

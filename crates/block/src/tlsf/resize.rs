//! Changing a block's size: where it is, downward into a free neighbour, or by moving.
//!
//! ```text
//! shrink     [    USED    │ … ]        ─►  [ USED │ free │ … ]
//! grow up    [ USED │    free    ]     ─►  [   USED    │ free ]
//! grow down  [ free │ USED │ free ]    ─►  [   USED    │ free ]      contents moved down
//! ```
//!
//! The code is in a function of its own, so that a program that never resizes does not carry it.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::bins::Table;
use super::block::{Block, FLAGS, PREV_FREE, USED, WORD};
use super::control::Control;
use super::placement::Placement;
use super::tier::Tier;

impl<C: Control, T: Tier> Table<C, T> {
    /// Whether the block at `payload` now has `size` bytes. O(1).
    /// The caller promises: the block is live.
    pub(super) unsafe fn resize<P: Placement>(self, payload: NonNull<u8>, size: usize) -> bool {
        let Some(need) = P::block_size::<C>(size, Self::SMALLEST) else { return false };
        let block = Block::of(payload.as_ptr());
        if T::NEIGHBOURS {
            self.inspect(block);
        }
        // SAFETY: a live block has a header.
        let header = unsafe { block.header::<T>() };
        let old = header & !FLAGS;
        if need == old {
            return true;
        }
        // SAFETY: a block follows (pool-T6).
        let above = unsafe { block.above(old).header::<T>() };
        let reach = if above & USED == 0 { old + Self::size_of(above) } else { old };
        if need > reach {
            return false;
        }
        if reach != old {
            // SAFETY: it is free, so in a bin (bins-T3).
            unsafe { self.unlink_any(block.above(old)) };
        }
        // SAFETY: `reach` bytes from the block on are its own or free and in no bin.
        unsafe { self.settle(block, reach, need, header & PREV_FREE, old) };
        true
    }

    /// Makes the lower `need` of `reach` bytes a used block that was `old` bytes long, and the rest free.
    /// The caller promises: the bytes belong to no block in a bin, a block follows them, and `need <= reach`.
    unsafe fn settle(self, block: Block, reach: usize, need: usize, below: usize, old: usize) {
        // `occupy` counts the block's new size.
        self.count_free(old);
        // Nor does the block above know yet that what it finds below it may be free.
        let above = block.above(reach);
        // SAFETY: a block follows.
        let header = unsafe { above.header::<T>() };
        // SAFETY: as above.
        unsafe { above.set_header::<T>(header | PREV_FREE) };
        // SAFETY: as if the whole were one free block in no bin.
        unsafe { self.occupy(block, reach, need, below) };
    }

    /// The block at `payload` with `size` bytes: where it is, or lower, or elsewhere. O(1) and
    /// the copying. `align` is what its payload is to be aligned to, `kept` how many bytes of it matter.
    /// The caller promises: the block is live, with at least `kept` bytes, and dead if another address is returned.
    pub(super) unsafe fn reallocate<P: Placement>(
        self,
        payload: NonNull<u8>,
        kept: usize,
        align: usize,
        size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        if unsafe { self.resize::<P>(payload, size) } {
            return Some(payload);
        }
        let kept = kept.min(size);
        // SAFETY: the caller's promise.
        if let Some(lower) = unsafe { self.grow_down::<P>(payload, kept, align, size) } {
            return Some(lower);
        }
        let new = self.allocate::<P>(Layout::from_size_align(size, align).ok()?)?;
        // SAFETY: both are live, of at least `kept` bytes, and apart.
        unsafe { new.copy_from_nonoverlapping(payload, kept) };
        // SAFETY: the caller gives it up.
        unsafe { self.free(payload) };
        Some(new)
    }

    /// Moves the block down into the free one below it, if the two and a free one above suffice.
    /// The caller promises: as [`reallocate`](Self::reallocate).
    unsafe fn grow_down<P: Placement>(
        self,
        payload: NonNull<u8>,
        kept: usize,
        align: usize,
        size: usize,
    ) -> Option<NonNull<u8>> {
        let need = P::block_size::<C>(size, Self::SMALLEST)?;
        let block = Block::of(payload.as_ptr());
        // SAFETY: a live block has a header.
        let header = unsafe { block.header::<T>() };
        if header & PREV_FREE == 0 {
            return None;
        }
        // SAFETY: the header says so.
        let below = unsafe { self.size_below(block) };
        let lower = block.below(below);
        let old = header & !FLAGS;
        // SAFETY: a block follows (pool-T6).
        let above = unsafe { block.above(old).header::<T>() };
        let upper = if above & USED == 0 { Self::size_of(above) } else { 0 };
        let reach = below + old + upper;
        if need > reach || !lower.payload().addr().is_multiple_of(align) {
            return None;
        }
        if upper != 0 {
            // SAFETY: it is free, so in a bin (bins-T3).
            unsafe { self.unlink_any(block.above(old)) };
        }
        // SAFETY: as above.
        unsafe { self.unlink_any(lower) };
        // SAFETY: a block of ours is nowhere near null.
        let moved = unsafe { NonNull::new_unchecked(lower.payload()) };
        // SAFETY: both lie in the bytes now ours; they may overlap.
        unsafe { moved.copy_from(payload, kept) };
        // SAFETY: the bytes are in no bin; by block-T2 the block below the lower one is used.
        unsafe { self.settle(lower, reach, need, 0, old) };
        Some(moved)
    }

    /// The bytes of the block at `payload` that may be used.
    /// The caller promises: the block is live.
    pub(super) unsafe fn usable(self, payload: NonNull<u8>) -> usize {
        // SAFETY: a live block has a header.
        let header = unsafe { Block::of(payload.as_ptr()).header::<T>() };
        (header & !FLAGS) - WORD
    }
}

//! Alignments above the grain, and blocks at an address that the caller chooses.
//!
//! ```text
//! free block   [ ………………………………………………………………………… ]
//! aligned      [ free gap │ used, payload aligned │ free rest ]
//! ```
//!
//! The gap is a free block of its own, so that freeing needs to know no alignment.

use core::ptr::NonNull;

use super::bins::{COMPACT, Found, Table};
use super::block::{Block, PREV_FREE, USED};
use super::control::Control;
use super::placement::Placement;
use super::tier::Tier;

impl<C: Control, T: Tier> Table<C, T> {
    /// A block whose payload is at a multiple of `align`, a power of two. O(1). It asks for a block that
    /// has room for the worst gap.
    #[cfg_attr(not(feature = "compact"), cold, inline(never))]
    pub(super) fn allocate_aligned<P: Placement>(
        self,
        size: usize,
        align: usize,
    ) -> Option<NonNull<u8>> {
        let Some(need) = P::block_size::<C>(size, Self::SMALLEST) else {
            return self.refuse();
        };
        // A gap is no block below `SMALLEST`; one address in `align` bytes is aligned.
        let gap = if align > C::GRAIN { Self::SMALLEST } else { 0 };
        let slack = if align > C::GRAIN { align + gap } else { 0 };
        if slack > C::LARGEST.saturating_sub(need) {
            return self.refuse();
        }
        let wanted = need + slack;
        let Some(Found { block, size, .. }) = self.find(wanted) else { return self.refuse() };
        let payload = block.payload().addr();
        let mut aligned = base::bits::align_up(payload, align);
        // Less code leaves a gap always.
        if COMPACT || (aligned != payload && aligned - payload < gap) {
            aligned = base::bits::align_up(payload + gap, align);
        }
        // SAFETY: the block is free, in no bin, and has room for the worst gap.
        Some(unsafe { self.occupy_at(block, size, aligned - payload, need) })
    }

    /// Makes `need` bytes of a free block used, `gap` bytes above its start; what is below and
    /// above becomes free blocks.
    /// The caller promises: the block is free, in no bin, of `size` bytes, `gap + need <= size`, and the gap is 0 or at least
    /// the smallest block.
    pub(super) unsafe fn occupy_at(
        self,
        block: Block,
        size: usize,
        gap: usize,
        need: usize,
    ) -> NonNull<u8> {
        if gap == 0 {
            // SAFETY: the caller's promise.
            return unsafe { self.occupy(block, size, need, 0) };
        }
        let upper = block.above(gap);
        // SAFETY: the lower part of the free block; it ends below `upper`, which is about to say so.
        unsafe { self.list(block, gap) };
        // SAFETY: the rest of the free block.
        unsafe { self.occupy(upper, size - gap, need, PREV_FREE) }
    }

    /// A block whose payload begins at `at`, if the memory there is free. O(blocks of the pool).
    pub(super) fn allocate_at<P: Placement>(self, at: *mut u8, size: usize) -> Option<NonNull<u8>> {
        let need = P::block_size::<C>(size, Self::SMALLEST)?;
        let wanted = Block::of(at);
        if !at.addr().is_multiple_of(C::GRAIN) {
            return None;
        }
        let pool = self.pools().find(|pool| pool.contains(wanted.address()))?;
        let (mut block, sentinel) = (pool.first(C::GRAIN), pool.sentinel(C::GRAIN));
        while block != sentinel {
            // SAFETY: by pool-T6 blocks follow each other up to the sentinel.
            let header = unsafe { block.header::<T>() };
            let size = Self::size_of(header);
            let gap = wanted.address().checked_sub(block.address())?;
            if gap < size {
                let fits = header & USED == 0 && need <= size - gap;
                if !fits || (gap != 0 && gap < Self::SMALLEST) {
                    return None;
                }
                // SAFETY: it is free, so in a bin (bins-T3).
                unsafe { self.unlink_any(block) };
                // SAFETY: free, in no bin, and large enough.
                return Some(unsafe { self.occupy_at(block, size, gap, need) });
            }
            block = block.above(size);
        }
        None
    }
}

//! Allocating and freeing: the two paths whose longest run is what TLSF is taken for.
//!
//! ```text
//! allocate   take a block ─► large enough for two? ─► cut: [ used │ rest ] ─► rest into its bin
//! free       merge above ─► merge below ─► into its bin
//!
//!            [ used │ FREED │ free ]   [ free │ FREED │ used ]   [ free │ FREED │ free ]
//!        ─►  [ used │     free     ]   [     free     │ used ]   [        free         ]
//! ```
//!
//! Both are O(1) without a loop, which `cargo xtask wcet` proves of the machine code.

use core::alloc::Layout;
use core::hint::cold_path;
use core::ptr::NonNull;

use super::bins::{COMPACT, Found, Table};
use super::block::{Block, FLAGS, PREV_FREE, USED};
use super::control::Control;
use super::placement::Placement;
use super::tier::{Misuse, Tier, misused};

impl<C: Control, T: Tier> Table<C, T> {
    /// A block for `layout`. Asks no more than two comparisons of a layout that needs no
    /// alignment beyond the grain.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) fn allocate<P: Placement>(self, layout: Layout) -> Option<NonNull<u8>> {
        if COMPACT || layout.align() > C::GRAIN {
            return self.allocate_aligned::<P>(layout.size(), layout.align());
        }
        self.allocate_bytes::<P>(layout.size())
    }

    /// A block with a payload of `size` bytes, aligned to the grain.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) fn allocate_bytes<P: Placement>(self, size: usize) -> Option<NonNull<u8>> {
        if COMPACT {
            return self.allocate_aligned::<P>(size, 1);
        }
        let Some(need) = P::block_size::<C>(size, Self::SMALLEST) else { return self.refuse() };
        match self.take(need) {
            Ok(Found { block, size, exact: true }) => {
                // SAFETY: `take` hands over a free block in no bin, of this size.
                Some(unsafe { self.occupy_whole(block, size, 0) })
            }
            Ok(Found { block, size, .. }) => {
                // SAFETY: `take` hands over a free block in no bin, of this size.
                let payload = unsafe { self.occupy(block, size, need, 0) };
                Some(payload)
            }
            Err(first) => self.allocate_probing(first, need),
        }
    }

    /// When no higher bin has a block: one of the next few of the bin itself, or none. A function
    /// of its own that is called last, so that the path before it keeps its registers.
    #[cold]
    #[inline(never)]
    fn allocate_probing(self, first: Block, need: usize) -> Option<NonNull<u8>> {
        let Some(Found { block, size, .. }) = self.probe(first, need) else { return self.refuse() };
        // SAFETY: `probe` hands over a free block in no bin, of this size.
        Some(unsafe { self.occupy(block, size, need, 0) })
    }

    /// Counts a request that cannot be met.
    #[cold]
    #[cfg_attr(not(feature = "compact"), inline(never))]
    pub(super) fn refuse(self) -> Option<NonNull<u8>> {
        // SAFETY: the control block is ours.
        unsafe { (*self.head()).failures += 1 };
        None
    }

    /// Takes back the count of the last refusal: memory was found, and the request comes again.
    pub(super) fn forget_refusal(self) {
        // SAFETY: the control block is ours.
        unsafe { (*self.head()).failures -= 1 };
    }

    /// Makes the lower `need` bytes of a free block used and lists the rest, if it is a block.
    /// `below` is the used block's `PREV_FREE` flag.
    /// The caller promises: the block is free, in no bin, of `size` bytes, and `need <= size`.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) unsafe fn occupy(
        self,
        block: Block,
        size: usize,
        need: usize,
        below: usize,
    ) -> NonNull<u8> {
        let rest = size - need;
        let above = block.above(size);
        if rest >= C::LISTED {
            // SAFETY: the block is the caller's.
            unsafe { block.set_header::<T>(need | USED | below) };
            self.count(need);
            let upper = block.above(need);
            // SAFETY: the upper part of the free block, large enough for one.
            unsafe { upper.set_header::<T>(rest) };
            // SAFETY: it ends where the free block ended, whose `PREV_FREE` is set.
            unsafe { above.set_size_below(rest) };
            // SAFETY: free, of this size, in no bin.
            unsafe { self.insert(upper, rest) };
        } else if Self::CRUMBS && rest != 0 {
            cold_path();
            // SAFETY: the block is the caller's.
            unsafe { block.set_header::<T>(need | USED | below) };
            self.count(need);
            // SAFETY: two words that end where the free block ended.
            unsafe { self.insert_crumb(block.above(need)) };
        } else {
            cold_path();
            // SAFETY: the caller's promise.
            return unsafe { self.occupy_whole(block, size, below) };
        }
        // SAFETY: a block of ours is nowhere near null.
        unsafe { NonNull::new_unchecked(block.payload()) }
    }

    /// Makes a whole free block used.
    /// The caller promises: as [`occupy`](Self::occupy).
    #[cfg_attr(not(feature = "compact"), inline(always))]
    unsafe fn occupy_whole(self, block: Block, size: usize, below: usize) -> NonNull<u8> {
        let above = block.above(size);
        // SAFETY: a block follows each that is not the sentinel (pool-T6).
        let header = unsafe { above.header::<T>() };
        // SAFETY: as above.
        unsafe { above.set_header::<T>(header & !PREV_FREE) };
        // SAFETY: the block is the caller's.
        unsafe { block.set_header::<T>(size | USED | below) };
        self.count(size);
        // SAFETY: a block of ours is nowhere near null.
        unsafe { NonNull::new_unchecked(block.payload()) }
    }

    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) fn count(self, taken: usize) {
        // SAFETY: the control block is ours.
        unsafe { (*self.head()).used += taken };
    }

    /// The peak is noted when use goes down from it, so that allocating need not look at it.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) fn count_free(self, given: usize) {
        // SAFETY: the control block is ours.
        let head = unsafe { &mut *self.head() };
        let used = head.used;
        if used > head.peak {
            head.peak = used;
        }
        head.used = used - given;
    }

    /// Frees the block whose payload is at `payload`.
    /// The caller promises: it is live, and dead afterwards. The tiers check that.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) unsafe fn free(self, payload: NonNull<u8>) {
        let block = Block::of(payload.as_ptr());
        if T::NEIGHBOURS {
            self.inspect(block);
        }
        // SAFETY: a live block has a header.
        let header = unsafe { block.header::<T>() };
        // SAFETY: the caller's promise.
        unsafe { self.merge(block, header, header & !FLAGS) };
    }

    /// Frees a block whose layout is known. Where a processor looks ahead, the block above can be
    /// read while the header is still on its way: every block is as large as its request makes
    /// it, since what is left over is at least a crumb.
    /// The caller promises: it is live, of this layout, and dead afterwards. The tiers check that.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) unsafe fn free_sized<P: Placement>(self, payload: NonNull<u8>, layout: Layout) {
        if !Self::EXACT && !T::NEIGHBOURS {
            // SAFETY: the caller's promise.
            return unsafe { self.free(payload) };
        }
        let block = Block::of(payload.as_ptr());
        let known = P::block_of::<C>(layout.size(), Self::SMALLEST);
        if T::NEIGHBOURS {
            self.inspect(block);
        }
        // SAFETY: a live block has a header.
        let header = unsafe { block.header::<T>() };
        let size = header & !FLAGS;
        // Where there are no crumbs, what was left over may be part of the block.
        if T::NEIGHBOURS && (size < known || size - known >= Self::SMALLEST) {
            misused(Misuse::WrongSize, payload.addr().get());
        }
        let known = if Self::EXACT { known } else { size };
        debug_assert_eq!(size, known, "the block was allocated with another layout");
        // SAFETY: the caller's promise.
        unsafe { self.merge(block, header, known) };
    }

    /// Merges a block with its free neighbours and lists the result.
    /// The caller promises: it was live, with this header, of this size.
    #[inline(always)]
    unsafe fn merge(self, mut block: Block, header: usize, mut size: usize) {
        self.count_free(size);
        let mut next = block.above(size);
        // SAFETY: a block follows each that is not the sentinel (pool-T6).
        let above = unsafe { next.header::<T>() };
        if Self::is_crumb(above) {
            // SAFETY: it is one.
            unsafe { self.unlink_crumb(next) };
            next = next.above(C::GRAIN);
            size += C::GRAIN;
        } else if above & USED == 0 {
            // SAFETY: it is free, so in a bin (bins-T3).
            unsafe { self.unlink(next) };
            // By block-T2 its header is its size.
            next = next.above(above);
            size += above;
        } else {
            // SAFETY: as above.
            unsafe { next.set_header::<T>(above | PREV_FREE) };
        }
        if header & PREV_FREE != 0 {
            // SAFETY: the header says so.
            let below = unsafe { block.word_below() };
            if Self::is_crumb(below) {
                block = block.below(C::GRAIN);
                size += C::GRAIN;
                // SAFETY: it is one.
                unsafe { self.unlink_crumb(block) };
            } else {
                block = block.below(below);
                size += below;
                // SAFETY: it is free, so in a bin (bins-T3).
                unsafe { self.unlink(block) };
            }
        } else if Self::CRUMBS && size == C::GRAIN {
            // SAFETY: two words between blocks in use.
            return unsafe { self.insert_crumb(block) };
        }
        // SAFETY: what follows has `PREV_FREE` set.
        unsafe { next.set_size_below(size) };
        // SAFETY: the merged block is ours.
        unsafe { block.set_header::<T>(size) };
        // SAFETY: free, of this size, in no bin.
        unsafe { self.insert(block, size) };
    }

    /// Ends in a panic unless `block` is a used one of this allocator whose neighbours agree.
    #[cold]
    #[inline(never)]
    pub(super) fn inspect(self, block: Block) {
        let at = block.address();
        let foreign = || misused(Misuse::Foreign, block.payload().addr());
        let Some(pool) = self.pools().find(|pool| pool.contains(at)) else { foreign() };
        let (first, sentinel) = (pool.first(C::GRAIN).address(), pool.sentinel(C::GRAIN).address());
        if at < first || at >= sentinel || !block.payload().addr().is_multiple_of(C::GRAIN) {
            foreign();
        }
        // SAFETY: the address lies among the pool's blocks, whose words are all readable.
        let header = unsafe { block.header::<T>() };
        let size = header & !FLAGS;
        if header & USED == 0 {
            misused(Misuse::DoubleFree, block.payload().addr());
        }
        let fits = size >= Self::SMALLEST && size <= sentinel - at && size.is_multiple_of(C::GRAIN);
        if !fits {
            misused(Misuse::Overwritten, at);
        }
        // SAFETY: it lies at most at the sentinel.
        let above = unsafe { block.above(size).header::<T>() };
        if above & PREV_FREE != 0 {
            // The block above says that this one is free: it is part of a free block by now.
            misused(Misuse::DoubleFree, block.payload().addr());
        }
        if header & PREV_FREE != 0 {
            // SAFETY: the header says so.
            let below = unsafe { self.size_below(block) };
            if below > at - first || below < Self::SMALLEST || !below.is_multiple_of(C::GRAIN) {
                misused(Misuse::Overwritten, at);
            }
            // SAFETY: it lies among the pool's blocks.
            let lower = unsafe { block.below(below).header::<T>() };
            if Self::size_of(lower) != below || lower & USED != 0 {
                misused(Misuse::Overwritten, at);
            }
        }
    }
}

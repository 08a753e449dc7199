//! `Tlsf`: rlsf's interface, method by method, over [`block::tlsf`].

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::num::NonZeroUsize;
use core::ptr::NonNull;

use const_default::ConstDefault;

use crate::GRANULARITY;
use crate::int::{BinInteger, Core};

/// A TLSF allocator that borrows its memory for `'pool`.
///
/// `FLBitmap` chooses the geometry (see the [crate's page](crate)); the other parameters are checked as rlsf does, so
/// that a program which compiles with one compiles with the other.
#[derive(Debug)]
pub struct Tlsf<
    'pool,
    FLBitmap: BinInteger,
    SLBitmap: BinInteger,
    const FLLEN: usize,
    const SLLEN: usize,
> {
    heap: FLBitmap::Heap,
    kind: PhantomData<(&'pool mut [MaybeUninit<u8>], SLBitmap)>,
}

// SAFETY: a shared reference only reads.
unsafe impl<F: BinInteger, S: BinInteger, const FLLEN: usize, const SLLEN: usize> Sync
    for Tlsf<'_, F, S, FLLEN, SLLEN>
{
}

impl<F: BinInteger, S: BinInteger, const FLLEN: usize, const SLLEN: usize> Default
    for Tlsf<'_, F, S, FLLEN, SLLEN>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<F: BinInteger, S: BinInteger, const FLLEN: usize, const SLLEN: usize> ConstDefault
    for Tlsf<'_, F, S, FLLEN, SLLEN>
{
    const DEFAULT: Self = Self::new();
}

impl<'pool, F: BinInteger, S: BinInteger, const FLLEN: usize, const SLLEN: usize>
    Tlsf<'pool, F, S, FLLEN, SLLEN>
{
    const VALID: () = {
        assert!(FLLEN > 0 && SLLEN > 0, "FLLEN and SLLEN must not be zero");
        assert!(FLLEN <= F::BITS as usize, "FLLEN: more levels than FLBitmap has bits");
        assert!(SLLEN <= S::BITS as usize, "SLLEN: more lists than SLBitmap has bits");
        assert!(SLLEN.is_power_of_two(), "SLLEN must be a power of two");
        // rlsf's largest block: it counts in fours of words.
        let four = 4 * size_of::<usize>();
        let levels = FLLEN as u32 + four.trailing_zeros();
        let half = 1_usize << (usize::BITS - 1);
        let promised = if levels >= usize::BITS { half - four } else { (1 << levels) - four };
        let kept = <F::Heap as Core>::LARGEST;
        // 256 GiB in one block is as good as no limit.
        assert!(kept >= promised || kept.ilog2() >= 37, "FLBitmap's geometry covers FLLEN");
    };

    /// An allocator without memory.
    pub const fn new() -> Self {
        let () = Self::VALID;
        Tlsf { heap: <F::Heap as Core>::NEW, kind: PhantomData }
    }

    /// Adds memory: how many of its bytes, from its beginning, belong to the allocator now. `None`: too small, or it
    /// overlaps what the allocator has.
    ///
    /// O(pools).
    /// # Safety
    /// The memory is the allocator's from now on, and outlives it.
    pub unsafe fn insert_free_block_ptr(&mut self, block: NonNull<[u8]>) -> Option<NonZeroUsize> {
        let start = block.cast::<u8>();
        let end = start.addr().get().saturating_add(block.len());
        let len = (end & !(GRANULARITY - 1)).checked_sub(start.addr().get())?;
        let mut taken = 0;
        while taken < len {
            let piece = (len - taken).min(<F::Heap as Core>::LARGEST & !(GRANULARITY - 1));
            // SAFETY: `taken` is less than the block's length.
            let at = unsafe { start.add(taken) };
            // SAFETY: the caller's promise.
            if unsafe { base::AddMemory::add_memory(&mut self.heap, at.as_ptr(), piece) }.is_err() {
                break;
            }
            taken += piece;
        }
        NonZeroUsize::new(taken)
    }

    /// Adds memory that begins where memory added before ends, and joins the two: how many bytes more belong to the
    /// allocator now; 0 when they are too few.
    ///
    /// O(pools).
    /// # Safety
    /// As [`insert_free_block_ptr`](Self::insert_free_block_ptr).
    pub unsafe fn append_free_block_ptr(&mut self, block: NonNull<[u8]>) -> usize {
        let len = block.len() & !(GRANULARITY - 1);
        // SAFETY: the caller's promise.
        let joined = unsafe { self.heap.append(block.cast().as_ptr(), len) };
        if joined { len } else { 0 }
    }

    /// Adds memory that is borrowed for as long as the allocator lives.
    ///
    /// O(pools).
    pub fn insert_free_block(
        &mut self,
        block: &'pool mut [MaybeUninit<u8>],
    ) -> Option<NonZeroUsize> {
        let block = NonNull::from(block);
        let block = NonNull::slice_from_raw_parts(block.cast::<u8>(), block.len());
        // SAFETY: borrowed mutably for `'pool`.
        unsafe { self.insert_free_block_ptr(block) }
    }

    /// Memory for `layout`, size 0 included; `None`: no block is large enough. O(1).
    #[inline]
    pub fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        base::BlockAllocator::allocate(&mut self.heap, layout)
    }

    /// Gives a block back. O(1).
    /// # Safety
    /// It was allocated here with the alignment `align`, is live, and is dead afterwards.
    #[inline]
    pub unsafe fn deallocate(&mut self, ptr: NonNull<u8>, align: usize) {
        // Our blocks carry all that freeing needs.
        let _ = align;
        // SAFETY: the caller's promise.
        unsafe { base::Free::free(&mut self.heap, ptr) }
    }

    /// The block with `new_layout.size()` bytes, its contents kept, perhaps elsewhere; `None`: it stays as it was.
    /// O(size) where it moves.
    /// # Safety
    /// It was allocated here with the alignment of `new_layout`, is live, and is dead once another address is returned.
    pub unsafe fn reallocate(
        &mut self,
        ptr: NonNull<u8>,
        new_layout: Layout,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        unsafe { self.heap.reallocate_block(ptr, new_layout.align(), new_layout.size()) }
    }

    /// Bytes of a block that may be used: at least those asked for. O(1).
    /// # Safety
    /// The block was allocated by a `Tlsf` of this type and is live.
    #[cfg(feature = "unstable")]
    pub unsafe fn allocation_usable_size(ptr: NonNull<u8>) -> usize {
        // The answer stands in the block; the allocator that has it is not asked.
        // SAFETY: the caller's promise.
        unsafe { base::UsableSize::usable_size(&<F::Heap as Core>::NEW, ptr) }
    }

    /// The blocks of the memory that was added as `pool`, upward. O(blocks) as a whole when it is summed, folded or
    /// counted; a `for` loop looks up its place again every few blocks.
    /// # Safety
    /// As in rlsf, `pool` is memory that was added here; what is not simply has no blocks.
    #[cfg(feature = "unstable")]
    pub unsafe fn iter_blocks(
        &self,
        pool: NonNull<[u8]>,
    ) -> impl Iterator<Item = crate::BlockInfo<'_>> + Send + '_ {
        crate::blocks::Blocks::new(self, pool.cast::<u8>().addr().get(), pool.len())
    }

    #[cfg(feature = "unstable")]
    pub(crate) fn walk(&self, visit: &mut dyn FnMut(base::Piece) -> core::ops::ControlFlow<()>) {
        base::Walk::walk(&self.heap, visit);
    }
}

#[cfg(test)]
mod tests;

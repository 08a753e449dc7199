//! The fits: one heap with boundary tags, and the choice of block a type parameter.
//!
//! ```text
//! Fit ─► holes: a tree of the free blocks       counts: total, used, peak, failures
//!     ─► pools ─► [ record │ block │ block │ block │ … │ sentinel ] ─► [ record │ …
//! ```
//!
//! - **fit-F1** every free block is in the tree, and nothing else is.
//! - **fit-F2** `total` is the sum of all blocks' sizes, `used` that of the used ones; neither counts
//!   records and sentinels, which hold no block.
//!
//! With block-H1 to H4, tree-T1, tree-T2 and pool-G1 this is all that holds
//! between calls. A request costs one word and the rounding to two words. A free block finds its
//! neighbours by boundary tags in O(1) (Knuth, "The Art of Computer Programming" 1, 2.5) and its
//! place in the tree in O(depth), about 2 ln n for n holes.
//!
//! Layer *block*. [`FirstFit`] keeps the high end of the memory in one piece, and the blocks
//! freed last do not matter to it; [`NextFit`] spreads over the memory; [`BestFit`] leaves the
//! smallest remainders; [`WorstFit`] leaves the largest ones. `heapwright bench` and
//! `docs/blocks.md` say what that comes to.
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use base::{BlockAllocator, Free, UsableSize};

mod block;
mod heap;
mod inspect;
mod policy;
mod pool;
mod resize;
mod tree;

pub use policy::{Best, First, Next, Policy, Worst};

use block::{Block, Link, MIN, UNIT, WORD, block_size};
use pool::Pools;
use tree::Tree;

/// A heap that takes the lowest block that fits.
pub type FirstFit = Fit<First>;
/// A heap that goes on searching where it stopped.
pub type NextFit = Fit<Next>;
/// A heap that takes the smallest block that fits.
pub type BestFit = Fit<Best>;
/// A heap that takes the largest block.
pub type WorstFit = Fit<Worst>;

/// A heap of blocks of any size in the memory it is given.
///
/// ```
/// use base::{AddMemory, BlockAllocator};
/// use core::alloc::Layout;
///
/// let mut memory = [0usize; 512];
/// let mut heap = heapwright_block::fit::FirstFit::new();
/// // SAFETY: `memory` is the heap's alone and outlives it.
/// unsafe { heap.add_memory(memory.as_mut_ptr().cast(), size_of_val(&memory)) }.unwrap();
/// let layout = Layout::new::<[u64; 4]>();
/// let block = heap.allocate(layout).unwrap();
/// // SAFETY: `block` is live and of this layout.
/// unsafe { heap.deallocate(block, layout) };
/// ```
pub struct Fit<P: Policy> {
    holes: Tree<P::Order>,
    policy: P,
    pools: Pools,
    total: usize,
    used: usize,
    peak: usize,
    failures: usize,
}

// SAFETY: the blocks and records that it points to are its own.
unsafe impl<P: Policy + Send> Send for Fit<P> {}

impl<P: Policy> Fit<P> {
    /// A heap without memory.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            holes: Tree::new(),
            policy: P::START,
            pools: Pools::new(),
            total: 0,
            used: 0,
            peak: 0,
            failures: 0,
        }
    }

    /// Finds a place for a used block of `size` bytes, its payload aligned to two words.
    #[inline]
    fn allocate_size(&mut self, size: usize) -> Option<NonNull<u8>> {
        let Some(link) = self.policy.choose(&self.holes, size) else {
            return self.refuse();
        };
        let block = link.get()?;
        let rest = block.hole_size() - size;
        if rest < MIN {
            self.holes.remove_at(link);
            block.use_whole();
            return Some(self.handed_out(block, size + rest));
        }
        // │ hole                    │ next f │
        // │ block used │ rest free  │ next f │
        let tail = block.further(size);
        tail.make_free_before_known(rest);
        self.holes.shrink_at(link, tail);
        block.make_used(size);
        Some(self.handed_out(block, size))
    }

    /// [`allocate_size`](Self::allocate_size) at a larger alignment.
    #[inline(never)]
    fn allocate_aligned(&mut self, size: usize, align: usize) -> Option<NonNull<u8>> {
        let Some(link) = self.policy.choose_aligned(&self.holes, size, align) else {
            return self.refuse();
        };
        let (block, size) = carve(&self.holes, link, link.get()?, align, size);
        Some(self.handed_out(block, size))
    }

    #[inline]
    fn handed_out(&mut self, block: Block, size: usize) -> NonNull<u8> {
        self.used += size;
        self.peak = self.peak.max(self.used);
        self.policy.served(block.address() + size);
        block.payload()
    }

    #[cold]
    fn refuse(&mut self) -> Option<NonNull<u8>> {
        self.failures += 1;
        None
    }
}

/// Cuts a used block of `size` bytes, its payload at a multiple of `align`, out of a hole that it
/// fits, and returns it with the size it has: a rest that is no block stays with it.
fn carve<O: tree::Order>(
    holes: &Tree<O>,
    link: Link,
    hole: Block,
    align: usize,
    size: usize,
) -> (Block, usize) {
    // │ hole                                 │ next f │
    // │ front free │ block used f │ rest free│ next f │
    holes.remove_at(link);
    let (whole, gap) = (hole.hole_size(), hole.gap(align));
    let block = hole.further(gap);
    let rest = whole - gap - size;
    let size = if rest < MIN { size + rest } else { size };
    block.make_used(whole - gap);
    block.next().set_previous_used();
    if rest >= MIN {
        let tail = block.further(size);
        block.set_size(size);
        tail.make_free(rest);
        holes.insert(tail);
    }
    if gap > 0 {
        hole.make_free(gap);
        holes.insert(hole);
    }
    (block, size)
}

// SAFETY: a block is a piece of a pool cut out of a hole (fit-F1), and its payload is aligned to
// two words (block-H1) or by the gap in front of it; no other used block has a byte of it.
unsafe impl<P: Policy> BlockAllocator for Fit<P> {
    /// O(depth); for alignments above two words, that for each hole where none is large enough wherever it lies.
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let size = block_size(layout.size());
        if layout.align() <= UNIT {
            self.allocate_size(size)
        } else {
            self.allocate_aligned(size, layout.align())
        }
    }

    /// O(1) by boundary tags, and O(depth) for the hole's place.
    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, _layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.free(block) };
    }

    /// In place where the block can shrink or the next one is free; O(size) where it moves.
    #[inline]
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        unsafe { self.resize_or_move(block, layout, new_size) }
    }
}

impl<P: Policy> Free for Fit<P> {
    /// As [`deallocate`](BlockAllocator::deallocate).
    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        let mut block = unsafe { Block::of(block) };
        debug_assert!(block.is_used(), "{:#x} is free already", block.address());
        let mut size = block.size();
        self.used -= size;
        // │ previous free │ block used f │ next free │ used f │
        // │ hole                                     │ used f │
        let next = Some(block.next()).filter(|next| !next.is_used());
        size += next.map_or(0, Block::hole_size);
        let previous = block.is_previous_free();
        if previous {
            block = block.previous();
            size += block.hole_size();
        }
        self.holes.merge(block, size, previous, next);
    }
}

impl<P: Policy> UsableSize for Fit<P> {
    /// O(1).
    #[inline]
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        unsafe { Block::of(block) }.size() - WORD
    }
}

impl<P: Policy> Default for Fit<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Policy> fmt::Debug for Fit<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fit")
            .field("total", &self.total)
            .field("used", &self.used)
            .field("peak", &self.peak)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! `Affix`: what an allocator wants to know when a block comes back, kept in front of it.
//!
//! ```text
//! inner block, a multiple of `offset`            what is handed out, a multiple of `offset` too
//! │ unused, when aligned to more │ capacity │ offset │ capacity bytes …        │
//! │◄──────────────── offset ─────────────────────►│
//! ```
//!
//! - **affix-A1** in front of each live block stand its capacity and its offset.
//! - **affix-A2** `offset` is the alignment asked for, at least that of two words; the inner block was
//!   allocated with it as its alignment and `offset + capacity` as its size.
//!
//! Layer *compose*. For designs that want the layout back, buddy and slabs, where the caller,
//! like C's `free`, has none. Two words a block; O(1) beyond the inner allocator. The capacity is what
//! makes the inner block a power of two, as those designs would round it up anyway.
use core::alloc::Layout;
use core::ptr::NonNull;

use base::{BlockAllocator, BlockStats, Free, ResizeInPlace, Stats, UsableSize};

use crate::growing::Trim;
use crate::pass_on::pass_on;

#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Prefix {
    capacity: usize,
    offset: usize,
}

const PREFIX: usize = size_of::<Prefix>();
const _: () = assert!(PREFIX.is_power_of_two(), "the least offset is an alignment");

impl Prefix {
    /// The inner block's layout, by affix-A2.
    #[inline]
    fn inner_layout(self) -> Layout {
        // SAFETY: it was a layout when the block was allocated.
        unsafe { Layout::from_size_align_unchecked(self.offset + self.capacity, self.offset) }
    }
}

/// `A` with each block's layout in front of it.
#[derive(Debug)]
pub struct Affix<A> {
    inner: A,
}

impl<A> Affix<A> {
    /// Around `inner`.
    pub const fn new(inner: A) -> Self {
        Self { inner }
    }

    /// What it is around.
    pub const fn inner(&self) -> &A {
        &self.inner
    }

    /// The prefix of a block of `size` bytes at a multiple of `offset`, and the inner layout.
    #[inline]
    fn plan(size: usize, offset: usize) -> Option<(Prefix, Layout)> {
        let total = size.checked_add(offset)?.checked_next_power_of_two()?;
        let layout = Layout::from_size_align(total, offset).ok()?;
        Some((Prefix { capacity: total - offset, offset }, layout))
    }

    pub(crate) fn inner_layout_for(layout: Layout) -> Option<Layout> {
        Self::plan(layout.size(), offset_for(layout.align())).map(|(_, inner)| inner)
    }

    /// [`allocate`](BlockAllocator::allocate), the inner block by `allocate_inner`.
    #[inline]
    pub(crate) fn allocate_by(
        &mut self,
        layout: Layout,
        allocate_inner: impl FnOnce(&mut A, Layout) -> Option<NonNull<u8>>,
    ) -> Option<NonNull<u8>> {
        let (prefix, inner_layout) = Self::plan(layout.size(), offset_for(layout.align()))?;
        let start = allocate_inner(&mut self.inner, inner_layout)?;
        // SAFETY: just allocated with this layout.
        Some(unsafe { hand_out(start, prefix) })
    }
}

/// The alignment of the inner block, and the distance to what is handed out.
#[inline]
fn offset_for(align: usize) -> usize {
    align.max(PREFIX)
}

/// Puts `prefix` into the inner block `start`; the block to hand out.
/// The caller promises: `start` is a block of the prefix's inner layout that is ours.
#[inline]
unsafe fn hand_out(start: NonNull<u8>, prefix: Prefix) -> NonNull<u8> {
    // SAFETY: the inner block has `offset` bytes and more.
    let block = unsafe { start.add(prefix.offset) };
    // SAFETY: the offset is at least a prefix.
    let place = unsafe { block.cast::<Prefix>().sub(1) };
    // SAFETY: ours, and both `block` and a prefix are multiples of a word.
    unsafe { place.write(prefix) };
    block
}

/// What stands in front of `block`, and where its inner block begins.
/// The caller promises: `block` was handed out and is live.
#[inline]
unsafe fn take_back(block: NonNull<u8>) -> (NonNull<u8>, Prefix) {
    // SAFETY: affix-A1.
    let place = unsafe { block.cast::<Prefix>().sub(1) };
    // SAFETY: affix-A1.
    let prefix = unsafe { place.read() };
    // SAFETY: affix-A2.
    (unsafe { block.sub(prefix.offset) }, prefix)
}

// SAFETY: the bytes behind the prefix of a block that the inner allocator handed out.
unsafe impl<A: BlockAllocator> BlockAllocator for Affix<A> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.allocate_by(layout, A::allocate)
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, _layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.free(block) };
    }

    #[inline]
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        _layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's block.
        if unsafe { self.resize_in_place(block, new_size) } {
            return Some(block);
        }
        // SAFETY: the caller's block.
        let (start, old) = unsafe { take_back(block) };
        let (new, inner_layout) = Self::plan(new_size, old.offset)?;
        // SAFETY: by affix-A2 the inner block and its layout; the new one is a layout with the same
        // alignment. The prefix moves with the contents.
        let moved =
            unsafe { self.inner.reallocate(start, old.inner_layout(), inner_layout.size()) }?;
        // SAFETY: a block of the new inner layout.
        Some(unsafe { hand_out(moved, new) })
    }
}

impl<A: BlockAllocator> Free for Affix<A> {
    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's block.
        let (start, prefix) = unsafe { take_back(block) };
        // SAFETY: by affix-A2 the inner block and its layout.
        unsafe { self.inner.deallocate(start, prefix.inner_layout()) };
    }
}

impl<A: BlockAllocator> UsableSize for Affix<A> {
    #[inline]
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's block.
        unsafe { take_back(block) }.1.capacity
    }
}

/// Within the capacity, unless more than half of it would be wasted.
impl<A: BlockAllocator> ResizeInPlace for Affix<A> {
    #[inline]
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool {
        // SAFETY: the caller's block.
        let (_, prefix) = unsafe { take_back(block) };
        let fits = new_size <= prefix.capacity;
        fits && (new_size > prefix.capacity / 2 || prefix.capacity <= 2 * PREFIX)
    }
}

impl<A: Trim> Trim for Affix<A> {
    fn trim(&mut self) -> usize {
        self.inner.trim()
    }
}

/// The largest block is what is left of a power of two behind the prefix.
impl<A: Stats> Stats for Affix<A> {
    #[inline]
    fn stats(&self) -> BlockStats {
        let stats = self.inner.stats();
        let inner = stats.largest_free.checked_ilog2().map_or(0, |order| 1 << order);
        BlockStats { largest_free: usize::saturating_sub(inner, PREFIX), ..stats }
    }
}

pass_on! { [A] Affix<A>: AddMemory RemoveMemory Owns Reset Walk Check }

#[cfg(test)]
mod tests;

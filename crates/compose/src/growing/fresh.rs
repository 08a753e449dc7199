//! `AllocateFresh`: which bytes of a new block are zero already.
use core::alloc::Layout;
use core::ptr::NonNull;

use base::{AddMemory, BlockAllocator, RemoveMemory, Stats};
use block::fit::{Fit, Policy};
use block::sharded::Sharded;
use block::tlsf::{Control, Heap, Placement, Tier};
use kernel::buddy::Buddy;
use kernel::size_slabs::SizeSlabs;
use source::PageSource;

use super::{Growing, RoomFor};
use crate::affix::Affix;
use crate::pooled::Pooled;

/// Can hand out memory that nobody has written to yet, and say so.
pub trait AllocateFresh: BlockAllocator {
    /// A block, and how many bytes at each of its ends may not be zero; between them all are. By
    /// itself an allocator knows nothing of any byte.
    #[inline]
    fn allocate_fresh(&mut self, layout: Layout) -> Option<(NonNull<u8>, usize)> {
        self.allocate(layout).map(|block| (block, usize::MAX))
    }
}

impl<C: Control, P: Placement, T: Tier> AllocateFresh for Heap<C, P, T> {}
impl<P: Policy> AllocateFresh for Fit<P> {}
impl<const UNIT: usize> AllocateFresh for Buddy<UNIT> {}
impl<const PAGE: usize> AllocateFresh for SizeSlabs<PAGE> {}
impl AllocateFresh for Sharded {}
impl<A: BlockAllocator + AddMemory> AllocateFresh for Pooled<A> {}

/// What has just been mapped is zero, but for what the allocator keeps at the ends.
impl<A, S: PageSource> AllocateFresh for Growing<A, S>
where
    A: BlockAllocator + RemoveMemory + RoomFor + Stats,
{
    #[inline]
    fn allocate_fresh(&mut self, layout: Layout) -> Option<(NonNull<u8>, usize)> {
        match self.inner.allocate(layout) {
            Some(block) => Some((block, usize::MAX)),
            None => {
                let block = self.allocate_slow(layout)?;
                let edge = if self.is_in_newest(block) { A::EDGE } else { usize::MAX };
                Some((block, edge))
            }
        }
    }
}

/// The prefix is in front of the block, where the inner one's first bytes are.
impl<A: AllocateFresh> AllocateFresh for Affix<A> {
    #[inline]
    fn allocate_fresh(&mut self, layout: Layout) -> Option<(NonNull<u8>, usize)> {
        let mut edge = usize::MAX;
        let block = self.allocate_by(layout, |inner, layout| {
            let (block, inner_edge) = inner.allocate_fresh(layout)?;
            edge = inner_edge;
            Some(block)
        })?;
        Some((block, edge))
    }
}

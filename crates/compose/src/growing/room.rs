//! `RoomFor`: what memory an allocator needs for a request.
use core::alloc::Layout;

use base::BlockAllocator;

use crate::affix::{Affix, Rounding};
use crate::copying::Copying;

/// Can say what piece of memory would serve a request.
pub trait RoomFor {
    /// The least length, and the alignment, of a piece of memory that, added now, surely serves a
    /// request of `layout`, whatever else is live. `None`: no piece does.
    fn room_for(&self, layout: Layout) -> Option<Layout>;
}

impl<A: RoomFor> RoomFor for Copying<A> {
    fn room_for(&self, layout: Layout) -> Option<Layout> {
        self.inner().room_for(layout)
    }
}

impl<A: RoomFor + BlockAllocator, R: Rounding> RoomFor for Affix<A, R> {
    fn room_for(&self, layout: Layout) -> Option<Layout> {
        self.inner().room_for(Self::inner_layout_for(layout)?)
    }
}

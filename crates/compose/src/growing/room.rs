//! `RoomFor`: what memory an allocator needs for a request.
use core::alloc::Layout;

use base::BlockAllocator;
use base::bits::align_up;
use block::fit::{Fit, Policy};
use block::sharded::Sharded;
use block::tlsf::{Control, Heap, Placement, Tier};
use kernel::buddy::Buddy;
use kernel::size_slabs::SizeSlabs;
use kernel::size_slabs::class::Class;

use crate::affix::Affix;

/// Can say what piece of memory would serve a request, and where it writes in free memory.
pub trait RoomFor {
    /// All that the allocator keeps in a piece of free memory stands within `EDGE` bytes of the
    /// piece's ends; what is between, it neither reads nor writes.
    const EDGE: usize;

    /// The least length, and the alignment, of a piece of memory that, added now, surely serves a
    /// request of `layout`, whatever else is live. `None`: no piece does.
    fn room_for(&self, layout: Layout) -> Option<Layout>;
}

impl<A: RoomFor + BlockAllocator> RoomFor for Affix<A> {
    const EDGE: usize = A::EDGE;

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        self.inner().room_for(Self::inner_layout_for(layout)?)
    }
}

impl<C: Control, P: Placement, T: Tier> RoomFor for Heap<C, P, T> {
    /// Header, two links and the size below; the grain.
    const EDGE: usize = 4 * size_of::<usize>() + C::GRAIN;

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        Layout::from_size_align(Self::size_for(layout)?, C::GRAIN).ok()
    }
}

/// A fit's block is its payload and a word, in steps of two words; a region has a record of three
/// words and a sentinel of one; a larger alignment costs a gap that is a block, at worst.
impl<P: Policy> RoomFor for Fit<P> {
    /// Header and two links; the footer.
    const EDGE: usize = 4 * size_of::<usize>();

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        const WORD: usize = size_of::<usize>();
        const STEP: usize = 2 * WORD;
        const SMALLEST: usize = 4 * WORD;
        let gap = if layout.align() > STEP { layout.align() + SMALLEST } else { 0 };
        let payload = layout.size().checked_add(WORD)?.checked_add(gap)?;
        let len = align_up(payload, STEP).max(SMALLEST).checked_add(4 * WORD)?;
        Layout::from_size_align(len, STEP).ok()
    }
}

/// A block of 2^k bytes is at a multiple of 2^k, behind the region's record and state, which are
/// less than another such block: so twice its length, at such a multiple.
impl<const UNIT: usize> RoomFor for Buddy<UNIT> {
    /// Two links.
    const EDGE: usize = 2 * size_of::<usize>();

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        const RECORD: usize = 16 * size_of::<usize>();
        let whole = layout.size().max(layout.align()).checked_next_power_of_two()?;
        let whole = whole.max(4 * UNIT).max(RECORD);
        Layout::from_size_align(whole.checked_mul(2)?, whole).ok()
    }
}

/// What the buddy system below needs for the slab, or for the pages.
impl<const PAGE: usize> RoomFor for SizeSlabs<PAGE> {
    /// The objects of a slab are linked wherever they are.
    const EDGE: usize = isize::MAX.cast_unsigned();

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        let len = match Class::of(layout) {
            Some(class) => class.slab_len::<PAGE>(),
            None => layout.size(),
        };
        let block = Layout::from_size_align(len, layout.align()).ok()?;
        Buddy::<PAGE>::new().room_for(block)
    }
}

/// A segment's slices are a 64th of it, from 4 to 64 KiB: less than three are lost at its ends and behind the block, and a
/// descriptor for each slice is less than a fiftieth. A class is at most a quarter larger than the request.
impl RoomFor for Sharded {
    /// Blocks of a page are linked wherever they are.
    const EDGE: usize = isize::MAX.cast_unsigned();

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        let block = layout.size().checked_add(layout.size() / 4)?.checked_add(layout.align())?;
        let len = block.checked_add(block / 8)?.checked_add(24 << 10)?;
        Layout::from_size_align(len, 16).ok()
    }
}

#[cfg(test)]
mod tests;

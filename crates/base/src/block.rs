//! `BlockAllocator`: blocks of any size out of memory it was given, with one owner.
//!
//! What more an allocator can do it says by the traits of [`ability`](crate::ability).

use core::alloc::Layout;
use core::ptr::NonNull;

/// Blocks of any size and alignment, from `&mut self`: one owner, no lock.
/// # Safety
/// An implementer returns memory that is valid for the layout's size, aligned as it says, and
/// not handed out again before it is given back.
pub unsafe trait BlockAllocator {
    /// `layout.size()` bytes, uninitialised; size 0 gives an address like any other. `None`: no
    /// block is large enough.
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>>;

    /// Gives a block back.
    /// # Safety
    /// `block` was allocated here with `layout`, is live, and is dead afterwards.
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout);

    /// [`allocate`](Self::allocate), and the bytes are zero. O(size).
    #[inline]
    fn allocate_zeroed(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let block = self.allocate(layout)?;
        // SAFETY: just allocated with this size.
        unsafe { block.write_bytes(0, layout.size()) };
        Some(block)
    }

    /// The block with `new_size` bytes, its contents and alignment kept, perhaps elsewhere.
    /// O(size) where it moves, and here it always does. `None`: the old block stays as it was.
    /// # Safety
    /// As [`deallocate`](Self::deallocate) once another address is returned; `new_size` makes a
    /// valid [`Layout`] with `layout.align()`.
    #[inline]
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        unsafe { moved(self, block, layout, new_size) }
    }
}

/// The block elsewhere, with `new_size` bytes and its contents. O(size). `None`: the old block stays as it was.
/// # Safety
/// As [`BlockAllocator::reallocate`].
#[inline]
pub unsafe fn moved<A: BlockAllocator + ?Sized>(
    allocator: &mut A,
    block: NonNull<u8>,
    layout: Layout,
    new_size: usize,
) -> Option<NonNull<u8>> {
    // SAFETY: the caller's promise about `new_size`.
    let wanted = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
    let new = allocator.allocate(wanted)?;
    // SAFETY: both are live, of at least the lesser size, and apart.
    unsafe { new.copy_from_nonoverlapping(block, layout.size().min(new_size)) };
    // SAFETY: the caller gives it up.
    unsafe { allocator.deallocate(block, layout) };
    Some(new)
}

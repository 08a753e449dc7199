//! C's rules for arguments, once for all allocators.

use core::alloc::Layout;
use core::ptr::{self, NonNull};

use base::{BlockAllocator, Free, UsableSize};

/// A pointer for C.
#[inline(always)]
pub(crate) fn pointer(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(ptr::null_mut(), NonNull::as_ptr)
}

/// The layout of `size` bytes at `alignment`, if that is a power of two and the size is one that
/// an object can have.
#[inline]
pub(crate) fn layout(alignment: usize, size: usize) -> Option<Layout> {
    Layout::from_size_align(size, alignment).ok()
}

/// Clears `size` bytes of a new block.
///
/// # Safety
///
/// The block is null or has so many bytes.
#[inline]
pub(crate) unsafe fn zeroed(block: *mut u8, size: usize) -> *mut u8 {
    if !block.is_null() {
        // SAFETY: the caller's promise.
        unsafe { block.write_bytes(0, size) };
    }
    block
}

/// What `realloc` does besides giving a live block a size other than 0.
pub(crate) enum Resize {
    /// No block: allocate.
    New,
    /// Size 0: the block was freed.
    Freed,
    /// The block.
    Of(NonNull<u8>),
}

/// Sorts out the calls of `realloc` that are `malloc` or `free`, and frees.
///
/// # Safety
///
/// `block` is null or live.
#[inline]
pub(crate) unsafe fn resize(heap: &mut impl Free, block: *mut u8, size: usize) -> Resize {
    let Some(block) = NonNull::new(block) else { return Resize::New };
    if size != 0 {
        return Resize::Of(block);
    }
    // SAFETY: the caller's promise.
    unsafe { heap.free(block) };
    Resize::Freed
}

/// The block elsewhere, with this layout. Null: it stays as it was.
///
/// # Safety
///
/// `block` is live.
pub(crate) unsafe fn moved<H: BlockAllocator + Free + UsableSize>(
    heap: &mut H,
    block: NonNull<u8>,
    layout: Layout,
) -> *mut u8 {
    let Some(new) = heap.allocate(layout) else { return ptr::null_mut() };
    // SAFETY: the caller's promise.
    let kept = unsafe { heap.usable_size(block) }.min(layout.size());
    // SAFETY: both are live, of at least so many bytes, and apart.
    unsafe { new.copy_from_nonoverlapping(block, kept) };
    // SAFETY: the caller gives it up.
    unsafe { heap.free(block) };
    new.as_ptr()
}

/// Whether two ranges have a byte in common. Neither goes round.
pub(crate) fn overlap(start: usize, len: usize, other: usize, other_len: usize) -> bool {
    start < other + other_len && other < start + len
}

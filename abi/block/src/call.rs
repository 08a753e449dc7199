//! C's rules for arguments, once for all allocators.

use core::alloc::Layout;
use core::ptr::{self, NonNull};

use base::{AddError, BlockAllocator};

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

/// Null. A size too large for any object counts as a failure, an alignment that is none does not.
#[cold]
#[inline(never)]
fn refuse(heap: &mut impl BlockAllocator, alignment: usize) -> *mut u8 {
    let most = layout(1, isize::MAX.unsigned_abs()).filter(|_| alignment.is_power_of_two());
    // No memory is that large.
    pointer(most.and_then(|most| heap.allocate(most)))
}

/// C's `memalign`, and with alignment 1 its `malloc`.
#[inline(always)]
pub(crate) fn memalign(heap: &mut impl BlockAllocator, alignment: usize, size: usize) -> *mut u8 {
    match layout(alignment, size) {
        Some(layout) => pointer(heap.allocate(layout)),
        None => refuse(heap, alignment),
    }
}

/// Clears `size` bytes of a new block.
/// The caller promises: the block is null or has `size` bytes.
#[inline]
pub(crate) unsafe fn zeroed(block: *mut u8, size: usize) -> *mut u8 {
    if !block.is_null() {
        // SAFETY: the caller's promise.
        unsafe { block.write_bytes(0, size) };
    }
    block
}

/// A heap as C has it. What is called is a function that the program has already, so that `realloc`
/// need not bring it once more.
pub(crate) trait Heap: Copy {
    fn exists(self) -> bool;

    /// Null: none is large enough, or the alignment is none.
    unsafe fn memalign(self, alignment: usize, size: usize) -> *mut u8;

    /// The block is live, and dead afterwards.
    unsafe fn free(self, block: *mut u8);

    /// The block is live, and aligned as its layout says; the new size makes a layout.
    unsafe fn reallocate(self, block: NonNull<u8>, old: Layout, size: usize) -> *mut u8;

    /// The block is live.
    unsafe fn usable(self, block: NonNull<u8>) -> usize;
}

/// C's `realloc`, at an alignment: null allocates, size 0 frees, and a block that is not aligned
/// so moves.
/// The caller promises: `block` is null or live, and dead once something else is returned, or the size is 0.
#[inline(always)]
pub(crate) unsafe fn realloc(
    heap: impl Heap,
    block: *mut u8,
    alignment: usize,
    size: usize,
) -> *mut u8 {
    if !heap.exists() {
        return ptr::null_mut();
    }
    let wanted = layout(alignment, size);
    let (Some(block), Some(_)) = (NonNull::new(block), wanted) else {
        // SAFETY: the heap refuses what makes no layout.
        return unsafe { heap.memalign(alignment, size) };
    };
    if size == 0 {
        // SAFETY: the caller gives it up.
        unsafe { heap.free(block.as_ptr()) };
        return ptr::null_mut();
    }
    // SAFETY: the block is live.
    let usable = unsafe { heap.usable(block) };
    if block.addr().get() & (alignment - 1) == 0 {
        // SAFETY: the layout of a block that is there, at an alignment that it has.
        let old = unsafe { Layout::from_size_align_unchecked(usable, alignment) };
        // SAFETY: the caller's promise.
        return unsafe { heap.reallocate(block, old, size) };
    }
    // SAFETY: as above.
    let new = unsafe { heap.memalign(alignment, size) };
    if !new.is_null() {
        // SAFETY: both are live, of at least the lesser size, and apart.
        unsafe { new.copy_from_nonoverlapping(block.as_ptr(), usable.min(size)) };
        // SAFETY: the caller gives it up.
        unsafe { heap.free(block.as_ptr()) };
    }
    new
}

/// Whether `[start, start + len)` is memory that may be added to a heap whose records are `own_len`
/// bytes at `own`.
pub(crate) fn addable(
    start: *const u8,
    len: usize,
    own: *const u8,
    own_len: usize,
) -> Result<(), AddError> {
    if start.is_null() {
        return Err(AddError::Null);
    }
    let end = start.addr().checked_add(len).ok_or(AddError::Wraps)?;
    if start.addr() < own.addr() + own_len && own.addr() < end {
        return Err(AddError::Overlaps);
    }
    Ok(())
}

/// Where a heap's records can stand in a piece of memory, and the bytes from there on, if
/// there are as many as they need.
pub(crate) fn records_at<R>(
    memory: *mut u8,
    bytes: usize,
    align: usize,
) -> Option<(NonNull<R>, usize)> {
    let memory = NonNull::new(memory)?;
    memory.addr().get().checked_add(bytes)?;
    let pad = memory.addr().get().wrapping_neg() & (align - 1);
    let left = bytes.checked_sub(pad).filter(|left| *left >= size_of::<R>())?;
    // SAFETY: `pad` is at most `bytes`.
    Some((unsafe { memory.add(pad) }.cast(), left))
}

//! The generation of 2023: addresses are numbers, a size and an alignment a call.
use super::AllocResult;

/// What every allocator can do.
pub trait BaseAllocator {
    /// Takes its first memory, or its first numbers. Once.
    /// Errors: [`InvalidParam`](super::AllocError::InvalidParam) when it has some already or cannot use it.
    /// # Safety
    /// As [`add_memory`](Self::add_memory).
    unsafe fn init(&mut self, start: usize, size: usize) -> AllocResult;

    /// Takes more.
    /// Errors: why not; nothing has changed then.
    /// # Safety
    /// Memory is valid, its address exposed, and nobody else's as long as the allocator is used.
    /// Numbers are just numbers.
    unsafe fn add_memory(&mut self, start: usize, size: usize) -> AllocResult;
}

/// Bytes.
pub trait ByteAllocator: BaseAllocator {
    /// The address of `size` bytes at a multiple of `align_pow2`.
    /// Errors: `InvalidParam` when the alignment is no power of two or the size too large for it; `NoMemory`.
    fn alloc(&mut self, size: usize, align_pow2: usize) -> AllocResult<usize>;

    /// Gives bytes back.
    /// # Safety
    /// `pos` was allocated here with this size and alignment and is given up.
    unsafe fn dealloc(&mut self, pos: usize, size: usize, align_pow2: usize);

    /// Bytes there are.
    fn total_bytes(&self) -> usize;

    /// Bytes in use, with what the allocator puts around them.
    fn used_bytes(&self) -> usize;

    /// Bytes not in use; not all of them need be in one piece.
    fn available_bytes(&self) -> usize;
}

/// Pages.
pub trait PageAllocator: BaseAllocator {
    /// Bytes in a page.
    const PAGE_SIZE: usize;

    /// The address of `num_pages` pages in a row at a multiple of `align_pow2` bytes.
    /// Errors: `InvalidParam` when the alignment is no power of two of at least a page, or no page is asked for;
    /// `NoMemory`.
    fn alloc_pages(&mut self, num_pages: usize, align_pow2: usize) -> AllocResult<usize>;

    /// Gives pages back.
    /// # Safety
    /// These pages were allocated here together and are given up.
    unsafe fn dealloc_pages(&mut self, pos: usize, num_pages: usize);

    /// Pages there are.
    fn total_pages(&self) -> usize;

    /// Pages in use.
    fn used_pages(&self) -> usize;

    /// Pages not in use.
    fn available_pages(&self) -> usize;
}

/// Numbers, each handed out once until it comes back.
pub trait IdAllocator: BaseAllocator {
    /// The first of `count` numbers in a row, a multiple of `align_pow2`.
    /// Errors: `InvalidParam` for no numbers or an alignment that is no power of two; `NoMemory`.
    fn alloc_id(&mut self, count: usize, align_pow2: usize) -> AllocResult<usize>;

    /// Gives `count` numbers in a row back.
    /// Errors: `NotAllocated` when one of them was not handed out; then none comes back.
    fn dealloc_id(&mut self, start_id: usize, count: usize) -> AllocResult;

    /// Whether the number is handed out.
    fn is_allocated(&self, id: usize) -> bool;

    /// Hands out this very number.
    /// Errors: `InvalidParam` when it is not among the numbers; `NoMemory` when it is handed out.
    fn alloc_fixed_id(&mut self, id: usize) -> AllocResult;

    /// Numbers there are.
    fn size(&self) -> usize;

    /// Numbers handed out.
    fn used(&self) -> usize;

    /// Numbers that can be handed out.
    fn available(&self) -> usize;
}

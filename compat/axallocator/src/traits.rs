//! The component OS's traits, generation of 2024: bytes by `Layout`, pages also at an address of one's choice.
//!
//! Addresses are numbers and are taken on trust, as there: the memory named is the allocator's from then on, and what
//! is given back was handed out. A kernel keeps these promises; nothing here can check them.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::AllocResult;

/// What every allocator has.
pub trait BaseAllocator {
    /// Its first memory. What cannot be used is left alone: then there is none, and requests fail.
    fn init(&mut self, start: usize, size: usize);

    /// More memory.
    /// Errors: `MemoryOverlap`, or `InvalidParam` when nothing fits in it.
    fn add_memory(&mut self, start: usize, size: usize) -> AllocResult;
}

/// Bytes.
pub trait ByteAllocator: BaseAllocator {
    /// A block of this layout.
    /// Errors: `NoMemory`.
    fn alloc(&mut self, layout: Layout) -> AllocResult<NonNull<u8>>;

    /// Gives back a block that was allocated with this layout.
    fn dealloc(&mut self, pos: NonNull<u8>, layout: Layout);

    /// Bytes there are.
    fn total_bytes(&self) -> usize;

    /// Bytes in use.
    fn used_bytes(&self) -> usize;

    /// Bytes not in use; not all of them need be in one piece.
    fn available_bytes(&self) -> usize;
}

/// Pages.
pub trait PageAllocator: BaseAllocator {
    /// Bytes of a page.
    const PAGE_SIZE: usize;

    /// `num_pages` pages in a row, the first at a multiple of `align_pow2` bytes: its address.
    /// Errors: `InvalidParam`: no pages, or an alignment that is not a page's or not a power of two. `NoMemory`.
    fn alloc_pages(&mut self, num_pages: usize, align_pow2: usize) -> AllocResult<usize>;

    /// Gives back pages that were allocated at `pos`.
    fn dealloc_pages(&mut self, pos: usize, num_pages: usize);

    /// The `num_pages` pages at `base`, a multiple of `align_pow2` bytes: the address again.
    /// Errors: `InvalidParam` as [`alloc_pages`](Self::alloc_pages), or when `base` is not aligned so. `NoMemory`: one
    /// of them is in use, or not the allocator's.
    fn alloc_pages_at(
        &mut self,
        base: usize,
        num_pages: usize,
        align_pow2: usize,
    ) -> AllocResult<usize>;

    /// Pages there are.
    fn total_pages(&self) -> usize;

    /// Pages in use.
    fn used_pages(&self) -> usize;

    /// Pages not in use.
    fn available_pages(&self) -> usize;
}

/// Numbers, as of threads.
pub trait IdAllocator: BaseAllocator {
    /// `count` numbers in a row, the first a multiple of `align_pow2`.
    /// Errors: `InvalidParam`, `NoMemory`.
    fn alloc_id(&mut self, count: usize, align_pow2: usize) -> AllocResult<usize>;

    /// Gives back `count` numbers from `start_id` on.
    fn dealloc_id(&mut self, start_id: usize, count: usize);

    /// Whether this number is in use.
    fn is_allocated(&self, id: usize) -> bool;

    /// Takes this very number.
    /// Errors: `InvalidParam`: there is no such number. `NoMemory`: it is in use.
    fn alloc_fixed_id(&mut self, id: usize) -> AllocResult;

    /// How many numbers there are.
    fn size(&self) -> usize;

    /// How many are in use.
    fn used(&self) -> usize;

    /// How many are not.
    fn available(&self) -> usize;
}

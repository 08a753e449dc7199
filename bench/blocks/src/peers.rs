//! Other people's allocators behind our traits.
#![expect(clippy::new_without_default, reason = "a default would be an allocator without memory")]
use core::alloc::Layout;
use core::cell::Cell;
use core::fmt;
use core::ptr::{self, NonNull};

use base::{AddError, AddMemory, BlockAllocator};

/// rlsf with the geometry that ArceOS ships: blocks to 8 GiB, 32 bins to a doubling.
#[derive(Debug)]
pub struct Rlsf(rlsf::Tlsf<'static, u32, u32, 28, 32>);

impl Rlsf {
    /// Without memory.
    #[must_use]
    pub fn new() -> Rlsf {
        Rlsf(rlsf::Tlsf::new())
    }
}

impl AddMemory for Rlsf {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        let memory = NonNull::slice_from_raw_parts(NonNull::new(start).ok_or(AddError::Null)?, len);
        // SAFETY: the caller's promise.
        unsafe { self.0.insert_free_block_ptr(memory) }.map(|_| ()).ok_or(AddError::TooSmall)
    }
}

// SAFETY: rlsf's own promise.
unsafe impl BlockAllocator for Rlsf {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.0.allocate(layout)
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.deallocate(block, layout.align()) }
    }
}

/// talc with its default bins.
pub struct Talc(talc::base::Talc<talc::source::Manual, talc::DefaultBinning>);

impl fmt::Debug for Talc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Talc").finish_non_exhaustive()
    }
}

impl Talc {
    /// Without memory.
    #[must_use]
    pub fn new() -> Talc {
        Talc(talc::base::Talc::new(talc::source::Manual))
    }
}

impl AddMemory for Talc {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        unsafe { self.0.claim(start, len) }.map(|_| ()).ok_or(AddError::TooSmall)
    }
}

// SAFETY: talc's own promise.
unsafe impl BlockAllocator for Talc {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: nothing here asks for no bytes.
        unsafe { self.0.allocate(layout) }
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.deallocate(block.as_ptr(), layout) }
    }
}

/// linked_list_allocator: first fit in a list in address order.
pub struct LinkedList(linked_list_allocator::Heap);

impl fmt::Debug for LinkedList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkedList").finish_non_exhaustive()
    }
}

impl LinkedList {
    /// Without memory.
    #[must_use]
    pub fn new() -> LinkedList {
        LinkedList(linked_list_allocator::Heap::empty())
    }
}

impl AddMemory for LinkedList {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        unsafe { self.0.init(start, len) };
        Ok(())
    }
}

// SAFETY: linked_list_allocator's own promise.
unsafe impl BlockAllocator for LinkedList {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.0.allocate_first_fit(layout).ok()
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.deallocate(block, layout) }
    }
}

/// buddy_system_allocator, with orders to 2^32.
#[derive(Debug)]
pub struct BuddySystem(buddy_system_allocator::Heap<33>);

impl BuddySystem {
    /// Without memory.
    #[must_use]
    pub fn new() -> BuddySystem {
        BuddySystem(buddy_system_allocator::Heap::empty())
    }
}

impl AddMemory for BuddySystem {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        // SAFETY: the caller's promise.
        unsafe { self.0.init(start.expose_provenance(), len) };
        Ok(())
    }
}

// SAFETY: buddy_system_allocator's own promise.
unsafe impl BlockAllocator for BuddySystem {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.0.alloc(layout).ok()
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.dealloc(block, layout) }
    }
}

/// Doug Lea's malloc, as the crate `dlmalloc` has it; its system is the region.
pub struct Dlmalloc(dlmalloc::Dlmalloc<Region>);

/// Gives the whole region once.
struct Region {
    start: Cell<*mut u8>,
    len: Cell<usize>,
}

// SAFETY: its memory is the heap's, and used by whoever has the heap.
unsafe impl Send for Region {}

// SAFETY: the region is handed out once and never taken back.
unsafe impl dlmalloc::Allocator for Region {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let (start, len) = (self.start.get(), self.len.get());
        if size > len {
            return (ptr::null_mut(), 0, 0);
        }
        self.len.set(0);
        (start, len, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        false
    }

    fn page_size(&self) -> usize {
        4096
    }
}

impl fmt::Debug for Dlmalloc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dlmalloc").finish_non_exhaustive()
    }
}

impl Dlmalloc {
    /// Without memory.
    #[must_use]
    pub fn new() -> Self {
        let nothing = Region { start: Cell::new(ptr::null_mut()), len: Cell::new(0) };
        Self(dlmalloc::Dlmalloc::new_with_allocator(nothing))
    }
}

impl AddMemory for Dlmalloc {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        let region = Region { start: Cell::new(start), len: Cell::new(len) };
        self.0 = dlmalloc::Dlmalloc::new_with_allocator(region);
        Ok(())
    }
}

// SAFETY: dlmalloc's own promise.
unsafe impl BlockAllocator for Dlmalloc {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: any size, and an alignment that is a power of two.
        NonNull::new(unsafe { self.0.malloc(layout.size(), layout.align()) })
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.free(block.as_ptr(), layout.size(), layout.align()) }
    }
}

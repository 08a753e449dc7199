//! Other people's allocators behind our traits.
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use base::{AddError, AddMemory, BlockAllocator};

/// rlsf with the geometry that ArceOS ships: blocks to 8 GiB, 32 bins to a doubling.
#[derive(Debug)]
pub(crate) struct Rlsf(rlsf::Tlsf<'static, u32, u32, 28, 32>);

impl Rlsf {
    pub(crate) fn new() -> Rlsf {
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
pub(crate) struct Talc(talc::base::Talc<talc::source::Manual, talc::DefaultBinning>);

impl fmt::Debug for Talc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Talc").finish_non_exhaustive()
    }
}

impl Talc {
    pub(crate) fn new() -> Talc {
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
pub(crate) struct LinkedList(linked_list_allocator::Heap);

impl LinkedList {
    pub(crate) fn new() -> LinkedList {
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
pub(crate) struct BuddySystem(buddy_system_allocator::Heap<33>);

impl BuddySystem {
    pub(crate) fn new() -> BuddySystem {
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

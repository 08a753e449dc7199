//! Other people's allocators behind our traits.
#![expect(clippy::new_without_default, reason = "a default would be an allocator without memory")]
use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::{self, NonNull};

use base::{AddError, AddMemory, BlockAllocator};

/// An allocator of another crate: an empty one, and how it takes memory, allocates and frees.
macro_rules! peer {
    ($(#[$doc:meta])* $name:ident($inner:ty), $empty:expr,
     |$heap:ident, $start:ident, $len:ident| $add:expr,
     |$of:ident, $layout:ident| $allocate:expr,
     |$from:ident, $block:ident, $its:ident| $free:expr) => {
        $(#[$doc])*
        pub struct $name($inner);

        impl $name {
            pub fn new() -> Self {
                Self($empty)
            }
        }

        impl AddMemory for $name {
            unsafe fn add_memory(&mut self, $start: *mut u8, $len: usize) -> Result<(), AddError> {
                let $heap = &mut self.0;
                $add
            }
        }

        // SAFETY: the crate's own promise.
        unsafe impl BlockAllocator for $name {
            #[inline]
            fn allocate(&mut self, $layout: Layout) -> Option<NonNull<u8>> {
                let $of = &mut self.0;
                $allocate
            }

            #[inline]
            unsafe fn deallocate(&mut self, $block: NonNull<u8>, $its: Layout) {
                let $from = &mut self.0;
                $free
            }
        }
    };
}

peer! {
    /// rlsf with the geometry that ArceOS ships: blocks to 8 GiB, 32 bins to a doubling.
    Rlsf(rlsf::Tlsf<'static, u32, u32, 28, 32>), rlsf::Tlsf::new(),
    |heap, start, len| {
        let memory = NonNull::slice_from_raw_parts(NonNull::new(start).ok_or(AddError::Null)?, len);
        // SAFETY: the caller's promise.
        unsafe { heap.insert_free_block_ptr(memory) }.map(|_| ()).ok_or(AddError::TooSmall)
    },
    |heap, layout| heap.allocate(layout),
    // SAFETY: the caller's promise.
    |heap, block, layout| unsafe { heap.deallocate(block, layout.align()) }
}

peer! {
    Talc(talc::base::Talc<talc::source::Manual, talc::DefaultBinning>),
    talc::base::Talc::new(talc::source::Manual),
    // SAFETY: the caller's promise.
    |heap, start, len| unsafe { heap.claim(start, len) }.map(|_| ()).ok_or(AddError::TooSmall),
    // SAFETY: nothing here asks for no bytes.
    |heap, layout| unsafe { heap.allocate(layout) },
    // SAFETY: the caller's promise.
    |heap, block, layout| unsafe { heap.deallocate(block.as_ptr(), layout) }
}

peer! {
    /// linked_list_allocator: first fit in a list in address order.
    LinkedList(linked_list_allocator::Heap), linked_list_allocator::Heap::empty(),
    |heap, start, len| {
        // SAFETY: the caller's promise.
        unsafe { heap.init(start, len) };
        Ok(())
    },
    |heap, layout| heap.allocate_first_fit(layout).ok(),
    // SAFETY: the caller's promise.
    |heap, block, layout| unsafe { heap.deallocate(block, layout) }
}

peer! {
    BuddySystem(buddy_system_allocator::Heap<33>), buddy_system_allocator::Heap::empty(),
    |heap, start, len| {
        // SAFETY: the caller's promise.
        unsafe { heap.init(start.expose_provenance(), len) };
        Ok(())
    },
    |heap, layout| heap.alloc(layout).ok(),
    // SAFETY: the caller's promise.
    |heap, block, layout| unsafe { heap.dealloc(block, layout) }
}

peer! {
    /// Doug Lea's malloc, as the crate `dlmalloc` has it; its system is the region.
    Dlmalloc(dlmalloc::Dlmalloc<Region>), {
        let nothing = Region { start: Cell::new(ptr::null_mut()), len: Cell::new(0) };
        dlmalloc::Dlmalloc::new_with_allocator(nothing)
    },
    |heap, start, len| {
        let region = Region { start: Cell::new(start), len: Cell::new(len) };
        *heap = dlmalloc::Dlmalloc::new_with_allocator(region);
        Ok(())
    },
    // SAFETY: any size, and an alignment that is a power of two.
    |heap, layout| NonNull::new(unsafe { heap.malloc(layout.size(), layout.align()) }),
    // SAFETY: the caller's promise.
    |heap, block, layout| unsafe { heap.free(block.as_ptr(), layout.size(), layout.align()) }
}

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

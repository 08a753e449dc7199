//! The kernel's global allocator: whichever is being tried.

use base::BlockAllocator;
use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr::{NonNull, null_mut};

/// Passes every request on to the allocator that is switched on; with none, refuses.
pub(crate) struct Switch(Cell<Option<NonNull<dyn BlockAllocator>>>);

// SAFETY: a kernel here has one thread.
unsafe impl Sync for Switch {}

#[global_allocator]
pub(crate) static SWITCH: Switch = Switch(Cell::new(None));

impl Switch {
    /// Calls `body` with `allocator` switched on.
    pub(crate) fn with<R>(
        &self,
        allocator: &mut (dyn BlockAllocator + 'static),
        body: impl FnOnce() -> R,
    ) -> R {
        self.0.set(Some(NonNull::from(allocator)));
        let result = body();
        self.0.set(None);
        result
    }

    fn ask<R>(&self, refusal: R, ask: impl FnOnce(&mut dyn BlockAllocator) -> R) -> R {
        let Some(mut allocator) = self.0.get() else { return refusal };
        // SAFETY: `with` holds the only reference while it is switched on, and no allocator allocates.
        ask(unsafe { allocator.as_mut() })
    }
}

fn address(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(null_mut(), NonNull::as_ptr)
}

// SAFETY: passed on to an allocator that keeps the same promises.
unsafe impl GlobalAlloc for Switch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.ask(null_mut(), |allocator| address(allocator.allocate(layout)))
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some(block) = NonNull::new(block) else { return };
        // SAFETY: the caller's promise.
        self.ask((), |allocator| unsafe { allocator.deallocate(block, layout) });
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.ask(null_mut(), |allocator| address(allocator.allocate_zeroed(layout)))
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Some(block) = NonNull::new(block) else { return null_mut() };
        self.ask(null_mut(), |allocator| {
            // SAFETY: the caller's promise.
            address(unsafe { allocator.reallocate(block, layout, new_size) })
        })
    }
}

//! `Growing`: TLSF's arena form, as an allocator that is given memory like any other.
//!
//! The memory added is the limit: the arena takes it from the bottom in steps of a page, and
//! gives its end back.
use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::NonNull;

use ::block::tlsf::{Arena, Tail, Tlsf};
use base::{
    AddError, AddMemory, BlockAllocator, BlockStats, Broken, Check, Free, Piece, ResizeInPlace,
    Stats, UsableSize, Walk,
};

/// The memory that was added, whose end is moved.
#[derive(Debug)]
pub struct Given {
    start: *mut u8,
    len: usize,
    step: usize,
}

// SAFETY: the bytes up to the limit are the arena's for as long as it lives.
unsafe impl Tail for Given {
    fn base(&self) -> *mut u8 {
        self.start
    }

    fn step(&self) -> usize {
        self.step
    }

    fn resize(&mut self, len: usize) -> bool {
        len <= self.len
    }
}

#[derive(Debug)]
pub struct Growing {
    arena: Arena<Tlsf, Given>,
    step: usize,
}

// SAFETY: the memory it was given is its own.
unsafe impl Send for Growing {}

impl Growing {
    /// Without memory; its end will move by `step` bytes, a power of two, at a time.
    pub fn new(step: usize) -> Growing {
        let given = Given { start: core::ptr::null_mut(), len: 0, step };
        Growing { arena: Arena::new(Tlsf::new(), given), step }
    }
}

impl Default for Growing {
    fn default() -> Growing {
        Growing::new(4096)
    }
}

impl AddMemory for Growing {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if self.arena.tail().len > 0 {
            return Err(AddError::Full);
        }
        self.arena = Arena::new(Tlsf::new(), Given { start, len, step: self.step });
        Ok(())
    }
}

// SAFETY: the arena's own promise.
unsafe impl BlockAllocator for Growing {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.arena.allocate(layout)
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.arena.deallocate(block, layout) }
    }

    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        unsafe { self.arena.reallocate(block, layout, new_size) }
    }
}

impl Free for Growing {
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { self.arena.free(block) }
    }
}

impl UsableSize for Growing {
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.arena.usable_size(block) }
    }
}

impl ResizeInPlace for Growing {
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.arena.resize_in_place(block, new_size) }
    }
}

impl Stats for Growing {
    fn stats(&self) -> BlockStats {
        self.arena.stats()
    }
}

impl Walk for Growing {
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        self.arena.walk(visit);
    }
}

impl Check for Growing {
    fn check(&self) -> Result<(), Broken> {
        self.arena.check()
    }
}

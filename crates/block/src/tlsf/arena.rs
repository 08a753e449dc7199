//! The arena: one memory whose end a source moves, upward when it is full, back when it is not.
//!
//! ```text
//! base                       end ─►           limit
//!   │ record │ used │ … │ free │ sentinel │ ……… not ours yet ………
//!                          └──────────────┘ given back when larger than two steps
//! ```
//!
//! The fixed form is faster, since it never asks: `docs/blocks.md` says by
//! how much. What is asked for is what is missing after the free block at the end is counted,
//! in whole steps of the source.

use core::alloc::Layout;
use core::ptr::NonNull;

use base::bits::{align_down, align_up};
use base::{AddError, AddMemory, BlockAllocator, BlockStats, Broken, Check, Free, ResizeInPlace};
use base::{Piece, Stats, UsableSize, Walk};
use core::ops::ControlFlow;

use super::Heap;
use super::block::{PREV_FREE, WORD};
use super::control::Control;
use super::placement::Placement;
use super::tier::Tier;

/// Memory whose end can be moved: a page table's top, the rest of a board's RAM, `brk`.
/// # Safety
/// After [`resize`](Self::resize) said yes, `len` bytes from [`base`](Self::base) on are valid
/// for reads and writes and nobody else's; what was there before within them is kept.
pub unsafe trait Tail {
    /// The first byte; always the same.
    fn base(&self) -> *mut u8;
    /// Bytes that the end is moved by at least, a power of two.
    fn step(&self) -> usize;
    /// Moves the end to `len` bytes after the base, where it may be already. Whether it could.
    /// After a refusal to move down it is called with the length there was.
    fn resize(&mut self, len: usize) -> bool;
}

/// TLSF over a [`Tail`].
#[derive(Debug)]
pub struct Arena<H, S> {
    heap: H,
    tail: S,
    len: usize,
}

impl<H, S> Arena<H, S> {
    /// An arena of no memory yet, over an allocator without memory.
    pub const fn new(heap: H, tail: S) -> Self {
        Arena { heap, tail, len: 0 }
    }

    /// Bytes that the source was asked for.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no memory.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The allocator within.
    pub const fn heap(&self) -> &H {
        &self.heap
    }

    /// The source.
    pub const fn tail(&self) -> &S {
        &self.tail
    }
}

impl<C: Control, P: Placement, T: Tier, S: Tail> Arena<Heap<C, P, T>, S> {
    /// Moves the end up so that a block of this layout can be had, which the heap just refused.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, layout: Layout) -> Option<()> {
        let needed = Heap::<C, P, T>::size_for(layout)?;
        let missing = needed.saturating_sub(self.free_at_end());
        let step = self.tail.step();
        let more = missing.checked_add(step - 1)? & !(step - 1);
        let len = self.len.checked_add(more.max(step))?;
        if !self.tail.resize(len) {
            return None;
        }
        let base = self.tail.base();
        let taken = match self.len {
            // SAFETY: the source says that the bytes are ours.
            0 => unsafe { self.heap.table().add(base, len) },
            // SAFETY: as above.
            _ => unsafe { self.heap.table().extend(base, len) },
        };
        match taken {
            Ok(()) => {
                self.len = len;
                // What is served after growing is no failure.
                self.heap.table().forget_refusal();
                Some(())
            }
            Err(_) => {
                // The end moves back; a source that grew can shrink to what it was.
                self.tail.resize(self.len);
                None
            }
        }
    }

    /// Bytes of the free block at the end, 0 when the last is in use.
    fn free_at_end(&mut self) -> usize {
        let table = self.heap.table();
        let Some(pool) = table.pools().next() else { return 0 };
        let sentinel = pool.sentinel(C::GRAIN);
        // SAFETY: by pool-T6 a header is there.
        if unsafe { sentinel.header::<T>() } & PREV_FREE == 0 {
            return 0;
        }
        // SAFETY: the header says so.
        unsafe { table.size_below(sentinel) }
    }

    /// After a free: gives the end back when more than two steps of it are free, all but one step.
    #[inline(always)]
    fn settle(&mut self) {
        if self.free_at_end() > 2 * self.tail.step() {
            self.shrink();
        }
    }

    /// Gives back what is free at the end but for one step. How many bytes that were.
    #[cold]
    #[inline(never)]
    pub fn shrink(&mut self) -> usize {
        let step = self.tail.step();
        let keep = self.len - align_down(self.free_at_end(), step);
        let keep = align_up(keep + WORD, step);
        let old = self.len;
        if keep >= old {
            return 0;
        }
        // The sentinel must fit below the new end before the end moves.
        let base = self.tail.base();
        let Ok(now) = self.heap.table().truncate(base, keep) else { return 0 };
        let asked = now == keep;
        if asked && self.tail.resize(keep) {
            self.len = keep;
            return old - keep;
        }
        // The source keeps it, and so does the heap: no less than a block was cut off.
        // SAFETY: the end has not moved.
        let kept = unsafe { self.heap.table().extend(base, old) };
        debug_assert!(kept.is_ok(), "{kept:?}");
        if asked {
            // A source that notes how much is used has to know that all of it is again.
            self.tail.resize(old);
        }
        0
    }
}

/// A source that is given its memory, as an arena over a region is: once, and before the arena has any of it.
impl<H, S: Tail + AddMemory> AddMemory for Arena<H, S> {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if !self.is_empty() {
            return Err(AddError::Full);
        }
        // SAFETY: the caller's promise.
        unsafe { self.tail.add_memory(start, len) }
    }
}

// SAFETY: what is handed out is the inner allocator's, in memory that the source gave.
unsafe impl<C: Control, P: Placement, T: Tier, S: Tail> BlockAllocator for Arena<Heap<C, P, T>, S> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if let Some(block) = self.heap.allocate(layout) {
            return Some(block);
        }
        self.grow(layout)?;
        self.heap.allocate(layout)
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.heap.deallocate(block, layout) };
        self.settle();
    }

    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        if let Some(block) = unsafe { self.heap.reallocate(block, layout, new_size) } {
            return Some(block);
        }
        // SAFETY: the caller's promise about `new_size`.
        self.grow(unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) })?;
        // SAFETY: the caller's promise; the block is still live.
        unsafe { self.heap.reallocate(block, layout, new_size) }
    }
}

impl<C: Control, P: Placement, T: Tier, S: Tail> Free for Arena<Heap<C, P, T>, S> {
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { self.heap.free(block) };
        self.settle();
    }
}

impl<C: Control, P: Placement, T: Tier, S: Tail> UsableSize for Arena<Heap<C, P, T>, S> {
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise.
        unsafe { self.heap.usable_size(block) }
    }
}

impl<C: Control, P: Placement, T: Tier, S: Tail> ResizeInPlace for Arena<Heap<C, P, T>, S> {
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.heap.resize_in_place(block, new_size) }
    }
}

impl<C: Control, P: Placement, T: Tier, S: Tail> Stats for Arena<Heap<C, P, T>, S> {
    fn stats(&self) -> BlockStats {
        self.heap.stats()
    }
}

impl<C: Control, P: Placement, T: Tier, S: Tail> Walk for Arena<Heap<C, P, T>, S> {
    fn walk(&self, visit: &mut dyn FnMut(Piece) -> ControlFlow<()>) {
        self.heap.walk(visit);
    }
}

impl<C: Control, P: Placement, T: Tier, S: Tail> Check for Arena<Heap<C, P, T>, S> {
    fn check(&self) -> Result<(), Broken> {
        self.heap.check()
    }
}

//! `BlockMalloc`: a block allocator as a whole program's malloc.
//!
//! ```text
//! malloc, calloc, aligned_alloc ─┐
//! realloc ─ in place, or a new one, a copy, a free ─► mutex ─► the allocator
//! free, usable_size ─────────────┘
//! ```
//!
//! Layer *compose*. One lock around one heap: simple, exact, and what a program with many threads
//! waits for. Zeroing and copying are done outside the lock. Every block is aligned to 16 bytes.
use core::alloc::Layout;
use core::ptr::{self, NonNull};

use base::{BlockStats, Broken, Check, Free, Malloc, ResizeInPlace, Stats, UsableSize};

use crate::growing::AllocateFresh;
use crate::locked::Locked;
use crate::mutex::{ConstNew, Mutex};

/// What C's `max_align_t` asks for on 64-bit machines.
const ALIGN: usize = 16;

/// `A`, which frees a bare pointer, behind a mutex `L`, as a [`Malloc`].
#[derive(Debug)]
pub struct BlockMalloc<L, A> {
    heap: Locked<L, A>,
}

impl<L: ConstNew, A> BlockMalloc<L, A> {
    /// Around `inner`.
    pub const fn new(inner: A) -> Self {
        Self { heap: Locked::new(inner) }
    }
}

impl<L, A> BlockMalloc<L, A> {
    /// The allocator behind its mutex.
    pub const fn heap(&self) -> &Locked<L, A> {
        &self.heap
    }
}

impl<L: Mutex, A: Free> BlockMalloc<L, A> {
    fn allocate(&self, layout: Option<Layout>) -> *mut u8 {
        layout
            .and_then(|layout| self.heap.with(|inner| inner.allocate(layout)))
            .map_or(ptr::null_mut(), NonNull::as_ptr)
    }
}

/// The layout of `size` bytes; `None` when that is more than a pointer can be moved by.
#[inline]
fn plain(size: usize) -> Option<Layout> {
    Layout::from_size_align(size, ALIGN).ok()
}

// SAFETY: the allocator hands out disjoint blocks as asked; each is asked for with 16 bytes of
// alignment at least.
unsafe impl<L, A> Malloc for BlockMalloc<L, A>
where
    L: Mutex + Sync,
    A: AllocateFresh + Free + UsableSize + ResizeInPlace + Send,
{
    fn malloc(&self, size: usize) -> *mut u8 {
        self.allocate(plain(size))
    }

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
        let fresh = |layout| self.heap.with(|inner| inner.allocate_fresh(layout));
        let Some((block, edge)) = plain(size).and_then(fresh) else { return ptr::null_mut() };
        if edge >= size / 2 {
            // SAFETY: just allocated, and nobody else has it.
            unsafe { block.write_bytes(0, size) };
            return block.as_ptr();
        }
        // SAFETY: as above, less than the whole.
        unsafe { block.write_bytes(0, edge) };
        // SAFETY: within the block.
        let end = unsafe { block.add(size - edge) };
        // SAFETY: as above.
        unsafe { end.write_bytes(0, edge) };
        block.as_ptr()
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        self.allocate(Layout::from_size_align(size, align.max(ALIGN)).ok())
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        let Some(block) = NonNull::new(ptr) else { return self.malloc(size) };
        let Some(layout) = plain(size) else { return ptr::null_mut() };
        let (held, new) = self.heap.with(|inner| {
            // SAFETY: the caller's block.
            if unsafe { inner.resize_in_place(block, size) } {
                return (size, Some(block));
            }
            // SAFETY: the caller's block.
            (unsafe { inner.usable_size(block) }, inner.allocate(layout))
        });
        let Some(new) = new else {
            return if size <= held { ptr } else { ptr::null_mut() };
        };
        if new != block {
            // SAFETY: both are live, of at least the lesser size, and apart.
            unsafe { new.copy_from_nonoverlapping(block, held.min(size)) };
            // SAFETY: the caller gives it up.
            self.heap.with(|inner| unsafe { inner.free(block) });
        }
        new.as_ptr()
    }

    unsafe fn free(&self, ptr: *mut u8) {
        if let Some(block) = NonNull::new(ptr) {
            // SAFETY: the caller's promise.
            self.heap.with(|inner| unsafe { inner.free(block) });
        }
    }

    unsafe fn free_sized(&self, ptr: *mut u8, _size: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.free(ptr) };
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        NonNull::new(ptr).map_or(0, |block| {
            // SAFETY: the caller's promise.
            self.heap.with(|inner| unsafe { inner.usable_size(block) })
        })
    }
}

impl<L: Mutex, A: Stats> BlockMalloc<L, A> {
    /// What the allocator counts.
    pub fn stats(&self) -> BlockStats {
        self.heap.stats()
    }
}

impl<L: Mutex, A: Check> Check for BlockMalloc<L, A> {
    fn check(&self) -> Result<(), Broken> {
        self.heap.check()
    }
}

/// Around `fork`: nobody is inside while the process is copied, so the child's heap is whole.
#[cfg(all(target_has_atomic = "64", not(loom)))]
impl<P: base::lock::Park, A> BlockMalloc<base::lock::Lock<P>, A> {
    /// Before a fork: enters, and stays inside. `false`: another thread is still inside after
    /// `timeout_ms`.
    pub fn hold(&self, mut timeout_ms: u32) -> bool {
        self.heap.mutex().hold(&mut timeout_ms)
    }

    /// After a fork, in the parent and in the child: leaves.
    pub fn release(&self) {
        self.heap.mutex().release();
    }
}

#[cfg(test)]
mod tests;

//! `Locked`: one owner becomes any thread.
//!
//! ```text
//! static HEAP: │ mutex │ the allocator │      each call: enter, one operation, leave
//! ```
//!
//! Layer *compose*. With it a [`BlockAllocator`] is a `GlobalAlloc`, and a reference to it, with
//! the feature `allocator-api2`, an `Allocator`. Cost: the mutex's and the operation's. Zeroing
//! is done outside, where nobody waits for it; a block that moves when it is resized is copied
//! inside, which is as long as it is: in firmware, resize small blocks or with interrupts on.
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::fmt;
use core::ptr::{self, NonNull};

use base::{AddError, AddMemory, BlockAllocator, BlockStats, Broken, Check, Owns, Stats};

use crate::mutex::{ConstNew, Mutex};

/// `A`, in which a mutex `L` lets one at a time.
pub struct Locked<L, A> {
    lock: L,
    inner: UnsafeCell<A>,
}

// SAFETY: the allocator is only reached inside the mutex, by one thread at a time.
unsafe impl<L: Mutex + Sync, A: Send> Sync for Locked<L, A> {}

impl<L: ConstNew, A> Locked<L, A> {
    /// Around `inner`, nobody inside.
    pub const fn new(inner: A) -> Self {
        Self::with_mutex(L::NEW, inner)
    }
}

impl<L, A> Locked<L, A> {
    /// Around `inner`, behind this mutex.
    pub const fn with_mutex(lock: L, inner: A) -> Self {
        Self { lock, inner: UnsafeCell::new(inner) }
    }

    /// The mutex.
    pub const fn mutex(&self) -> &L {
        &self.lock
    }

    /// The allocator, for whoever is its only user.
    pub const fn get_mut(&mut self) -> &mut A {
        self.inner.get_mut()
    }
}

impl<L: Mutex, A> Locked<L, A> {
    /// Runs `work` on the allocator, alone. `work` must not come back here: by [`Mutex`]'s mutex-M1
    /// that waits for ever or panics.
    #[inline]
    pub fn with<R>(&self, work: impl FnOnce(&mut A) -> R) -> R {
        self.lock.with(|| {
            // SAFETY: the mutex lets nobody else in until this has ended.
            work(unsafe { &mut *self.inner.get() })
        })
    }

    /// Gives it memory; see [`AddMemory::add_memory`].
    /// Errors: why it was not taken.
    /// # Safety
    /// As [`AddMemory::add_memory`].
    pub unsafe fn add_memory(&self, start: *mut u8, len: usize) -> Result<(), AddError>
    where
        A: AddMemory,
    {
        // SAFETY: the caller's promise.
        self.with(|inner| unsafe { inner.add_memory(start, len) })
    }

    /// What it counts.
    pub fn stats(&self) -> BlockStats
    where
        A: Stats,
    {
        self.with(|inner| inner.stats())
    }
}

impl<L: Mutex, A: Owns> Owns for Locked<L, A> {
    fn owns(&self, address: *const u8) -> bool {
        self.with(|inner| inner.owns(address))
    }
}

impl<L: Mutex, A: Check> Check for Locked<L, A> {
    fn check(&self) -> Result<(), Broken> {
        self.with(|inner| inner.check())
    }
}

// SAFETY: blocks are the inner allocator's.
unsafe impl<L: Mutex, A: BlockAllocator> GlobalAlloc for Locked<L, A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.with(|inner| inner.allocate(layout)).map_or(ptr::null_mut(), NonNull::as_ptr)
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: a live block is not null.
        let block = unsafe { NonNull::new_unchecked(ptr) };
        // SAFETY: the caller gives up a block of this layout.
        self.with(|inner| unsafe { inner.deallocate(block, layout) });
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: a live block is not null.
        let block = unsafe { NonNull::new_unchecked(ptr) };
        // SAFETY: the caller's block, layout and size.
        self.with(|inner| unsafe { inner.reallocate(block, layout, new_size) })
            .map_or(ptr::null_mut(), NonNull::as_ptr)
    }
}

impl<L: fmt::Debug, A> fmt::Debug for Locked<L, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Locked").field("lock", &self.lock).finish_non_exhaustive()
    }
}

#[cfg(feature = "allocator-api2")]
mod allocator;

#[cfg(test)]
mod tests;

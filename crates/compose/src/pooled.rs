//! `Pooled`: an allocator that brings its first memory along.
//!
//! ```text
//! static POOL:  │ N bytes │◄─┐
//! static HEAP:  │ Locked │ Pooled ─ the allocator │      the first request makes the pool a heap
//! ```
//!
//! Layer *compose*. A program without a system has its heap in a `static`; here that needs no
//! `static mut`, no call before the first allocation, and nothing that could be called twice.
//! The fast path does not know of it: the pool is added by the first request that finds nothing.
use core::alloc::Layout;
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use base::{AddMemory, BlockAllocator, BlockStats, Stats};

use crate::pass_on::pass_on;

/// `N` bytes in a `static` for a heap. Not initialised: they take no space in the image.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Pool<const N: usize>(UnsafeCell<MaybeUninit<[u8; N]>>);

// SAFETY: only an address is taken from it; who writes there is `Pooled::new`'s contract.
unsafe impl<const N: usize> Sync for Pool<N> {}

impl<const N: usize> Pool<N> {
    /// `N` bytes that nobody has written yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }
}

/// `A` and the memory it is given by its first request.
///
/// ```
/// use core::alloc::Layout;
/// use base::BlockAllocator;
/// use block::tlsf::Tlsf;
/// use heapwright_compose::{Locked, Pooled, mutex::Alone, pooled::Pool};
///
/// static POOL: Pool<65_536> = Pool::new();
/// // SAFETY: the pool is this heap's alone.
/// let heap: Locked<Alone, _> = Locked::new(unsafe { Pooled::new(<Tlsf>::new(), &POOL) });
/// let block = heap.with(|heap| heap.allocate(Layout::new::<[u64; 8]>()));
/// assert!(block.is_some());
/// ```
#[derive(Debug)]
pub struct Pooled<A> {
    inner: A,
    start: *mut u8,
    /// 0 once it is given.
    len: usize,
    /// How often the allocator refused a request before it had the pool: once at most.
    grown: usize,
}

// SAFETY: the pool is a static; it is the allocator's alone and goes with it.
unsafe impl<A: Send> Send for Pooled<A> {}

impl<A> Pooled<A> {
    /// Around `inner`, which has no memory yet.
    /// # Safety
    /// `pool` is nobody else's.
    pub const unsafe fn new<const N: usize>(inner: A, pool: &'static Pool<N>) -> Self {
        Self { inner, start: pool.0.get().cast(), len: N, grown: 0 }
    }
}

impl<A: AddMemory> Pooled<A> {
    /// Gives the pool to the allocator now, for one that is to say what it has before the first
    /// request. Whether it took it; `false` too when that has happened already.
    pub fn add_pool(&mut self) -> bool {
        let len = core::mem::take(&mut self.len);
        // SAFETY: the pool is the allocator's alone, for ever.
        len != 0 && unsafe { self.inner.add_memory(self.start, len) }.is_ok()
    }
}

impl<A: AddMemory + BlockAllocator> Pooled<A> {
    #[cold]
    #[inline(never)]
    fn allocate_slow(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if !self.add_pool() {
            return None;
        }
        self.grown += 1;
        self.inner.allocate(layout)
    }
}

// SAFETY: blocks are the inner allocator's, whose memory is the pool and what else it is given.
unsafe impl<A: AddMemory + BlockAllocator> BlockAllocator for Pooled<A> {
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        match self.inner.allocate(layout) {
            None => self.allocate_slow(layout),
            block => block,
        }
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.inner.deallocate(block, layout) };
    }

    #[inline]
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise. A live block means that the pool has been added.
        unsafe { self.inner.reallocate(block, layout, new_size) }
    }
}

/// The request that had the pool added is no failure.
impl<A: Stats> Stats for Pooled<A> {
    #[inline]
    fn stats(&self) -> BlockStats {
        let stats = self.inner.stats();
        BlockStats { failures: stats.failures.saturating_sub(self.grown), ..stats }
    }
}

pass_on! {
    [A] Pooled<A>:
    AddMemory RemoveMemory Free UsableSize ResizeInPlace Owns Reset Walk Check
}

#[cfg(test)]
mod tests;

//! The generation of 2026: one object that all of a kernel asks, for bytes and for pages.
//!
//! ```text
//! Global ─ mutex ─┬─ bytes   A   the heap; when it is exhausted, more pages become heap
//!                 └─ pages   P   all memory
//! ```
//!
//! - **v3-O1** pages that became heap stay heap, and are counted as [`UsageKind::RustHeap`].
//!
//! Refusal is null, so that what can cope with it does. A request that the heap cannot serve takes
//! from the pages once, and as much as it needs, by [`RoomFor`]: header, alignment and all.
use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{self, NonNull};

use base::{
    AddError, AddMemory, AllocatePagesAt, BlockAllocator, BlockStats, PageAllocator, Stats,
};

use super::{AllocError, AllocResult};
use crate::growing::RoomFor;
use crate::locked::Locked;
use crate::mutex::{ConstNew, Mutex};

/// What pages are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UsageKind {
    /// The heap of the kernel itself.
    RustHeap,
    /// Memory of a process.
    VirtMem,
    /// Contents of files.
    PageCache,
    /// Tables of the memory management unit.
    PageTable,
    /// Buffers that devices write to.
    Dma,
    /// Anything else.
    Global,
}

const KINDS: usize = 6;

/// Bytes of pages in use, by what they are for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usages([usize; KINDS]);

impl Usages {
    /// Bytes for this.
    #[must_use]
    pub const fn get(&self, kind: UsageKind) -> usize {
        self.0[kind as usize]
    }

    const fn slot(&mut self, kind: UsageKind) -> &mut usize {
        &mut self.0[kind as usize]
    }
}

/// What a kernel asks of its allocator, from anywhere.
pub trait AllocatorOps {
    /// Takes the first memory.
    /// Errors: `InvalidParam` when it has some already or cannot use it.
    /// # Safety
    /// As [`add_memory`](Self::add_memory).
    unsafe fn init(&self, start: usize, size: usize) -> AllocResult;

    /// Takes more.
    /// Errors: why not; nothing has changed then.
    /// # Safety
    /// The memory is valid, its address exposed, and nobody else's as long as this is used.
    unsafe fn add_memory(&self, start: usize, size: usize) -> AllocResult;

    /// A block; null when there is none.
    fn alloc(&self, layout: Layout) -> *mut u8;

    /// Gives a block back.
    /// # Safety
    /// `block` was allocated here with this layout and is given up.
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout);

    /// Pages in a row at a multiple of `align_pow2` bytes, for this; null when there are none, no
    /// page is asked for, or the alignment is no power of two.
    fn alloc_pages(&self, num_pages: usize, align_pow2: usize, kind: UsageKind) -> *mut u8;

    /// These very pages, for this; null when one of them is in use or not ours.
    fn alloc_pages_at(&self, start: usize, num_pages: usize, kind: UsageKind) -> *mut u8;

    /// Gives pages back.
    /// # Safety
    /// These pages were allocated here together, for this, and are given up.
    unsafe fn dealloc_pages(&self, start: *mut u8, num_pages: usize, kind: UsageKind);

    /// Bytes of pages in use, by what they are for.
    fn usages(&self) -> Usages;

    /// What the heap counts. A request that was served with new pages is no failure.
    fn heap_stats(&self) -> BlockStats;

    /// What the pages count, in bytes.
    fn page_stats(&self) -> BlockStats;
}

/// The global object: a heap `A` on pages `P`, behind a mutex `L`.
#[derive(Debug)]
pub struct Global<L, A, P> {
    inner: Locked<L, Inner<A, P>>,
}

#[derive(Debug)]
struct Inner<A, P> {
    bytes: A,
    pages: P,
    usages: Usages,
    /// The pages that are wished for at most: half of what was too large a piece for the heap.
    most: usize,
    /// How often the heap refused a request and was then given pages for it.
    grown: usize,
}

impl<L: ConstNew, A, P> Global<L, A, P> {
    /// Around a heap and pages that have no memory yet.
    pub const fn new(bytes: A, pages: P) -> Self {
        let usages = Usages([0; KINDS]);
        Self { inner: Locked::new(Inner { bytes, pages, usages, most: usize::MAX, grown: 0 }) }
    }
}

impl<A, P: PageAllocator> Inner<A, P> {
    fn pages(&mut self, pages: usize, align: usize, kind: UsageKind) -> Option<NonNull<u8>> {
        if !align.is_power_of_two() {
            return None;
        }
        let start = self.pages.allocate_pages(pages, align)?;
        *self.usages.slot(kind) += pages * self.pages.page_size();
        Some(start)
    }
}

impl<A: BlockAllocator + AddMemory + RoomFor, P: PageAllocator> Inner<A, P> {
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        match self.bytes.allocate(layout) {
            None => self.allocate_slow(layout),
            block => block,
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_slow(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let page = self.pages.page_size();
        let room = self.bytes.room_for(layout)?;
        let need = room.size().div_ceil(page);
        let align = room.align().max(page);
        // As much again as the heap has, so that it takes few pieces, but none too large for it.
        let as_much = self.usages.get(UsageKind::RustHeap) / page;
        let mut wish = as_much.min(self.most).max(need);
        while let Err(error) = self.grow(wish, need, align) {
            if error != AddError::TooLarge || wish == need {
                return None;
            }
            self.most = wish / 2;
            wish = self.most.max(need);
        }
        self.grown += 1;
        self.bytes.allocate(layout)
    }

    /// Makes `wish` pages heap, or the `need` ones when there are not so many.
    fn grow(&mut self, wish: usize, need: usize, align: usize) -> Result<(), AddError> {
        let mut pages = wish;
        let mut start = self.pages(wish, align, UsageKind::RustHeap);
        if start.is_none() && wish != need {
            pages = need;
            start = self.pages(need, align, UsageKind::RustHeap);
        }
        let start = start.ok_or(AddError::Full)?;
        let bytes = pages * self.pages.page_size();
        // SAFETY: the pages are ours, and the heap's from here on (v3-O1).
        let added = unsafe { self.bytes.add_memory(start.as_ptr(), bytes) };
        if added.is_err() {
            *self.usages.slot(UsageKind::RustHeap) -= bytes;
            // SAFETY: just allocated, and not taken.
            unsafe { self.pages.deallocate_pages(start, pages) };
        }
        added
    }
}

fn or_null(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(ptr::null_mut(), NonNull::as_ptr)
}

impl<L, A, P> AllocatorOps for Global<L, A, P>
where
    L: Mutex,
    A: BlockAllocator + AddMemory + RoomFor + Stats,
    P: AllocatePagesAt + AddMemory + Stats,
{
    unsafe fn init(&self, start: usize, size: usize) -> AllocResult {
        if self.page_stats().total != 0 {
            return Err(AllocError::InvalidParam);
        }
        // SAFETY: the caller's promise.
        unsafe { self.add_memory(start, size) }
    }

    unsafe fn add_memory(&self, start: usize, size: usize) -> AllocResult {
        let start = ptr::with_exposed_provenance_mut(start);
        // SAFETY: the caller's promise.
        let added = self.inner.with(|inner| unsafe { inner.pages.add_memory(start, size) });
        added.map_err(AllocError::from)
    }

    fn alloc(&self, layout: Layout) -> *mut u8 {
        or_null(self.inner.with(|inner| inner.allocate(layout)))
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: a live block is not null.
        let block = unsafe { NonNull::new_unchecked(block) };
        // SAFETY: the caller's promise.
        self.inner.with(|inner| unsafe { inner.bytes.deallocate(block, layout) });
    }

    fn alloc_pages(&self, num_pages: usize, align_pow2: usize, kind: UsageKind) -> *mut u8 {
        or_null(self.inner.with(|inner| inner.pages(num_pages, align_pow2, kind)))
    }

    fn alloc_pages_at(&self, start: usize, num_pages: usize, kind: UsageKind) -> *mut u8 {
        let start = ptr::with_exposed_provenance_mut(start);
        self.inner.with(|inner| {
            if !inner.pages.allocate_pages_at(start, num_pages) {
                return ptr::null_mut();
            }
            *inner.usages.slot(kind) += num_pages * inner.pages.page_size();
            start
        })
    }

    unsafe fn dealloc_pages(&self, start: *mut u8, num_pages: usize, kind: UsageKind) {
        // SAFETY: live pages are not at null.
        let start = unsafe { NonNull::new_unchecked(start) };
        self.inner.with(|inner| {
            let bytes = num_pages * inner.pages.page_size();
            let slot = inner.usages.slot(kind);
            *slot = slot.saturating_sub(bytes);
            // SAFETY: the caller's promise.
            unsafe { inner.pages.deallocate_pages(start, num_pages) };
        });
    }

    fn usages(&self) -> Usages {
        self.inner.with(|inner| inner.usages)
    }

    fn heap_stats(&self) -> BlockStats {
        self.inner.with(|inner| {
            let stats = inner.bytes.stats();
            BlockStats { failures: stats.failures.saturating_sub(inner.grown), ..stats }
        })
    }

    fn page_stats(&self) -> BlockStats {
        self.inner.with(|inner| inner.pages.stats())
    }
}

// SAFETY: blocks are the heap's.
unsafe impl<L, A, P> GlobalAlloc for Global<L, A, P>
where
    L: Mutex,
    A: BlockAllocator + AddMemory + RoomFor + Stats,
    P: AllocatePagesAt + AddMemory + Stats,
{
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        AllocatorOps::alloc(self, layout)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { AllocatorOps::dealloc(self, block, layout) };
    }
}

#[cfg(test)]
mod tests;

//! Sharded: mimalloc's design for one thread, on memory that is given.
//!
//! ```text
//! heap     direct [ 16 B │ 32 B │ … │ 1,024 B ]      queues of pages, one for each class        spans that are free
//!             └───────────┬──────────────────────────────┘                                           │
//! page        free ─► block ─► block      freed ─► block ─► block      never used …                  │
//!                ▲ what the next requests get │ what came back: becomes `free` when that is used up   │
//! segment  [ record │ a descriptor for each slice ║ page │ page │ block of 5 slices │ page │ free …  ◄┘ ]
//! ```
//!
//! A request takes the first block of `free`, a free puts one in front of `freed`: a page is used up before what was just
//! freed comes again, so that blocks which follow each other in time lie beside each other, and the slow path, which looks
//! after the pages, is entered now and then. A third list, for blocks that other threads free, has no use with one owner.
//!
//! | size           | where                                                 |
//! |----------------|-------------------------------------------------------|
//! | to 64 KiB      | a page of its class, with at least eight blocks where there is room |
//! | above          | slices of its own                                     |
//!
//! - **sharded-P1** a page is in its class's queue exactly when it is `Queued`; all others of a class are used up.
//! - **sharded-P2** of a page's blocks each is in use, on `free`, on `freed`, or was never used.
//! - **sharded-P3** pages and free spans cover a segment; no two free spans touch, and each is in its bin.
//! - **sharded-P4** `used` is the sum of what was handed out: sizes of classes, and whole slices.
//! - **sharded-P5** `direct` names the first page of its class's queue.
//!
//! A memory is one segment, and is found by its range: nothing is unmapped here, so it is not cut into pieces of 4 MiB
//! that a mask finds, and a block may be as large as a memory. Its slices are a 64th of it, from 4 to 64 KiB. O(memories) to
//! free; else O(1), and O(slices of a page) where one is made.
//!
//! After Leijen, Zorn and de Moura, "Mimalloc: Free List Sharding in Action", 2019. With threads: `malloc::sharded`.
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use base::{BlockAllocator, Free, UsableSize};
use kernel::size_slabs::class::{Class, STEP, classes_to};

mod inspect;
mod memory;
mod page;
mod queue;
mod segment;
mod spans;

use page::{PageRef, State};
use queue::Queue;
use segment::SegmentRef;
use spans::Spans;

/// The largest block that shares a page.
const LARGEST: usize = 64 << 10;
const CLASSES: usize = classes_to(LARGEST);
/// The largest size with an entry in `direct`.
const MAX_DIRECT: usize = 1024;
const DIRECT: usize = MAX_DIRECT / STEP + 1;
/// Blocks that a page has room for, unless that is too much of all memory.
const BLOCKS: usize = 8;
/// A page of several blocks takes no more than this part of all memory.
const PART: usize = 32;

/// Blocks out of pages of one size each; freed by their address alone.
///
/// ```
/// use base::{AddMemory, BlockAllocator, Free};
/// use core::alloc::Layout;
///
/// let mut memory = vec![0u8; 64 << 10];
/// let mut heap = heapwright_block::sharded::Sharded::new();
/// // SAFETY: `memory` is the heap's alone and outlives it.
/// unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let block = heap.allocate(Layout::new::<[u64; 4]>()).unwrap();
/// // SAFETY: `block` is live.
/// unsafe { heap.free(block) };
/// ```
pub struct Sharded {
    direct: [Option<PageRef>; DIRECT],
    queues: [Queue; CLASSES],
    spans: Spans,
    segments: Option<SegmentRef>,
    total: usize,
    used: usize,
    peak: usize,
    failures: usize,
}

// SAFETY: the memory that it points to is its own.
unsafe impl Send for Sharded {}

impl Sharded {
    /// No memory yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            direct: [None; DIRECT],
            queues: [Queue::EMPTY; CLASSES],
            spans: Spans::new(),
            segments: None,
            total: 0,
            used: 0,
            peak: 0,
            failures: 0,
        }
    }

    /// Pages that were kept without a block in use give up their slices. O(classes).
    pub fn reclaim(&mut self) {
        for class in Class::all_to(LARGEST) {
            // Of several pages none is kept without a block in use.
            if let Some(page) = self.queues[class.index()].first().filter(|page| page.is_unused()) {
                self.retire(class, page);
            }
        }
    }

    #[inline]
    fn allocate_object(&mut self, class: Class, layout: Layout) -> Option<NonNull<u8>> {
        let page = self.queues[class.index()].first();
        match page.and_then(|page| page.pop()) {
            Some(block) => Some(self.count(block, class.size())),
            None => self.allocate_slow(class, layout),
        }
    }

    /// The first page of the queue that has a block, or a fresh one; where there is no room for a page, the block alone.
    #[cold]
    #[inline(never)]
    fn allocate_slow(&mut self, class: Class, layout: Layout) -> Option<NonNull<u8>> {
        let queue = class.index();
        while let Some(page) = self.queues[queue].first() {
            if let Some(block) = page.refill() {
                return Some(self.count(block, class.size()));
            }
            // Used up: it comes back with the next block that is freed of it.
            self.queues[queue].remove(page);
            page.set_state(State::Full);
            self.point(class);
        }
        let Some(page) = self.fresh(class) else { return self.allocate_alone(layout) };
        self.queues[queue].push_back(page);
        self.point(class);
        let block = page.refill()?;
        Some(self.count(block, class.size()))
    }

    fn fresh(&mut self, class: Class) -> Option<PageRef> {
        let size = class.size();
        let some = (BLOCKS * size).min(self.total / PART);
        let mut span = self.spans.take(some.max(size), 1).or_else(|| self.spans.take(size, 1));
        if span.is_none() {
            self.reclaim();
            span = self.spans.take(size, 1);
        }
        let page = span?;
        page.open(class);
        Some(page)
    }

    /// Slices of its own.
    #[inline(never)]
    fn allocate_alone(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let (len, align) = (layout.size().max(1), layout.align());
        let mut span = self.spans.take(len, align);
        if span.is_none() {
            self.reclaim();
            span = self.spans.take(len, align);
        }
        let Some(page) = span else {
            self.failures += 1;
            return None;
        };
        page.open_single();
        Some(self.count(page.start(), page.size()))
    }

    #[inline]
    fn count(&mut self, block: NonNull<u8>, bytes: usize) -> NonNull<u8> {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
        block
    }

    /// The page that a block lies in. O(memories).
    #[inline]
    fn page_of(&self, block: NonNull<u8>) -> Option<PageRef> {
        let mut at = self.segments;
        while let Some(segment) = at {
            if let Some(page) = segment.page_of(block.addr().get()) {
                return Some(page);
            }
            at = segment.next();
        }
        debug_assert!(false, "{block:p} is in no memory");
        None
    }

    /// A page has none in use any more, or was used up, or is the block alone.
    #[cold]
    #[inline(never)]
    fn after_free(&mut self, page: PageRef) {
        let Some(class) = page.class() else { return self.spans.give(page) };
        if page.state() == State::Full {
            page.set_state(State::Queued);
            self.queues[class.index()].push_back(page);
            self.point(class);
        }
        // The only one of its class would soon be made again.
        if page.is_unused() && !self.queues[class.index()].is_only(page) {
            self.retire(class, page);
        }
    }

    fn retire(&mut self, class: Class, page: PageRef) {
        self.queues[class.index()].remove(page);
        self.point(class);
        self.spans.give(page);
    }

    /// Keeps sharded-P5 when a queue has another first page.
    fn point(&mut self, class: Class) {
        let first = self.queues[class.index()].first();
        let from = if class.index() == 0 { 0 } else { class.before().size() / STEP + 1 };
        for entry in self.direct.iter_mut().take(class.size() / STEP + 1).skip(from) {
            *entry = first;
        }
    }
}

// SAFETY: a block is of a page's `free` or a span's start, so nobody else has it (sharded-P2, P3); it begins at a multiple of
// its class's size from a slice, which every alignment up to 4 KiB divides where the class was chosen for it.
unsafe impl BlockAllocator for Sharded {
    /// O(1), and O(slices of a page) where one is made.
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() <= MAX_DIRECT && layout.align() <= STEP {
            let page = self.direct[layout.size().div_ceil(STEP)];
            if let Some((block, size)) = page.and_then(|page| Some((page.pop()?, page.size()))) {
                return Some(self.count(block, size));
            }
        }
        match Class::within(layout, LARGEST) {
            Some(class) if layout.align() <= segment::LEAST_SLICE => {
                self.allocate_object(class, layout)
            }
            _ => self.allocate_alone(layout),
        }
    }

    /// As [`Free::free`].
    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, _: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.free(block) };
    }

    /// In place while at least half of the block is used; O(size) elsewhere.
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        let room = unsafe { self.usable_size(block) };
        if new_size <= room && new_size >= room / 2 {
            return Some(block);
        }
        // SAFETY: the caller's promise.
        unsafe { base::moved(self, block, layout, new_size) }
    }
}

impl Free for Sharded {
    /// O(memories).
    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>) {
        let Some(page) = self.page_of(block) else { return };
        self.used -= page.size();
        if page.push(block) {
            self.after_free(page);
        }
    }
}

impl UsableSize for Sharded {
    /// O(memories).
    unsafe fn usable_size(&self, block: NonNull<u8>) -> usize {
        self.page_of(block).map_or(0, |page| page.size())
    }
}

impl Default for Sharded {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Sharded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharded")
            .field("total", &self.total)
            .field("used", &self.used)
            .field("peak", &self.peak)
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

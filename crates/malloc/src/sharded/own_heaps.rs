//! First-class heaps: blocks of one thread that can all be freed at once.
//!
//! A heap is used by the thread that made it; its blocks may be freed by any, one by one as well. What the thread has not
//! deleted when it ends is abandoned as its other blocks are, and the heap is deleted.
//!
//! - **own-heaps-O1** a heap's pages are its own: deleting it hands them to the thread's first heap, destroying it frees them.
//! - **own-heaps-O2** a deleted heap is no thread's, until the same record's thread makes one again; its memory is never anything else.
use base::sync::{AtomicUsize, OneWriter as _, Ordering};
use object::size_class::{MAX_SIZE, class_of};
use page::System;

use super::heap::{Heap, Thread};
use super::pages::SLICE;
use super::{MAX_SINGLE, Sharded, wait};
use crate::links;

impl<S: System> Sharded<S> {
    /// A new, empty heap of the calling thread. `None`: out of memory. 6 KiB, which serve again when it was deleted.
    pub fn heap_new(&self) -> Option<&Heap> {
        let thread = self.thread_or_new()?;
        let heap = match Heap::at(thread.spare.load(Ordering::Relaxed)) {
            Some(spare) => {
                thread.spare.store(spare.next.load(Ordering::Relaxed), Ordering::Relaxed);
                spare
            }
            None => {
                let (arena, source) = self.segments.room();
                Heap::at(arena.allocate(source, size_of::<Heap>(), 64)?)?
            }
        };
        heap.reset(thread.address());
        heap.next.store(thread.heaps.replace(heap.address()), Ordering::Relaxed);
        Some(heap)
    }

    /// The calling thread's record, if it made this heap.
    fn maker(&self, heap: &Heap) -> Option<&Thread> {
        self.thread().filter(|thread| thread.address() == heap.thread())
    }

    /// `size` bytes of a heap of the calling thread, at most 1 MiB. Null: out of memory, more than that, or another thread's
    /// heap.
    pub fn heap_allocate(&self, heap: &Heap, size: usize) -> *mut u8 {
        let Some(thread) = self.maker(heap) else { return core::ptr::null_mut() };
        let block = if size <= MAX_SIZE {
            self.allocate_in(thread, heap, class_of(size.max(1)))
        } else if size <= MAX_SINGLE {
            let slices = size.div_ceil(SLICE).max(2);
            self.single(thread, heap, size, slices).map_or(0, |(at, _)| at)
        } else {
            0
        };
        core::ptr::with_exposed_provenance_mut(block)
    }

    /// A heap of the calling thread goes; its blocks stay, as blocks of malloc. `false`: it is another thread's.
    pub fn heap_delete(&self, heap: &Heap) -> bool {
        let Some(thread) = self.maker(heap) else { return false };
        self.free_delayed(thread, heap);
        let first = &thread.heap;
        for bin in &heap.bins {
            while let Some(page) = bin.pop() {
                page.collect::<S>();
                // Behind the first heap's pages an empty one would stay for as long as those serve.
                if page.used() == 0
                    && let Some(segment) = self.segments.of(links::address(page))
                {
                    self.give_slices(thread, segment, page);
                    continue;
                }
                page.set_heap(first.address());
                first.enqueue_last(page);
            }
        }
        while let Some(page) = heap.full.pop() {
            page.thread_free.want(false, wait::<S>);
            page.set_heap(first.address());
            first.full.push(page);
            page.thread_free.want(true, wait::<S>);
            if page.collect::<S>()
                && let Some(segment) = self.segments.of(links::address(page))
            {
                self.settle_page(thread, segment, page);
            }
        }
        // Those that were being told while it was taken apart.
        self.free_delayed(thread, heap);
        self.end_heap(thread, heap);
        true
    }

    /// Frees a heap of the calling thread with all its blocks. `false`: it is another thread's. O(pages).
    ///
    /// # Safety
    ///
    /// Nobody uses a block of it any more, or frees one meanwhile.
    pub unsafe fn heap_destroy(&self, heap: &Heap) -> bool {
        let Some(thread) = self.maker(heap) else { return false };
        while let Some(page) = heap.pop() {
            // Who tells of a block still needs the page.
            page.thread_free.want(false, wait::<S>);
            if let Some(segment) = self.segments.of(links::address(page)) {
                self.give_slices(thread, segment, page);
            }
        }
        self.end_heap(thread, heap);
        true
    }

    /// A heap without a page is no thread's from now on (own-heaps-O2).
    pub(super) fn end_heap(&self, thread: &Thread, heap: &Heap) {
        let next = heap.next.load(Ordering::Relaxed);
        let is_next = |before: &&AtomicUsize| before.load(Ordering::Relaxed) == heap.address();
        let mut links =
            core::iter::once(&thread.heaps).chain(thread.all_heaps().map(|other| &other.next));
        if let Some(before) = links.find(is_next) {
            before.store(next, Ordering::Relaxed);
        }
        heap.reset(0);
        heap.next.store(thread.spare.replace(heap.address()), Ordering::Relaxed);
    }
}

//! First-class heaps: blocks of one thread that can all be freed at once.
//!
//! A heap is used by the thread that made it; its blocks may be freed by any, one by one as well. What the thread has not
//! deleted when it ends is abandoned as its other blocks are.
//!
//! - **O1** a heap's pages are its own: deleting it hands them to the thread's first heap, destroying it frees them.
use base::sync::{OneWriter as _, Ordering};
use object::size_class::{MAX_SIZE, class_of};
use page::System;

use super::heap::Heap;
use super::pages::SLICE;
use super::{MAX_SINGLE, Sharded, wait};
use crate::links;

impl<S: System> Sharded<S> {
    /// A new, empty heap of the calling thread. `None`: out of memory. 6 KiB that stay until the process ends.
    pub fn heap_new(&self) -> Option<&Heap> {
        let thread = self.thread_or_new()?;
        let at = self.segments.arena.allocate(&self.segments.source, size_of::<Heap>(), 64)?;
        let heap = Heap::at(at)?;
        heap.reset(thread.address());
        heap.next.store(thread.heaps.replace(at), Ordering::Relaxed);
        Some(heap)
    }

    /// `size` bytes of a heap of the calling thread, at most 1 MiB. Null: out of memory, more than that, or another thread's
    /// heap.
    pub fn heap_allocate(&self, heap: &Heap, size: usize) -> *mut u8 {
        let Some(thread) = self.thread().filter(|thread| thread.address() == heap.thread()) else {
            return core::ptr::null_mut();
        };
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
        let Some(thread) = self.thread().filter(|thread| thread.address() == heap.thread()) else {
            return false;
        };
        self.free_delayed(thread, heap);
        let first = &thread.heap;
        for bin in &heap.bins {
            while let Some(page) = bin.pop() {
                page.set_heap(first.address());
                first.enqueue(page);
            }
        }
        while let Some(page) = heap.full.pop() {
            page.want(false, wait::<S>);
            page.set_heap(first.address());
            first.full.push(page);
            page.want(true, wait::<S>);
            if page.collect()
                && let Some(segment) = self.segments.of(links::address(page))
            {
                self.after_free(thread, segment, page);
            }
        }
        // Those that were being told while it was taken apart.
        self.free_delayed(thread, heap);
        heap.reset(thread.address());
        self.unlink(thread, heap);
        true
    }

    /// Frees a heap of the calling thread with all its blocks. `false`: it is another thread's. O(pages).
    ///
    /// # Safety
    ///
    /// Nobody uses a block of it any more, or frees one meanwhile.
    pub unsafe fn heap_destroy(&self, heap: &Heap) -> bool {
        let Some(thread) = self.thread().filter(|thread| thread.address() == heap.thread()) else {
            return false;
        };
        for list in heap.bins.iter().chain([&heap.full]) {
            while let Some(page) = list.pop() {
                // Who tells of a block still needs the page.
                page.want(false, wait::<S>);
                if let Some(segment) = self.segments.of(links::address(page)) {
                    self.give_slices(thread, segment, page);
                }
            }
        }
        heap.reset(thread.address());
        self.unlink(thread, heap);
        true
    }

    /// Takes a heap off its thread's list.
    fn unlink(&self, thread: &super::Thread, heap: &Heap) {
        let next = heap.next.load(Ordering::Relaxed);
        if thread.heaps.load(Ordering::Relaxed) == heap.address() {
            thread.heaps.store(next, Ordering::Relaxed);
            return;
        }
        let before =
            thread.all_heaps().find(|other| other.next.load(Ordering::Relaxed) == heap.address());
        if let Some(before) = before {
            before.next.store(next, Ordering::Relaxed);
        }
    }
}

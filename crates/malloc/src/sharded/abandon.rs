//! What a thread leaves behind: segments without an owner, which other threads adopt.
//!
//! ```text
//! thread ends ─► empty pages go ─► nobody is to be told any more ─► segment: owner 0, on the list
//! fresh page wanted ─► up to four abandoned segments are adopted
//! block of an abandoned segment freed ─► who freed it adopts it
//! ```
//!
//! - **B1** a segment is on the list exactly while its owner is 0; both change under the list's lock.
//! - **B2** whoever frees a block of an abandoned segment and sees that it is, adopts it; who abandons one looks for such blocks
//!   after saying so: one of the two sees the other.
use base::sync::{OneWriter as _, Ordering, fence};
use page::System;

use super::heap::{Heap, Thread};
use super::pages::{Page, SLICE, Segment, State};
use super::{Sharded, wait};
use crate::links;

/// Abandoned segments that are adopted for one page at most.
const ADOPTED: usize = 4;

impl<S: System> Sharded<S> {
    /// The calling thread ends: its empty pages go, its segments are others' to adopt.
    pub(super) fn abandon(&self, thread: &Thread) {
        self.collect(thread);
        // Nobody tells the heaps any more; those that are at it end first.
        for page in thread.all_heaps().flat_map(Heap::pages) {
            page.want(false, wait::<S>);
        }
        self.collect(thread);
        for list in [&thread.roomy, &thread.packed] {
            while let Some(segment) = list.pop() {
                thread.dirty.lower(segment.dirty() as usize);
                self.abandon_segment(segment);
                fence(Ordering::SeqCst);
                if segment.owner() == 0 && segment.pages().any(Page::has_theirs) {
                    // It comes back with what was freed meanwhile, and is abandoned again or goes.
                    self.adopt_quietly(thread, segment);
                }
            }
        }
        thread.reset();
    }

    fn abandon_segment(&self, segment: &Segment) {
        for page in segment.pages() {
            page.set_state(State::Left);
            page.set_heap(0);
        }
        let abandoned = self.abandoned.lock();
        abandoned.push(segment);
        segment.set_owner(0);
    }

    /// Takes an abandoned segment off the list. `false`: another thread was faster.
    fn take_abandoned(&self, thread: &Thread, segment: &Segment) -> bool {
        let abandoned = self.abandoned.lock();
        let is_there = abandoned.iter().any(|other| core::ptr::eq(other, segment));
        if is_there {
            abandoned.remove(segment);
            segment.set_owner(thread.address());
        }
        is_there
    }

    /// The calling thread owns a segment that nobody owned, if nobody else was faster.
    pub(super) fn adopt(&self, thread: &Thread, segment: &Segment) {
        if self.take_abandoned(thread, segment) {
            self.settle(thread, segment);
        }
    }

    /// As [`adopt`](Self::adopt), by a thread that ends.
    fn adopt_quietly(&self, thread: &Thread, segment: &Segment) {
        self.adopt(thread, segment);
        for page in thread.heap.pages() {
            page.want(false, wait::<S>);
        }
    }

    /// An adopted segment's pages come to the thread's heap, the empty ones go.
    fn settle(&self, thread: &Thread, segment: &Segment) {
        let list = if segment.is_full() { &thread.packed } else { &thread.roomy };
        list.push(segment);
        thread.dirty.raise(segment.dirty() as usize);
        let heap = &thread.heap;
        let mut left = segment.pages().count();
        for page in segment.pages() {
            thread.slices.raise(page.slices());
            page.set_heap(heap.address());
            let has_free = page.collect();
            left -= 1;
            if page.used() == 0 {
                // With the last page the segment may go.
                self.give_slices(thread, segment, page);
                if left == 0 {
                    return;
                }
            } else if page.class() != 0 && (has_free || page.has_fresh()) {
                page.set_state(State::Queued);
                heap.enqueue(page);
            } else {
                page.set_state(State::Full);
                heap.full.push(page);
                page.want(true, wait::<S>);
                if page.collect() {
                    self.after_free(thread, segment, page);
                }
            }
        }
    }

    /// Adopts some segments, and says whether one has a page of the class with a block.
    pub(super) fn adopt_for<'a>(
        &self,
        thread: &'a Thread,
        heap: &Heap,
        class: usize,
    ) -> Option<&'a Page> {
        if !core::ptr::eq(heap, &raw const thread.heap) {
            return None;
        }
        for _ in 0..ADOPTED {
            let segment = self.any_abandoned()?;
            self.adopt(thread, segment);
            let page = thread.heap.bins[class].first();
            let size = super::size_of_class(class);
            if let Some(page) = page.filter(|page| page.collect() || page.extend(size, 1)) {
                return Some(page);
            }
        }
        None
    }

    fn any_abandoned(&self) -> Option<&'static Segment> {
        self.abandoned.lock().first()
    }

    /// Adopts all that is abandoned.
    pub(super) fn adopt_all(&self, thread: &Thread) {
        while let Some(segment) = self.any_abandoned() {
            self.adopt(thread, segment);
        }
    }
}

impl Segment {
    /// Bytes of blocks in use.
    pub(super) fn used_bytes(&self) -> usize {
        let bytes = |page: &Page| match page.class() {
            0 => page.slices() * SLICE,
            class => page.used() as usize * super::size_of_class(class),
        };
        self.pages().map(bytes).sum()
    }
}

impl Thread {
    /// Its first heap and the others.
    pub(super) fn all_heaps(&self) -> impl Iterator<Item = &Heap> {
        let others = core::iter::successors(
            links::at::<Heap>(self.heaps.load(Ordering::Relaxed)),
            |heap: &&Heap| links::at(heap.next.load(Ordering::Relaxed)),
        );
        core::iter::once(&self.heap).chain(others)
    }
}

//! What a thread leaves behind: segments without an owner, which other threads adopt.
//!
//! ```text
//! thread ends ─► empty pages go ─► nobody is to be told any more ─► segment: owner 0, on the list
//! fresh page wanted ─► up to four abandoned segments are adopted
//! block of an abandoned segment freed ─► who freed it adopts it; without a record it gives it back if that is empty
//! ```
//!
//! - **abandon-B1** a segment is on the list exactly while its owner is 0 and it is marked in the map; all change under the list's lock.
//! - **abandon-B2** whoever frees a block of an abandoned segment and sees that it is, adopts it or looks through it; who abandons one
//!   looks for such blocks after saying so: one of the two sees the other. The mark is in the map, as a segment may be gone once
//!   a block is pushed.
use base::lock::Busy;
use base::sync::{Ordering, fence};
use page::System;

use super::heap::{Heap, Thread};
use super::pages::{Page, SLICE, Segment, State};
use super::{Sharded, wait};
use crate::chunks::Chunk as _;
use crate::links::{self, List, Queue};

/// Abandoned segments that are adopted for one page at most.
const ADOPTED: usize = 4;
/// Segments that are abandoned under one lock.
const TOGETHER: usize = 8;

impl<S: System> Sharded<S> {
    /// The calling thread ends: its empty pages go, its segments are others' to adopt.
    pub(super) fn abandon(&self, thread: &Thread) {
        self.send_all(thread);
        self.collect(thread);
        // Nobody tells the heaps any more; those that are at it end first.
        for page in thread.all_heaps().flat_map(Heap::pages) {
            page.thread_free.want(false, wait::<S>);
        }
        self.collect(thread);
        thread.heap.reset(thread.address());
        while let Some(heap) = Heap::at(thread.heaps.load(Ordering::Relaxed)) {
            self.end_heap(thread, heap);
        }
        // Nobody passes any more: what is free would cost memory until somebody adopts it.
        self.segments.purge_left(&thread.segments);
        let leaving = List::new();
        while let Some(segment) = thread.segments.pop() {
            leaving.push(segment);
        }
        self.leave(thread.address(), &leaving);
    }

    /// Segments whose pages are on no list are abandoned, by the thread with the record `owner` or by one without; unless what
    /// was freed meanwhile was a segment's last.
    fn leave(&self, owner: usize, leaving: &List<Segment>) {
        while !leaving.is_empty() {
            let some: [_; TOGETHER] = core::array::from_fn(|_| leaving.pop());
            let some = || some.iter().copied().flatten();
            for page in some().flat_map(Segment::pages) {
                page.set_state(State::Left);
                page.set_heap(0);
            }
            let abandoned = self.abandoned.lock();
            for segment in some() {
                // Behind the others: who adopts some comes to all of them in turn.
                abandoned.push_back(segment);
                segment.set_owner(0);
                self.segments.mark(segment, true);
            }
            drop(abandoned);
            fence(Ordering::SeqCst);
            let again = List::new();
            let abandoned = self.abandoned.lock();
            let is_freed = |there: &Segment| there.pages().any(|page| page.thread_free.has_some());
            some()
                .filter(|segment| self.take_inside(&abandoned, owner, segment, is_freed))
                .for_each(|segment| again.push(segment));
            drop(abandoned);
            while let Some(segment) = again.pop() {
                if !self.give_if_empty(segment) {
                    leaving.push(segment);
                }
            }
        }
    }

    /// A segment whose pages are on no list goes if no block of it is in use. `false`: one is.
    fn give_if_empty(&self, segment: &Segment) -> bool {
        let mut is_used = false;
        for page in segment.pages() {
            page.collect::<S>();
            is_used |= page.used() > 0;
        }
        if !is_used {
            segment.pages().for_each(|page| _ = segment.end(page));
            self.segments.give(segment, true);
        }
        !is_used
    }

    /// A thread without a record freed a block of an abandoned segment, which stays abandoned unless that was its last.
    pub(super) fn look_through(&self, segment: &Segment) {
        let _busy = Busy::<S>::new();
        // No owner: meanwhile it is this thread's alone, as it is neither marked nor on the list (abandon-B1).
        if self.take_abandoned(0, segment) && !self.give_if_empty(segment) {
            let leaving = List::new();
            leaving.push(segment);
            self.leave(0, &leaving);
        }
    }

    /// Takes an abandoned segment off the list for `owner`, if it is there.
    fn take_abandoned(&self, owner: usize, segment: &Segment) -> bool {
        self.take_inside(&self.abandoned.lock(), owner, segment, |_| true)
    }

    /// As [`take_abandoned`](Self::take_abandoned), if it is `wanted` too; under the lock. It is not touched before.
    fn take_inside(
        &self,
        abandoned: &Queue<Segment>,
        owner: usize,
        segment: &Segment,
        wanted: impl Fn(&Segment) -> bool,
    ) -> bool {
        let is_there = self.segments.is_marked(links::address(segment)) && wanted(segment);
        if is_there {
            abandoned.remove(segment);
            segment.set_owner(owner);
            self.segments.mark(segment, false);
        }
        is_there
    }

    /// The calling thread owns a segment that nobody owned, if nobody else was faster.
    pub(super) fn adopt(&self, thread: &Thread, segment: &Segment) {
        let _busy = Busy::<S>::new();
        if self.take_abandoned(thread.address(), segment) {
            self.settle(thread, segment);
        }
    }

    /// An adopted segment's pages come to the thread's heap, the empty ones go.
    fn settle(&self, thread: &Thread, segment: &Segment) {
        thread.segments.push(segment);
        let heap = &thread.heap;
        // With its last page the segment may go: nothing looks for one after that.
        let count = segment.pages().count();
        for page in segment.pages().take(count) {
            page.set_heap(heap.address());
            let has_free = page.collect::<S>();
            if page.used() == 0 {
                self.give_slices(thread, segment, page);
            } else if page.class() != 0 && (has_free || page.has_fresh()) {
                page.set_state(State::Queued);
                heap.enqueue_last(page);
            } else {
                page.set_state(State::Full);
                heap.full.push(page);
                page.thread_free.want(true, wait::<S>);
                if page.collect::<S>() {
                    self.settle_page(thread, segment, page);
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
            if let Some(page) = page.filter(|page| page.collect::<S>() || self.extend(page, size)) {
                return Some(page);
            }
        }
        None
    }

    fn any_abandoned(&self) -> Option<&'static Segment> {
        self.abandoned.lock().first()
    }

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

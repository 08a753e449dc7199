//! Sharded: the design of mimalloc. A heap in each thread, pages of one block size in segments, and three free lists in each
//! page.
//!
//! ```text
//! malloc ─► page of the size ─ free has a block? ─► it                     no atomics
//!              └─► slow ─ delayed blocks; next page of the queue: collect its lists, or count fresh blocks off
//!                    └─► slices of a segment ─ an abandoned one ─ pool ─ system
//! free   ─► map ─► segment ─ mine? ─► local_free of the page               no atomics
//!              └─ another thread's: waits in the outbox; thread_free of the page     one compare-and-swap a chain
//!                    └─ of a full page: the heap's delayed list, once
//! ```
//!
//! | size         | where                                  | metadata                          |
//! |--------------|----------------------------------------|-----------------------------------|
//! | to 8 KiB     | page of 64 KiB of its class            | 128 bytes a page                  |
//! | to 64 KiB    | page of 512 KiB of its class           | as above                          |
//! | to 1 MiB     | slices of 64 KiB, one block            | as above                          |
//! | above        | a mapping of its own                   | an entry in a table               |
//!
//! `docs/classic-mallocs.md` walks one malloc and one free through it; `docs/how-it-works.md` has every atomic, `model` the protocol in
//! every interleaving. After Leijen, Zorn and de Moura, "Mimalloc: Free List Sharding in Action", 2019.
use core::ptr;

use base::guarded::Guarded;
use base::lock::{Busy, Lock};
use base::sync::{AtomicUsize, Ordering};
use object::size_class::{MAX_SIZE, class_of, info};
use page::System;
use source::os::Os;
use thread::Members;

use crate::chunks::{Chunks, Row};
use crate::drop_in::Figures;
use crate::fork::Missing;
use crate::links::{self, Queue};
use crate::misuse::{self, Misuse};

mod abandon;
mod calls;
mod check;
mod drop_in;
mod heap;
mod idle;
mod large;
mod outbox;
mod own_heaps;
mod pages;
mod send;
mod shuffle;
mod thread_free;

pub use heap::Heap;
use heap::{MAX_DIRECT, Thread};
use outbox::MAX_WAITING;
use pages::{MAX_SMALL, MEDIUM, Page, SEGMENT, Segment, State};
use shuffle::Shuffle;

/// The largest block of a segment, a quarter of one: what is longer would leave much of it empty.
const MAX_SINGLE: usize = SEGMENT / 4;
/// Bytes of fresh blocks that are counted off at a time; one block at least.
const EXTEND: usize = 4096;
const _: () = assert!(EXTEND / 16 <= shuffle::MOST, "an order has room for them");
/// Slow paths that the only page of a class stays for when it is empty; one of 512 KiB goes at once.
const STAYS: u8 = 64;
/// Pages of a queue that are looked at before a fresh one is made.
const SEARCH: usize = 64;

/// The process's malloc of this design.
pub type Malloc = Sharded<Os>;

/// One that has done nothing yet.
#[must_use]
pub const fn new() -> Malloc {
    Sharded::new(Os)
}

/// The malloc, on a system `S`.
#[derive(Debug)]
pub struct Sharded<S> {
    segments: Chunks<S, Segment, 22>,
    /// Segments of threads that have ended.
    abandoned: Guarded<S, Queue<Segment>>,
    threads: Members<S, Thread>,
    shuffle: Shuffle,
    /// What the fork under way could not have.
    missing: Missing,
}

fn size_of_class(class: usize) -> usize {
    info(class).size as usize
}

impl<S: System> Sharded<S> {
    /// One that has done nothing yet: no call to `source` before the first request.
    #[must_use]
    pub const fn new(source: S) -> Self {
        Self {
            segments: Chunks::new(source),
            abandoned: Guarded::new(Queue::new()),
            threads: Members::new(),
            shuffle: Shuffle::off(),
            missing: Missing::new(),
        }
    }

    /// Where its memory comes from.
    pub fn source(&self) -> &S {
        &self.segments.source
    }

    /// The calling thread's record, if it has one.
    #[inline(always)]
    fn thread(&self) -> Option<&Thread> {
        self.threads.current()
    }

    /// The calling thread's record, made if need be. `None`: out of memory, or the thread is as good as ended.
    fn thread_or_new(&self) -> Option<&Thread> {
        if let Some(thread) = self.thread() {
            return Some(thread);
        }
        let ready = |thread: &Thread| thread.heap.reset(thread.address());
        let thread = self.threads.current_or_new(self.source(), |_| (), ready);
        if self.threads.live() >= 2 {
            // The first moment at which there are threads: later it would be noticed more often.
            self.segments.look_at_memory_limit();
        }
        thread
    }

    /// The record to free with: none is made for a few blocks, see [`Members::note_free`].
    fn thread_to_free(&self) -> Option<&Thread> {
        self.thread().or_else(|| self.threads.note_free().then(|| self.thread_or_new())?)
    }

    /// A block of a class. Null: out of memory.
    #[inline(always)]
    fn allocate(&self, class: usize) -> *mut u8 {
        let page = self.thread().and_then(|thread| thread.heap.bins[class].first());
        let block = page.map_or(0, Page::pop);
        if block != 0 { ptr::with_exposed_provenance_mut(block) } else { self.allocate_slow(class) }
    }

    /// What lies ready for at most [`MAX_DIRECT`] bytes. Null: nothing.
    #[inline(always)]
    fn malloc_ready(&self, size: usize) -> *mut u8 {
        if size > MAX_DIRECT {
            return ptr::null_mut();
        }
        let page = self.thread().and_then(|thread| thread.heap.direct(size));
        ptr::with_exposed_provenance_mut(page.map_or(0, Page::pop))
    }

    /// A block of what does not lie ready. Null: out of memory.
    #[inline(never)]
    fn malloc_any(&self, size: usize) -> *mut u8 {
        if size <= MAX_DIRECT {
            self.allocate_slow(class_of(size.max(1)))
        } else if size <= MAX_SIZE {
            self.allocate(class_of(size))
        } else {
            self.allocate_large(size, 1).0
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_slow(&self, class: usize) -> *mut u8 {
        let Some(thread) = self.thread_or_new() else {
            // A thread that has no record any more.
            return self.allocate_mapping(size_of_class(class), 1).0;
        };
        let _busy = Busy::<S>::new();
        let block = self.allocate_in(thread, &thread.heap, class);
        ptr::with_exposed_provenance_mut(block)
    }

    /// A block of a class from a heap of the calling thread; 0: out of memory.
    fn allocate_in(&self, thread: &Thread, heap: &Heap, class: usize) -> usize {
        self.free_delayed(thread, heap);
        self.end_idle(thread, heap);
        self.segments.pass(&thread.segments, |now| {
            self.threads.look(self.source(), now);
            self.send_all(thread);
        });
        let is_none = heap.bins[class].is_empty();
        let class = if is_none { heap.few.instead_of(class) } else { class };
        if let Some(page) = self.find(thread, heap, class) {
            return page.pop();
        }
        self.make_room(thread);
        self.find(thread, heap, class).map_or(0, Page::pop)
    }

    /// The blocks of full pages that others freed are freed.
    fn free_delayed(&self, thread: &Thread, heap: &Heap) {
        heap.take_delayed(|block| match self.segments.of(block) {
            Some(segment) => {
                let page = segment.page_of(block);
                // First what others freed beside it: if the page is empty with that it goes now, as in its queue it is not
                // looked at before it serves again.
                page.collect_theirs::<S>();
                match page.push(block) {
                    Some(used) if settles(page, used) => {
                        self.after_free(thread, segment, page, block);
                    }
                    Some(_) => {}
                    None => misuse::end::<S>("free()", block, Misuse::Free),
                }
            }
            None => self.end_for("free()", block),
        });
    }

    /// The first page of a class's queue that has a block, or a fresh one. `None`: out of memory.
    fn find<'a>(&self, thread: &'a Thread, heap: &Heap, class: usize) -> Option<&'a Page> {
        let (bin, size) = (&heap.bins[class], size_of_class(class));
        for _ in 0..SEARCH {
            let Some(page) = bin.first() else { break };
            if page.collect::<S>() || self.extend(page, size) {
                return Some(page);
            }
            self.begin_full(heap, page);
        }
        self.fresh(thread, heap, class)
    }

    /// Counts fresh blocks off. `true`: there are some.
    fn extend(&self, page: &Page, size: usize) -> bool {
        page.extend(size, self.shuffle.at_a_time(EXTEND / size), &self.shuffle)
    }

    /// A page without a block leaves its queue (sharded-H2).
    fn begin_full(&self, heap: &Heap, page: &Page) {
        heap.dequeue(page);
        page.set_state(State::Full);
        heap.full.push(page);
        page.thread_free.want(true, wait::<S>);
        // Who freed before it was said has told nobody.
        if page.collect::<S>() {
            self.end_full(heap, page);
        }
    }

    fn end_full(&self, heap: &Heap, page: &Page) {
        page.thread_free.want(false, wait::<S>);
        heap.full.remove(page);
        if page.class() != 0 {
            page.set_state(State::Queued);
            heap.enqueue_last(page);
        }
    }

    /// A fresh page of a class at the front of its queue. `None`: out of memory.
    fn fresh<'a>(&self, thread: &'a Thread, heap: &Heap, class: usize) -> Option<&'a Page> {
        let size = size_of_class(class);
        let slices = if size <= MAX_SMALL { 1 } else { MEDIUM };
        if let Some(page) = self.adopt_for(thread, heap, class) {
            return Some(page);
        }
        let (segment, (page, start, len), _) = self.take_slices(thread, slices)?;
        page.open(heap.address(), class, size, start, len);
        // Blocks of a heap that can be destroyed wait nowhere.
        if size <= MAX_WAITING && ptr::eq(heap, &raw const thread.heap) {
            segment.let_wait(page);
        }
        page.set_state(State::Queued);
        self.extend(page, size);
        heap.enqueue(page);
        Some(page)
    }

    /// Slices in a row as a page, for small blocks or for one: their segment; the page, where it begins and how long it is; and whether
    /// all is zero. `None`: out of memory.
    fn take_slices(
        &self,
        thread: &Thread,
        count: usize,
    ) -> Option<(&'static Segment, (&'static Page, usize, usize), bool)> {
        // The first slice serves pages of one slice only.
        let row = Row { count, whole: count > 1 };
        let (segment, first, zero) =
            self.segments.take_pieces(&thread.segments, thread.address(), row)?;
        Some((segment, segment.begin(first, count), zero))
    }

    /// A page without a block in use goes, with its slices; it is on no list.
    fn give_slices(&self, thread: &Thread, segment: &Segment, page: &Page) {
        let slices = segment.end(page);
        self.segments.give_pieces(&thread.segments, segment, slices, true);
    }

    /// A block of the calling thread is freed. `false`: it freed that one last.
    #[inline(always)]
    fn free_local(&self, thread: &Thread, segment: &Segment, page: &Page, block: usize) -> bool {
        let Some(used) = page.push(block) else { return false };
        if settles(page, used) {
            self.after_free_unless_busy(thread, segment, page, block);
        }
        true
    }

    /// In a signal handler that interrupted this an empty page stays where it is, and a full one comes back with another block.
    #[cold]
    #[inline(never)]
    fn after_free_unless_busy(
        &self,
        thread: &Thread,
        segment: &Segment,
        page: &Page,
        block: usize,
    ) {
        if !S::is_busy() {
            let _busy = Busy::<S>::new();
            self.after_free(thread, segment, page, block);
        }
    }

    /// The page of a block that was freed is empty, or was full; or it had none in use.
    fn after_free(&self, thread: &Thread, segment: &Segment, page: &Page, block: usize) {
        if page.is(State::None) || page.class() == 0 && page.start() != block {
            self.end_for("free()", block);
        }
        if page.used().cast_signed() < 0 {
            misuse::end::<S>("free()", block, Misuse::Free);
        }
        self.settle_page(thread, segment, page);
    }

    /// A page that is empty goes, one that was full comes back.
    fn settle_page(&self, thread: &Thread, segment: &Segment, page: &Page) {
        let Some(heap) = Heap::at(page.heap()) else { return };
        if page.used() == 0 {
            self.retire(thread, heap, segment, page);
        } else if page.is(State::Full) {
            self.end_full(heap, page);
        }
    }

    /// An empty page goes; the only one of its class some slow paths later, as it would soon be made again (sharded-H3).
    fn retire(&self, thread: &Thread, heap: &Heap, segment: &Segment, page: &Page) {
        if page.thread_free.has_some() {
            // All its blocks are free: what others freed beside them was free before.
            page.collect::<S>();
        }
        if page.is(State::Full) {
            page.thread_free.want(false, wait::<S>);
            heap.full.remove(page);
        } else {
            let is_only = heap.bins[page.class()].iter().take(2).count() == 1;
            if is_only && page.slices() == 1 {
                return heap.idle.begin(page.class(), STAYS);
            }
            heap.dequeue(page);
        }
        self.give_slices(thread, segment, page);
    }

    /// Pages that have been empty for long go.
    fn end_idle(&self, thread: &Thread, heap: &Heap) {
        heap.idle.each_due(|class| {
            if let Some(page) = heap.bins[class].first().filter(|page| page.used() == 0)
                && let Some(segment) = self.segments.of(links::address(page))
            {
                heap.dequeue(page);
                self.give_slices(thread, segment, page);
            }
        });
    }

    #[cold]
    fn end_for(&self, caller: &str, address: usize) -> ! {
        let is_ours = self.segments.of(address).is_some();
        misuse::end::<S>(caller, address, if is_ours { Misuse::NoBlock } else { Misuse::Foreign })
    }

    /// Gives up what is empty, where a request was refused.
    #[cold]
    fn make_room(&self, thread: &Thread) {
        self.send_all(thread);
        self.collect(thread);
        self.adopt_all(thread);
        self.segments.trim();
    }

    /// All that others freed is taken note of, and empty pages go.
    fn collect(&self, thread: &Thread) {
        for heap in thread.all_heaps() {
            self.free_delayed(thread, heap);
            for class in 1..heap.bins.len() {
                let mut next = heap.bins[class].first();
                while let Some(page) = next {
                    next = links::next(page);
                    page.collect::<S>();
                    if page.used() == 0
                        && let Some(segment) = self.segments.of(links::address(page))
                    {
                        heap.dequeue(page);
                        self.give_slices(thread, segment, page);
                    }
                }
            }
        }
    }

    /// Gives back all that is free; the bytes. What other threads keep stays theirs.
    pub fn trim_all(&self) -> usize {
        let _busy = Busy::<S>::new();
        let mut gone = 0;
        if let Some(thread) = self.thread() {
            self.send_all(thread);
            self.collect(thread);
            self.adopt_all(thread);
            gone += self.segments.trim_pieces(&thread.segments);
        }
        gone + self.segments.trim() + self.threads.trim(self.source())
    }

    /// Calls `visit` with every lock, in the order in which they nest.
    fn each_lock(&self, mut visit: impl FnMut(&Lock<S>) -> bool) -> bool {
        visit(self.threads.lock_for_fork())
            && visit(self.abandoned.bare())
            && self.segments.locks().into_iter().all(visit)
    }

    fn numbers(&self) -> Figures {
        let mut used = 0;
        let mine = self.thread().map(ptr::from_ref);
        self.threads.each(|thread| {
            used += if mine == Some(ptr::from_ref(thread)) {
                thread.segments.iter().map(Segment::used_bytes).sum::<usize>()
            } else {
                // They may go at any moment: what their pages have in all.
                thread.segments.used_bytes()
            };
        });
        used += self.abandoned.lock().iter().map(Segment::used_bytes).sum::<usize>();
        let huge = (self.segments.huge().bytes(), self.segments.huge().count());
        let ours = self.segments.costing_bytes();
        Figures {
            committed: ours
                + self.segments.arena.used_bytes()
                + self.threads.costing_bytes()
                + huge.0,
            live: used + huge.0,
            cached: 0,
            huge,
        }
    }
}

/// Whether there is more to do for a page that has `used` blocks in use, one having been freed.
#[inline(always)]
fn settles(page: &Page, used: u32) -> bool {
    used.cast_signed() <= 0 || !page.is(State::Queued)
}

/// Waits a little for a word to change.
fn wait<S: System>(word: &AtomicUsize, old: usize) {
    for _ in 0..100 {
        base::sync::spin_hint();
        if word.load(Ordering::Relaxed) != old {
            return;
        }
    }
    S::nap(word, old);
}

#[cfg(test)]
mod tests;

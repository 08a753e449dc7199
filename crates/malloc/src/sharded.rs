//! Sharded: the design of mimalloc. A heap in each thread, pages of one block size in segments, and three free lists in each
//! page.
//!
//! ```text
//! malloc ─► page of the size ─ free has a block? ─► it                     no atomics
//!              └─► slow ─ delayed blocks; next page of the queue: collect its lists, or count fresh blocks off
//!                    └─► slices of a segment ─ an abandoned one ─ pool ─ system
//! free   ─► map ─► segment ─ mine? ─► local_free of the page               no atomics
//!              └─ another thread's: thread_free of the page                one compare-and-swap
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

use base::check::ensure;
use base::guarded::Guarded;
use base::lock::{Busy, Lock};
use base::sync::{AtomicUsize, Ordering, fence};
use base::{Broken, Check};
use object::size_class::{MAX_SIZE, class_of, class_of_aligned, info};
use page::{Huge, System};
use source::os::Os;
use thread::Members;

use crate::chunks::{Chunk as _, Chunks, Row};
use crate::drop_in::Figures;
use crate::fallback;
use crate::fork::Missing;
use crate::links::{self, Queue};
use crate::misuse::{self, Misuse};

mod abandon;
mod drop_in;
mod heap;
mod idle;
mod own_heaps;
mod pages;

pub use heap::Heap;
use heap::{MAX_DIRECT, Thread};
use pages::{HEAD, MAX_SMALL, MEDIUM, Page, SEGMENT, SLICE, Segment, State};

/// The largest block of a segment, a quarter of one: what is longer would leave much of it empty.
const MAX_SINGLE: usize = SEGMENT / 4;
/// A mapping of its own that shrinks stays one down to this.
const MIN_MAPPING: usize = 1 << 20;
/// Bytes of fresh blocks that are counted off at a time.
const EXTEND: usize = 4096;
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
    huge: Huge<S>,
    threads: Members<S, Thread>,
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
            huge: Huge::new(),
            threads: Members::new(),
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
            return self.allocate_mapping(size_of_class(class), 1);
        };
        let _busy = Busy::<S>::new();
        let block = self.allocate_in(thread, &thread.heap, class);
        ptr::with_exposed_provenance_mut(block)
    }

    /// A block of a class from a heap of the calling thread; 0: out of memory.
    fn allocate_in(&self, thread: &Thread, heap: &Heap, class: usize) -> usize {
        self.free_delayed(thread, heap);
        self.end_idle(thread, heap);
        self.segments.pass(&thread.segments, |now| self.threads.look(self.source(), now));
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
            if page.collect::<S>() || page.extend(size, (EXTEND / size).max(1)) {
                return Some(page);
            }
            self.begin_full(heap, page);
        }
        self.fresh(thread, heap, class)
    }

    /// A page without a block leaves its queue (H2).
    fn begin_full(&self, heap: &Heap, page: &Page) {
        heap.dequeue(page);
        page.set_state(State::Full);
        heap.full.push(page);
        page.want(true, wait::<S>);
        // Who freed before it was said has told nobody.
        if page.collect::<S>() {
            self.end_full(heap, page);
        }
    }

    /// A full page has a block again.
    fn end_full(&self, heap: &Heap, page: &Page) {
        page.want(false, wait::<S>);
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
        let ((page, start, len), _) = self.take_slices(thread, slices)?;
        page.open(heap.address(), class, size, start, len);
        page.set_state(State::Queued);
        page.extend(size, (EXTEND / size).max(1));
        heap.enqueue(page);
        Some(page)
    }

    /// Slices in a row as a page, for small blocks or for one: it, where it begins and how long it is; and whether all is zero. `None`: out of memory.
    fn take_slices(
        &self,
        thread: &Thread,
        count: usize,
    ) -> Option<((&'static Page, usize, usize), bool)> {
        // The first slice serves pages of one slice only.
        let row = Row { count, whole: count > 1 };
        let (segment, first, zero) =
            self.segments.take_pieces(&thread.segments, thread.address(), row)?;
        Some((segment.begin(first, count), zero))
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

    /// An empty page goes; the only one of its class some slow paths later, as it would soon be made again (H3).
    fn retire(&self, thread: &Thread, heap: &Heap, segment: &Segment, page: &Page) {
        if page.has_theirs() {
            // All its blocks are free: what others freed beside them was free before.
            page.collect::<S>();
        }
        if page.is(State::Full) {
            page.want(false, wait::<S>);
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

    /// A block of another thread's is freed.
    #[cold]
    #[inline(never)]
    fn free_theirs(&self, segment: &Segment, page: &Page, block: usize) {
        if page.class() != 0 && !page.is_block(block, size_of_class(page.class())) {
            misuse::end::<S>("free()", block, Misuse::Inside);
        }
        let busy = Busy::<S>::new();
        if let Some(heap) = page.push_theirs(block) {
            if let Some(heap) = Heap::at(heap) {
                heap.push_delayed(block);
            }
            page.told();
        }
        drop(busy);
        // Pairs with the fence of who abandons it.
        fence(Ordering::SeqCst);
        if self.segments.is_marked(block) {
            match self.thread_to_free() {
                Some(thread) => self.adopt(thread, segment),
                None => self.look_through(segment),
            }
        }
    }

    /// A block of more than a class has, and whether it is zero.
    #[cold]
    #[inline(never)]
    fn allocate_large(&self, size: usize, align: usize) -> (*mut u8, bool) {
        if size > isize::MAX.cast_unsigned() {
            return (ptr::null_mut(), false);
        }
        if size <= MAX_SINGLE && align <= SLICE {
            let slices = size.max(1).div_ceil(SLICE).max(2);
            if let Some(thread) = self.thread_or_new()
                && let Some((at, zero)) = self.single(thread, &thread.heap, size, slices)
            {
                return (ptr::with_exposed_provenance_mut(at), zero);
            }
        }
        (self.allocate_mapping(size, align), true)
    }

    /// A page of one block: it is full, so that who frees it tells.
    fn single(
        &self,
        thread: &Thread,
        heap: &Heap,
        size: usize,
        slices: usize,
    ) -> Option<(usize, bool)> {
        let _busy = Busy::<S>::new();
        self.free_delayed(thread, heap);
        let ((page, start, _), zero) = self.take_slices(thread, slices)?;
        page.open(heap.address(), 0, 0, start, size);
        page.set_state(State::Full);
        heap.full.push(page);
        page.want(true, wait::<S>);
        Some((start, zero))
    }

    fn allocate_mapping(&self, size: usize, align: usize) -> *mut u8 {
        let _busy = Busy::<S>::new();
        self.segments.make_way(
            self.thread().map(|thread| &thread.segments),
            self.huge.bytes().saturating_add(size),
        );
        let map = || self.huge.allocate(&self.segments.source, size.max(1), align);
        // Where addresses are limited (`ulimit -v`), what is empty gives up its own.
        let at = map().or_else(|| {
            if let Some(thread) = self.thread() {
                self.make_room(thread);
            }
            self.segments.trim();
            map()
        });
        if at.is_none() {
            self.segments.note_beside(self.huge.bytes());
        }
        ptr::with_exposed_provenance_mut(at.unwrap_or(0))
    }

    #[cold]
    fn end_for(&self, caller: &str, address: usize) -> ! {
        let is_ours = self.segments.of(address).is_some();
        misuse::end::<S>(caller, address, if is_ours { Misuse::NoBlock } else { Misuse::Foreign })
    }

    /// Bytes of the live block at `address`, and its page if it has one.
    fn size_of(&self, caller: &str, address: usize) -> (usize, Option<&Page>) {
        if self.segments.of(address).is_some() {
            return self.size_in_page(address).unwrap_or_else(|| self.end_for(caller, address));
        }
        match self.huge.len_of(address) {
            Some(len) => (len, None),
            None => self.end_for(caller, address),
        }
    }

    /// As [`size_of`](Self::size_of), of a block that has a page. `None`: there is no such block.
    fn size_in_page(&self, address: usize) -> Option<(usize, Option<&Page>)> {
        let page = self.segments.of(address)?.page_of(address);
        match page.class() {
            0 if page.is(State::None) || page.start() != address => None,
            0 => Some((page.single_len(), Some(page))),
            class => Some((size_of_class(class), Some(page))),
        }
    }

    /// Gives up what is empty, where a request was refused.
    #[cold]
    fn make_room(&self, thread: &Thread) {
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
            && visit(self.huge.lock_for_fork())
            && visit(self.segments.lock_for_fork())
            && visit(self.segments.arena.lock_for_fork())
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
        let huge = (self.huge.bytes(), self.huge.count());
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

// SAFETY: blocks of pages, single blocks and mappings are disjoint, and come back before they are handed out again; every class
// is a multiple of 16, and every page begins at a multiple of 16 KiB.
unsafe impl<S: System> base::Malloc for Sharded<S> {
    #[inline]
    fn malloc(&self, size: usize) -> *mut u8 {
        let block = self.malloc_ready(size);
        if block.is_null() { self.malloc_any(size) } else { block }
    }

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        fallback::calloc(count, size, |size| match size {
            0..=MAX_SIZE => (self.malloc(size), false),
            _ => self.allocate_large(size, 1),
        })
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        let class = class_of_aligned(size, align).filter(|_| align <= HEAD);
        class.map_or_else(|| self.allocate_large(size, align).0, |class| self.allocate(class))
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        let address = ptr.expose_provenance();
        if address == 0 {
            return self.malloc(size);
        }
        if size > isize::MAX.cast_unsigned() {
            return ptr::null_mut();
        }
        let (held, page) = self.size_of("realloc()", address);
        match page {
            Some(page) if page.class() != 0 && size <= held && size > held / 2 => return ptr,
            Some(page) if page.class() == 0 && page.resize_single(size) => return ptr,
            None if size >= MIN_MAPPING => {
                let _busy = Busy::<S>::new();
                if size > held {
                    let grown = self.huge.bytes().saturating_add(size - held);
                    self.segments.make_way(self.thread().map(|thread| &thread.segments), grown);
                }
                let resize = || self.huge.resize(&self.segments.source, address, size);
                let again = || {
                    self.make_room(self.thread()?);
                    resize()
                };
                let moved = resize().or_else(again);
                self.segments.note_beside(self.huge.bytes());
                if let Some(at) = moved {
                    return ptr::with_exposed_provenance_mut(at);
                }
            }
            _ => {}
        }
        // SAFETY: the caller's promise.
        unsafe { fallback::realloc_by_copy(self, ptr, held, size) }
    }

    #[inline]
    unsafe fn free(&self, ptr: *mut u8) {
        if !self.free_ready(ptr.expose_provenance()) {
            self.free_any(ptr.addr());
        }
    }

    #[inline]
    unsafe fn free_sized(&self, ptr: *mut u8, _size: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.free(ptr) };
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        if ptr.is_null() { 0 } else { self.size_of("malloc_usable_size()", ptr.addr()).0 }
    }
}

impl<S: System> Sharded<S> {
    /// Frees a block of the calling thread. `false`: it is none, or looks wrong.
    #[inline(always)]
    fn free_ready(&self, address: usize) -> bool {
        let Some(segment) = self.segments.of(address) else { return false };
        let page = segment.page_of(address);
        // SAFETY: a segment's owner is 0 or a record of ours.
        let Some(thread) = (unsafe { self.threads.current_if(segment.owner()) }) else {
            return false;
        };
        address & 15 == 0 && self.free_local(thread, segment, page, address)
    }

    /// Frees what [`free_ready`](Self::free_ready) refused.
    #[inline(never)]
    fn free_any(&self, address: usize) {
        if address == 0 {
            return;
        }
        let Some(segment) = self.segments.of(address) else {
            if !self.huge.deallocate(&self.segments.source, address) {
                self.end_for("free()", address);
            }
            self.segments.note_beside(self.huge.bytes());
            return;
        };
        let page = segment.page_of(address);
        if page.is(State::None) || page.class() == 0 && page.start() != address {
            self.end_for("free()", address);
        }
        if address & 15 != 0 {
            misuse::end::<S>("free()", address, Misuse::Inside);
        }
        if self.thread().is_some_and(|thread| thread.address() == segment.owner()) {
            misuse::end::<S>("free()", address, Misuse::Free);
        }
        self.free_theirs(segment, page, address);
    }
}

impl<S: System> Check for Sharded<S> {
    /// Of the calling thread's heaps: others' change meanwhile.
    fn check(&self) -> Result<(), Broken> {
        if let Some(thread) = self.thread() {
            check_thread(thread)?;
        }
        self.huge.check()
    }
}

fn check_thread(thread: &Thread) -> Result<(), Broken> {
    // But for the block that was moving when a signal handler interrupted it and asked for this.
    let mut may_be_off = 1;
    for heap in thread.all_heaps() {
        for (class, bin) in heap.bins.iter().enumerate() {
            for page in bin.iter() {
                let at = page.start();
                ensure(
                    page.class() == class && page.is(State::Queued),
                    "H1: a page is in its queue",
                    at,
                )?;
                ensure(page.heap() == heap.address(), "H1: a page is its heap's", at)?;
                let off = page.blocks_off();
                ensure(off <= may_be_off, "A1: a page's blocks add up", at)?;
                may_be_off -= off;
            }
            let size = size_of_class(class);
            if class > 0 && size <= MAX_DIRECT {
                let direct = heap.direct(size).map_or(0, links::address);
                let first = bin.first().map_or(0, links::address);
                ensure(direct == first, "H1: direct names the first page of its queue", size)?;
            }
        }
        for page in heap.full.iter() {
            ensure(page.is(State::Full), "H1: a full page is on the list", page.start())?;
        }
    }
    thread.segments.check(thread.address())
}

#[cfg(test)]
mod tests;

//! Superslab: slabs of 64 KiB in superslabs of 2 MiB, a magazine and a slab for each class in each thread, and a queue for each
//! thread of what others freed.
//!
//! ```text
//! malloc ─► magazine has an object? ─► it                        no atomics
//!              └─► depot ─► slab that serves now ─► one that has an object ─► a fresh one of a superslab
//!                     ▲ before: what others freed of ours                    └─► pool ─► system
//! free   ─► map ─► class ─► magazine has room? it
//!              └─► half of the magazine: ours to their slabs, others' to the depot, else in chains to their owners' queues
//! ```
//!
//! | size          | where                     | metadata                                   |
//! |---------------|---------------------------|--------------------------------------------|
//! | to 32 KiB     | slab of its class         | 64 bytes a slab, 4 KiB a superslab         |
//! | to 1 MiB      | run of slabs              | as above                                   |
//! | above         | a mapping of its own      | an entry in a table                        |
//!
//! The design is that of a text whose first version lost 5.2 % by it; each part it suspected can be switched off
//! (`superslab/switches.rs`), and `heapwright bench superslab` measures them.
//! `docs/classic-mallocs.md` walks one malloc and one free through it.
use core::ptr;

use base::lock::{Busy, Lock};
use base::sync::{OneWriter as _, Ordering};
use object::size_class::{CLASSES, info};
use page::System;
use source::os::Os;
use thread::Members;

use crate::chunks::{FLOOR, Row};
use crate::drop_in::Figures;
use crate::fork::Missing;
use crate::links;
use crate::misuse::{self, Misuse};

mod calls;
mod check;
mod depot;
mod drop_in;
mod flush;
mod heap;
mod large;
mod pool;
mod remote;
mod slab;
mod switches;

use depot::Depot;
use heap::{Counts, Heap, Whose};
use pool::Pool;
use slab::{SLAB, SLABS, Slab, State, Super};
use switches::{Switch, Switches};

const MAX_SIZE: usize = 32 << 10;
/// The largest run, half a superslab: of what is longer one would leave the rest of its superslab empty.
const MAX_RUN: usize = SLABS / 2 * SLAB;
/// Empty slabs that are mappings of their own, which a heap keeps: as much as of superslabs.
const KEEP: usize = FLOOR / SLAB;
/// A slab of objects up to this size goes on serving when it is empty: larger ones are soon cut again.
const KEEP_EMPTY: usize = 256;

/// The process's malloc of this design.
pub type Malloc = Superslab<Os>;

/// One that has done nothing yet.
#[must_use]
pub const fn new() -> Malloc {
    Superslab::new(Os)
}

/// The malloc, on a system `S`.
#[derive(Debug)]
pub struct Superslab<S> {
    pool: Pool<S>,
    threads: Members<S, Heap>,
    switches: Switches,
    depot: Depot,
    /// Of threads that have ended.
    counts: Counts,
    /// For queues, where they are not to be without a lock.
    remote: Lock<S>,
    /// What the fork under way could not have.
    missing: Missing,
}

fn size_of_class(class: usize) -> usize {
    info(class).size as usize
}

impl<S: System> Superslab<S> {
    /// One that has done nothing yet: no call to `source` before the first request.
    #[must_use]
    pub const fn new(source: S) -> Self {
        Self {
            pool: Pool::new(source),
            threads: Members::new(),
            switches: Switches::new(),
            depot: Depot::new(),
            counts: Counts::new(),
            remote: Lock::new(),
            missing: Missing::new(),
        }
    }

    /// Where its memory comes from.
    pub fn source(&self) -> &S {
        &self.pool.supers.source
    }

    #[inline(always)]
    fn heap(&self) -> Option<&Heap> {
        self.threads.current()
    }

    /// The calling thread's heap: a new one, or one that another thread has left. `None`: out of memory, or the thread is as
    /// good as ended.
    fn heap_or_new(&self) -> Option<&Heap> {
        if let Some(heap) = self.heap() {
            return Some(heap);
        }
        let taken = |heap: &Heap| heap.set_whose(Whose::Owned);
        let heap = self.threads.current_or_new(self.source(), taken, |_| ());
        if self.threads.live() >= 2 {
            // The first moment at which there are threads: later it would be noticed more often.
            self.pool.supers.look_at_memory_limit();
        }
        heap
    }

    /// The heap to free with: none is made for a few objects, see [`Members::note_free`].
    fn heap_to_free(&self) -> Option<&Heap> {
        self.heap().or_else(|| self.threads.note_free().then(|| self.heap_or_new())?)
    }

    /// An object from the magazine of a class. Null: it has none.
    #[inline(always)]
    fn pop(&self, class: usize) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.heap().map_or(0, |heap| heap.bins[class].pop()))
    }

    #[inline(always)]
    fn allocate(&self, class: usize) -> *mut u8 {
        let object = self.pop(class);
        if object.is_null() { self.allocate_slow(class) } else { object }
    }

    /// An object from a slab, and more for the magazine. Null: out of memory.
    #[cold]
    #[inline(never)]
    fn allocate_slow(&self, class: usize) -> *mut u8 {
        let Some(heap) = self.heap_or_new() else {
            // A thread that has no heap any more.
            return self.allocate_mapping(size_of_class(class), 1).0;
        };
        let _busy = Busy::<S>::new();
        self.drain(heap);
        self.pool.supers.pass(&heap.supers, |now| self.look(now));
        let (wanted, is_none) = (class, !heap.has_slab(class));
        let class = if is_none { heap.few.instead_of(wanted) } else { wanted };
        let size = size_of_class(class);
        if class != wanted && heap.bins[class].count() > 0 {
            let object = heap.bins[class].pop();
            // Of another class's magazine, which may never be flushed: what is wrong in it would not be found.
            if self.pool.slab_of(object).is_none_or(|slab| !slab.is_object(object, class)) {
                misuse::end::<S>("free()", object, Misuse::Inside);
            }
            return ptr::with_exposed_provenance_mut(object);
        }
        let bin = heap.begin(class, size, self.switches.magazine());
        heap.counts.refills.raise(1);
        if bin.most() > 0 && self.depot.take(class, |batch| self.keep(heap, bin, batch)) {
            heap.counts.handed.raise(1);
            return ptr::with_exposed_provenance_mut(bin.pop());
        }
        let mut object = self.take(heap, class);
        if object == 0 {
            self.make_room(heap);
            object = self.take(heap, class);
        }
        if object != 0 && bin.most() > 0 {
            let one_lookup = self.switches.is_on(Switch::OneLookup);
            for _ in 1..bin.ask() {
                // No slab is made for them.
                let current = heap.serving(class, one_lookup).filter(|slab| slab.has_free());
                let Some(current) = current else { break };
                let more = current.take(size);
                heap.out.raise(size);
                if !bin.push(more) {
                    self.put(heap, current, more);
                    break;
                }
            }
        }
        ptr::with_exposed_provenance_mut(object)
    }

    /// An object of a class from this heap's slabs; 0: out of memory.
    fn take(&self, heap: &Heap, class: usize) -> usize {
        let (size, one_lookup) = (size_of_class(class), self.switches.is_on(Switch::OneLookup));
        if heap.serving(class, one_lookup).is_none_or(|slab| !slab.has_free()) {
            let open = heap.bins[class].open.pop();
            let Some(next) = open.or_else(|| self.fresh(heap, class)) else { return 0 };
            next.set_state(State::Taken);
            let table = self.pool.super_of(next).map_or(links::address(next), Super::table);
            heap.set_serving(class, Some(next), table);
        }
        let object = heap.serving(class, one_lookup).map_or(0, |slab| slab.take(size));
        if object != 0 {
            heap.out.raise(size);
        }
        object
    }

    /// A fresh slab of a class. `None`: out of memory.
    fn fresh(&self, heap: &Heap, class: usize) -> Option<&'static Slab> {
        let size = size_of_class(class);
        let cut = || self.switches.is_on(Switch::Superslab).then(|| self.cut(heap))?;
        // Where there are no addresses for a superslab there may be some for a slab.
        let (slab, range, again) = cut().or_else(|| self.single(heap))?;
        slab.open(heap.address(), class, size, range, self.switches.is_on(Switch::LazyInit));
        self.pool.name(slab);
        heap.counts.slabs.raise(1);
        heap.counts.again.raise(usize::from(again));
        Some(slab)
    }

    /// A free slab of this heap's superslabs, or of a new one; where it is, and whether it served before.
    fn cut(&self, heap: &Heap) -> Option<(&'static Slab, (usize, usize), bool)> {
        let row = Row { count: 1, whole: false };
        let (it, first, _) = self.pool.supers.take_pieces(&heap.supers, heap.address(), row)?;
        let (slab, range) = it.slab(first);
        if !self.pool.covers(range.0) {
            self.give_slabs(heap, it, slab, 1);
            return None;
        }
        // The head of a fresh superslab is all zero.
        Some((slab, range, slab.start() != 0))
    }

    /// A slab that is a mapping of its own; where it is, and whether it served before.
    fn single(&self, heap: &Heap) -> Option<(&'static Slab, (usize, usize), bool)> {
        if let Some(slab) = heap.singles.pop() {
            heap.single_count.lower(1);
            return Some((slab, (slab.start(), SLAB), true));
        }
        let (slab, at, again) = self.pool.take_single()?;
        Some((slab, (at, SLAB), again))
    }

    /// An object of this heap goes back to its slab.
    fn put(&self, heap: &Heap, slab: &Slab, object: usize) {
        let class = slab.class();
        if class == 0 {
            if !slab.is_run_at(object) {
                self.end_for("free()", object);
            }
            return self.end_run(heap, slab);
        }
        let size = size_of_class(class);
        if !slab.is_object(object, class) {
            misuse::end::<S>("free()", object, Misuse::Inside);
        }
        if slab.used() == 0 || slab.is_last_freed(object) {
            misuse::end::<S>("free()", object, Misuse::Free);
        }
        slab.put(object);
        heap.out.lower(size);
        let bin = &heap.bins[class];
        if bin.current().is_some_and(|current| ptr::eq(current, slab)) {
            if slab.used() > 0 || size <= KEEP_EMPTY {
                return;
            }
            heap.set_serving(class, None, 0);
        }
        if slab.used() == 0 {
            if slab.is(State::Open) {
                bin.open.remove(slab);
            }
            self.retire(heap, slab);
        } else if slab.is(State::Taken) {
            slab.set_state(State::Open);
            bin.open.push(slab);
        }
    }

    /// An empty slab of this heap, on no list.
    fn retire(&self, heap: &Heap, slab: &Slab) {
        slab.close();
        if let Some(it) = self.pool.super_of(slab) {
            self.pool.forget(slab);
            return self.give_slabs(heap, it, slab, 1);
        }
        self.pool.name(slab);
        if heap.single_count.load(Ordering::Relaxed) < KEEP {
            heap.singles.push(slab);
            heap.single_count.raise(1);
        } else {
            self.pool.give_single(slab);
        }
    }

    /// Slabs of a superslab of this heap are free again.
    fn give_slabs(&self, heap: &Heap, it: &Super, slab: &Slab, count: usize) {
        let slabs = (it.index_of(slab), count);
        let to_pool = self.switches.is_on(Switch::ReusePool);
        self.pool.supers.give_pieces(&heap.supers, it, slabs, to_pool);
    }

    /// Frees an object: to the magazine, else half of it goes first.
    #[cold]
    #[inline(never)]
    fn free_slow(&self, slab: &Slab, class: usize, object: usize) {
        let Some(heap) = self.heap_to_free() else {
            return self.push_remote(slab.owner(), object, object);
        };
        let _busy = Busy::<S>::new();
        let bin = heap.begin(class, size_of_class(class), self.switches.magazine());
        if bin.most() > 0 {
            self.flush(heap, class, bin.count() / 2 + 1, self.switches.is_on(Switch::Depot));
            if bin.push(object) {
                return;
            }
        }
        self.free_past_magazine(heap, slab, object);
    }

    fn free_past_magazine(&self, heap: &Heap, slab: &Slab, object: usize) {
        if slab.owner() == heap.address() {
            self.put(heap, slab, object);
        } else {
            self.push_remote(slab.owner(), object, object);
        }
    }

    #[cold]
    fn end_for(&self, caller: &str, address: usize) -> ! {
        let is_ours = self.pool.slab_of(address).is_some();
        misuse::end::<S>(caller, address, if is_ours { Misuse::NoBlock } else { Misuse::Foreign })
    }

    /// Empties the magazines of a heap that is the calling thread's, or nobody's.
    fn empty(&self, heap: &Heap) {
        for (class, bin) in heap.begun() {
            self.flush(heap, class, bin.count(), false);
        }
        self.drain(heap);
        for (class, bin) in heap.begun() {
            if let Some(current) = bin.current() {
                heap.set_serving(class, None, 0);
                if current.used() == 0 {
                    self.retire(heap, current);
                } else if current.has_free() {
                    current.set_state(State::Open);
                    bin.open.push(current);
                }
            }
        }
        while let Some(single) = heap.singles.pop() {
            heap.single_count.lower(1);
            self.pool.give_single(single);
        }
    }

    /// Gives up what is empty, where a request was refused.
    #[cold]
    fn make_room(&self, heap: &Heap) {
        self.empty(heap);
        self.pool.supers.trim();
    }

    /// Gives back all that is free; the bytes. What other threads keep stays theirs.
    pub fn trim_all(&self) -> usize {
        let _busy = Busy::<S>::new();
        let mut gone = 0;
        (1..CLASSES).for_each(|class| while self.empty_depot(class) {});
        if let Some(heap) = self.heap() {
            self.empty(heap);
            gone += self.pool.supers.trim_pieces(&heap.supers);
        }
        self.threads.each_spare(|heap| {
            self.drain(heap);
            gone += self.pool.supers.trim_pieces(&heap.supers);
            heap.end_if_bare()
        });
        gone + self.pool.supers.trim() + self.threads.trim(self.source())
    }

    /// Calls `visit` with every heap that holds something.
    fn each_heap(&self, mut visit: impl FnMut(&Heap)) {
        self.threads.each(&mut visit);
        self.threads.each_spare(|heap| {
            visit(heap);
            false
        });
    }

    /// Calls `visit` with every lock, in the order in which they nest.
    fn each_lock(&self, mut visit: impl FnMut(&Lock<S>) -> bool) -> bool {
        visit(self.threads.lock_for_fork()) && visit(&self.remote) && self.pool.locks().all(visit)
    }

    fn numbers(&self) -> Figures {
        let (mut out, mut cached) = (0, self.depot.bytes(size_of_class));
        self.each_heap(|heap| {
            out += heap.out.load(Ordering::Relaxed);
            cached += heap.cached(size_of_class);
        });
        let huge = (self.pool.supers.huge().bytes(), self.pool.supers.huge().count());
        let ours = self.pool.costing_bytes();
        Figures {
            committed: ours
                + self.pool.supers.arena.used_bytes()
                + self.threads.costing_bytes()
                + huge.0,
            live: out.saturating_sub(cached) + huge.0,
            cached,
            huge,
        }
    }
}

#[cfg(test)]
mod tests;

//! Superslab: slabs of 64 KiB in superslabs of 2 MiB, a magazine and a slab for each class in each thread, and a queue for each
//! thread of what others freed.
//!
//! ```text
//! malloc ─► magazine has an object? ─► it                        no atomics
//!              └─► slab that serves now ─► one that has an object ─► a fresh one of a superslab
//!                     ▲ before: what others freed of ours          └─► pool ─► system
//! free   ─► map ─► descriptor ─► class ─► magazine has room? it
//!              └─► half of the magazine: ours to their slabs, others' in chains to their owners' queues
//! ```
//!
//! | size          | where                     | metadata                                   |
//! |---------------|---------------------------|--------------------------------------------|
//! | to 32 KiB     | slab of its class         | 64 bytes a slab, 4 KiB a superslab         |
//! | to 1 MiB      | run of slabs              | as above                                   |
//! | above         | a mapping of its own      | an entry in a table                        |
//!
//! The design is that of a text whose first version lost 5.2 % by it; each part it suspected can be switched off
//! (`superslab/switches.rs`), and `heapwright bench -a superslab,superslab:magazine=0` measures them.
//! `docs/classic-mallocs.md` walks one malloc and one free through it.
use core::ptr;

use base::lock::{Busy, Lock};
use base::sync::{OneWriter as _, Ordering};
use object::size_class::info;
use page::System;
use source::os::Os;
use thread::Members;

use crate::chunks::Row;
use crate::drop_in::Figures;
use crate::fork::Missing;
use crate::misuse::{self, Misuse};

mod calls;
mod check;
mod drop_in;
mod heap;
mod large;
mod pool;
mod remote;
mod slab;
mod switches;

use heap::{Bin, Heap, Whose};
use pool::Pool;
use slab::{SLAB, SLABS, Slab, State, Super};
use switches::Switches;

const MAX_SIZE: usize = 32 << 10;
/// The largest run, half a superslab: of what is longer one would leave the rest of its superslab empty.
const MAX_RUN: usize = SLABS / 2 * SLAB;
/// Empty slabs that are mappings of their own, which a heap keeps: 2 MiB.
const KEEP: usize = SLABS;
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
        self.pool.supers.pass(&heap.supers, |now| self.threads.look(self.source(), now));
        let (wanted, is_none) = (class, !heap.has_slab(class));
        let class = if is_none { heap.few.instead_of(wanted) } else { wanted };
        let size = size_of_class(class);
        if class != wanted && heap.bins[class].count() > 0 {
            let object = heap.bins[class].pop();
            // Of another class's magazine, which may never be flushed: what is wrong in it would not be found.
            if self.pool.slab_of(object).is_none_or(|slab| !slab.is_object(object, size)) {
                misuse::end::<S>("free()", object, Misuse::Inside);
            }
            return ptr::with_exposed_provenance_mut(object);
        }
        let bin = heap.begin(class, size, self.switches.magazine());
        let mut object = self.take(heap, class);
        if object == 0 {
            self.make_room(heap);
            object = self.take(heap, class);
        }
        if object != 0 && bin.most() > 0 {
            for _ in 1..bin.ask() {
                // No slab is made for them.
                let Some(current) = bin.current().filter(|slab| slab.has_free()) else { break };
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
        let (bin, size) = (&heap.bins[class], size_of_class(class));
        if bin.current().is_none_or(|slab| !slab.has_free()) {
            let Some(next) = bin.open.pop().or_else(|| self.fresh(heap, class)) else { return 0 };
            next.set_state(State::Taken);
            bin.set_current(Some(next));
        }
        let object = bin.current().map_or(0, |slab| slab.take(size));
        if object != 0 {
            heap.out.raise(size);
        }
        object
    }

    /// A fresh slab of a class. `None`: out of memory.
    fn fresh(&self, heap: &Heap, class: usize) -> Option<&'static Slab> {
        let size = size_of_class(class);
        let cut = || self.switches.superslab().then(|| self.cut(heap))?;
        // Where there are no addresses for a superslab there may be some for a slab.
        let (slab, range) = cut().or_else(|| self.single(heap))?;
        slab.open(heap.address(), class, size, range, self.switches.lazy_init());
        Some(slab)
    }

    /// A free slab of this heap's superslabs, or of a new one.
    fn cut(&self, heap: &Heap) -> Option<(&'static Slab, (usize, usize))> {
        let row = Row { count: 1, whole: false };
        let (it, first, _) = self.pool.supers.take_pieces(&heap.supers, heap.address(), row)?;
        Some(it.slab(first))
    }

    /// A slab that is a mapping of its own.
    fn single(&self, heap: &Heap) -> Option<(&'static Slab, (usize, usize))> {
        if let Some(slab) = heap.singles.pop() {
            heap.single_count.lower(1);
            return Some((slab, (slab.start(), SLAB)));
        }
        let (slab, at) = self.pool.take_single()?;
        Some((slab, (at, SLAB)))
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
        if !slab.is_object(object, size) {
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
            bin.set_current(None);
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
        match self.pool.super_of(slab) {
            Some(it) => self.give_slabs(heap, it, slab, 1),
            None if heap.single_count.load(Ordering::Relaxed) < KEEP => {
                heap.singles.push(slab);
                heap.single_count.raise(1);
            }
            None => self.pool.give_single(slab),
        }
    }

    /// Slabs of a superslab of this heap are free again.
    fn give_slabs(&self, heap: &Heap, it: &Super, slab: &Slab, count: usize) {
        let slabs = (it.index_of(slab), count);
        self.pool.supers.give_pieces(&heap.supers, it, slabs, self.switches.reuse_pool());
    }

    /// Gives objects back that are no more the thread's: its own to their slabs, others' to their owners.
    #[cold]
    #[inline(never)]
    fn flush(&self, heap: &Heap, bin: &Bin, count: usize) {
        // A chain of one owner's objects.
        let (mut first, mut last, mut owner) = (0, 0, 0);
        bin.take_oldest(count, |object| {
            let Some(slab) = self.pool.slab_of(object) else { self.end_for("free()", object) };
            if slab.owner() == heap.address() {
                return self.put(heap, slab, object);
            }
            if slab.owner() != owner && first != 0 {
                self.push_remote(owner, first, last);
                first = 0;
            }
            if first == 0 {
                (last, owner) = (object, slab.owner());
            }
            crate::links::set_next(object, first);
            first = object;
        });
        if first != 0 {
            self.push_remote(owner, first, last);
        }
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
            self.flush(heap, bin, bin.count() / 2 + 1);
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
        for (_, bin) in heap.begun() {
            self.flush(heap, bin, bin.count());
        }
        self.drain(heap);
        for (_, bin) in heap.begun() {
            if let Some(current) = bin.current() {
                bin.set_current(None);
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

    /// Calls `visit` with every lock, in the order in which they nest.
    fn each_lock(&self, mut visit: impl FnMut(&Lock<S>) -> bool) -> bool {
        visit(self.threads.lock_for_fork()) && visit(&self.remote) && self.pool.locks().all(visit)
    }

    fn numbers(&self) -> Figures {
        let (mut out, mut cached) = (0, 0);
        let mut add = |heap: &Heap| {
            out += heap.out.load(Ordering::Relaxed);
            cached += heap.cached(size_of_class);
        };
        self.threads.each(&mut add);
        self.threads.each_spare(|heap| {
            add(heap);
            false
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

//! A thread's cache: the slow path of its magazines, and what is known of the thread.
//!
//! ```text
//! transfer   objects, between magazines and slabs       growth   capacities
//! put_away   between magazines and the depot            count    what changed hands
//! ```
//!
//! - **cache-N1** a class has a cell exactly while its capacity is not 0; `bottom` is then
//!   `end − 8 × capacity`, and the word below it is 0 (magazine-A1).
//! - **cache-N2** capacities start at twice the objects that fill whole cache lines, and double with
//!   use: idle threads keep little. Where another thread had the same memory before, which has ended, they start at what
//!   its capacities had come to, at most [`MOST_FIRST`]. Of objects up to 128 bytes, two of which may lie in a line: while
//!   magazines grow, what any thread but the first claims shares no line with what others have, unless
//!   only slabs in pieces are left; and what a thread frees of a class before it has allocated any goes
//!   back, the first 16 of each.
//! - **cache-N3** a magazine's top is lowered before its objects are moved or given back and raised after
//!   they were moved or claimed: a thread that never returns here (`fork` left it behind, or it calls
//!   `exit` in a signal handler) loses at worst objects, and slabs that their shelf was about to look
//!   at, and never has an object in two places.
//! - **cache-N4** a flush moves one object less than a refill, but at least one: a thread that takes and frees
//!   the same batch, up to the capacity, comes to need neither, unless the search for holes
//!   empties the magazines before.
//! - **cache-N5** whatever claims objects or gives them back here is a pass of the thread's account, and
//!   counted in it (account-Y1).
//!
//! Layer *thread*. Refilling and flushing move up to 63 objects: O(1) a call of malloc or
//! free in the mean. About half a magazine is flushed, the half freed first.
use core::mem::offset_of;

use base::live::{Number, Table};
use base::sync::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use object::Central;
use object::central::Place;
use object::shelf::Supply;
use object::size_class::CLASSES;
use page::{Pool, System};
use policy::table::MOST_FIRST;
use source::os::imp::peek::Peek;

use crate::account::Account;
use crate::cells::{self, Cells};
use crate::depot::{self, Depot};
use crate::links::Linked;
use crate::magazine::{CELL, MAX_CAPACITY, end_of, word};
use crate::runs::Runs;
use crate::tls::{CACHE, SLOTS, Tls, empty};

const WORD: usize = size_of::<usize>();

/// What a cache needs of its surroundings.
#[derive(Debug)]
pub struct Backend<'a, S> {
    /// Where objects come from and go to.
    pub central: &'a Central<S>,
    /// Granules and descriptors.
    pub supply: Supply<'a, S>,
    /// Threads with a cache, which share what is put away.
    pub threads: u32,
}

impl<S> Clone for Backend<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Backend<'_, S> {}

/// What another thread's slots look like from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a copy on the stack, for a moment")]
pub enum SlotSnapshot {
    /// This is what they hold.
    There([usize; SLOTS]),
    /// The memory is unmapped or another thread's by now: the thread has ended unannounced, by
    /// a bare system call perhaps. What its magazines held is lost.
    Gone,
    /// The system does not let us look.
    Hidden,
}

/// What is known of a thread. Written by it alone, but for the links.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadCache {
    link: AtomicU64,
    links: [AtomicUsize; 2],
    pub(crate) number: AtomicU32,
    /// The NUMA node it was seen on last.
    node: AtomicU32,
    pub(crate) account: Account,
    slots: AtomicUsize,
    refills: AtomicU64,
    flushes: AtomicU64,
    cells: Cells,
    /// Halves of magazines.
    pub(crate) depot: Depot,
    /// Runs of 80 to 256 KiB.
    pub runs: Runs,
    capacity: [AtomicU8; CLASSES],
    /// The first capacities, by the thread that had this memory before; 0 where it had none (cache-N2).
    first: [AtomicU8; CLASSES],
    /// Objects of each class that it freed before it allocated any (cache-N2).
    strays: [AtomicU8; CLASSES],
}

const _: () = assert!(size_of::<ThreadCache>() <= Pool::Thread.size(), "fits its pool");

// SAFETY: caches are never unmapped.
unsafe impl Linked for ThreadCache {
    fn links(&self) -> &[AtomicUsize; 2] {
        &self.links
    }
}

impl ThreadCache {
    pub(crate) const fn show(table: Table) -> Table {
        let depot = offset_of!(Self, depot);
        table
            .number(Number::Cache, size_of::<Self>())
            .number(Number::CacheNext, offset_of!(Self, links))
            .number(Number::CacheSlots, offset_of!(Self, slots))
            .number(Number::CacheRefills, offset_of!(Self, refills))
            .number(Number::CacheFlushes, offset_of!(Self, flushes))
            .number(Number::CacheCapacities, offset_of!(Self, capacity))
            .number(Number::CacheDepotOf, depot + Depot::OF)
            .number(Number::CacheDepotCounts, depot + Depot::COUNTS)
            .number(Number::DepotPlaces, depot::PLACES)
            .number(Number::CacheRuns, offset_of!(Self, runs) + Runs::GRANULES)
            .number(Number::SlotCache, CACHE)
            .number(Number::Cell, CELL)
    }

    /// The cache at an address that a slot or a link gave.
    /// # Safety
    /// `at` is the address of a cache.
    pub unsafe fn at<'a>(at: usize) -> &'a Self {
        // SAFETY: caches are never unmapped and are all atomics.
        unsafe { &*core::ptr::with_exposed_provenance::<Self>(at) }
    }

    /// The calling thread's cache, if it has one.
    #[inline]
    pub fn current<'a, T: Tls>(tls: &T) -> Option<&'a Self> {
        let at = tls.load(CACHE);
        // SAFETY: the slot holds 0 or the address of the thread's cache.
        (at != 0).then(|| unsafe { Self::at(at) })
    }

    /// A cache for the calling thread, in its slot. `None`: out of memory.
    pub fn attach<'a, S: System, T: Tls>(supply: Supply<'_, S>, tls: &T) -> Option<&'a Self> {
        let at = supply.meta.allocate(supply.pages, Pool::Thread)?;
        // SAFETY: a piece from the pool of caches; any contents are valid atomics.
        let cache = unsafe { Self::at(at) };
        for (capacity, first) in cache.capacity.iter().zip(&cache.first) {
            first.store(capacity.load(Ordering::Relaxed).min(MOST_FIRST), Ordering::Relaxed);
            capacity.store(0, Ordering::Relaxed);
        }
        cache.strays.iter().for_each(|count| count.store(0, Ordering::Relaxed));
        cache.runs.forget();
        cache.cells.reset();
        cache.depot.reset();
        cache.account.reset();
        cache.refills.store(0, Ordering::Relaxed);
        cache.flushes.store(0, Ordering::Relaxed);
        cache.node.store(0, Ordering::Relaxed);
        cache.slots.store(tls.address(), Ordering::Relaxed);
        tls.store(CACHE, at);
        Some(cache)
    }

    /// Its address.
    pub fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    /// The address of its thread's slots.
    pub fn slots(&self) -> usize {
        self.slots.load(Ordering::Relaxed)
    }

    /// Which thread it was, counted from 0.
    pub fn number(&self) -> u32 {
        self.number.load(Ordering::Relaxed)
    }

    /// Where it was when it was last [seen](Self::see).
    fn place(&self) -> Place {
        Place { thread: self.number(), node: self.node.load(Ordering::Relaxed) }
    }

    /// Finds out on which NUMA node the thread runs, unless there is one shard, for all nodes.
    pub fn learn_node<S: System>(&self, backend: Backend<'_, S>) {
        if backend.central.shards() > 1 {
            self.node.store(backend.supply.pages.source.node(), Ordering::Relaxed);
        }
    }

    /// How often magazines were refilled and flushed.
    pub fn slow_paths(&self) -> (u64, u64) {
        (self.refills.load(Ordering::Relaxed), self.flushes.load(Ordering::Relaxed))
    }

    /// Whether the thread was inside its slow path (cache-N3).
    pub fn is_busy(&self) -> bool {
        self.account.is_inside()
    }

    pub(crate) fn capacity(&self, class: usize) -> usize {
        usize::from(self.capacity[class].load(Ordering::Relaxed))
    }

    /// The bottom of the magazine of a class whose top is `top` (cache-N1).
    pub(crate) fn bottom(&self, top: usize, class: usize) -> usize {
        end_of(top) - self.capacity(class) * WORD
    }

    /// Ends the cache, which is empty and which the registry no longer names: the thread has none
    /// any more.
    pub fn detach<S: System, T: Tls>(&self, backend: Backend<'_, S>, tls: &T) {
        let mut cells = [0; CLASSES + cells::MOST + depot::CELLS];
        let magazines = (1..CLASSES).filter(|&class| self.capacity(class) != 0).map(|class| {
            let cell = end_of(tls.load(class)) - CELL;
            tls.store(class, empty());
            cell
        });
        let others = self.cells.each().chain(self.depot.cells());
        let count = put(&mut cells, magazines.chain(others));
        // SAFETY: the cells came from this pool, and neither slot nor `cells` name them.
        unsafe { backend.supply.meta.deallocate_each(Pool::Cell, &cells[..count]) };
        tls.store(CACHE, 0);
        // SAFETY: the cache came from this pool, and neither slot nor registry name it.
        unsafe { backend.supply.meta.deallocate(Pool::Thread, self.address()) };
    }

    /// A copy of the thread's slots, read while it may be running or gone. The system is asked only for other threads'.
    pub fn look<T: Tls>(&self, tls: &T) -> SlotSnapshot {
        self.look_by(tls, T::peek)
    }

    /// As [`look`](Self::look), where the calling thread is the process's only one.
    pub fn look_alone<T: Tls>(&self, tls: &T) -> SlotSnapshot {
        self.look_by(tls, T::peek_alone)
    }

    fn look_by<T: Tls>(
        &self,
        tls: &T,
        peek: impl Fn(&T, usize, &mut [usize; SLOTS]) -> Peek,
    ) -> SlotSnapshot {
        let mut slots = [0; SLOTS];
        let answer = if self.slots() == tls.address() {
            slots = core::array::from_fn(|slot| tls.load(slot));
            Peek::Copied
        } else {
            peek(tls, self.slots(), &mut slots)
        };
        match answer {
            Peek::Copied if slots[CACHE] == self.address() => SlotSnapshot::There(slots),
            Peek::Copied | Peek::Gone => SlotSnapshot::Gone,
            Peek::Refused => SlotSnapshot::Hidden,
        }
    }

    /// What a thread that no longer exists has kept goes back: runs, the depot, and if its slots can still
    /// be read the magazines with their cells. What it was moving when it stopped is
    /// lost (cache-N3) and cannot be counted (slack-X1): of a thread that was inside its slow path all objects are, but no run (runs-K1).
    pub fn reclaim<S: System>(&self, backend: Backend<'_, S>, look: &SlotSnapshot) {
        if self.is_busy() {
            backend.supply.pages.slack.note_uncounted();
        } else {
            if let SlotSnapshot::There(slots) = look {
                for (class, &top) in slots.iter().enumerate().take(CLASSES).skip(1) {
                    if self.capacity(class) != 0 {
                        self.reclaim_magazine(backend, class, top);
                    }
                }
            }
            // As with magazines, there is nobody to report a mistake to.
            let _ = self.empty_depot(backend);
            let mut cells = [0; cells::MOST + depot::CELLS];
            let count = put(&mut cells, self.cells.each().chain(self.depot.cells()));
            // SAFETY: the cells came from this pool, and nothing names them any more.
            unsafe { backend.supply.meta.deallocate_each(Pool::Cell, &cells[..count]) };
            // Whether holes are worth looking for is for the child's own frees to say.
            self.report_traffic(backend);
        }
        self.drop_runs(backend);
        // SAFETY: its thread is gone, and the caller has taken it off the registry.
        unsafe { backend.supply.meta.deallocate(Pool::Thread, self.address()) };
    }

    fn reclaim_magazine<S: System>(&self, backend: Backend<'_, S>, class: usize, top: usize) {
        let held = self.held_below(top, class);
        // SAFETY: `held` words below the top are the magazine's.
        let objects = unsafe { core::slice::from_raw_parts(word(top - held * WORD), held) };
        // An object that the thread was just freeing may be free already; there is nobody to report it to.
        let _ = self.give_back(backend, objects);
        // SAFETY: the cell came from this pool, and its thread is gone.
        unsafe { backend.supply.meta.deallocate(Pool::Cell, end_of(top) - CELL) };
    }

    /// Objects of `class` in the magazine, by a copy of the slots, and in the depot: a moment's figure.
    pub fn held(&self, look: &SlotSnapshot, class: usize) -> usize {
        let in_magazine = match look {
            SlotSnapshot::There(slots) if self.capacity(class) != 0 => {
                self.held_below(slots[class], class)
            }
            _ => 0,
        };
        in_magazine + self.depot.held(class)
    }

    /// Objects in the magazine of a class whose top is `top`. The thread may have changed its
    /// capacity meanwhile, so the figure is kept within a cell.
    pub(crate) fn held_below(&self, top: usize, class: usize) -> usize {
        (top.saturating_sub(self.bottom(top, class)) / WORD).min(MAX_CAPACITY)
    }
}

/// Puts what comes into `places`, and says how many there were.
fn put(places: &mut [usize], what: impl Iterator<Item = usize>) -> usize {
    places.iter_mut().zip(what).map(|(place, one)| *place = one).count()
}

mod count;
mod growth;
mod put_away;
#[cfg(test)]
mod tests;
mod transfer;

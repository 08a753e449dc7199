//! `SharedKmemCache`: a cache for many threads, each with two magazines, over a depot of full and empty ones.
//!
//! ```text
//!  thread   LocalKmemCache: main ⇄ spare      one has no handle: a slot by its number, with a lock
//!               │  exchange a magazine             │
//!  depot        full ≤ 10, empty ≤ 10     one lock, a few instructions
//!               │  fill one, empty one
//!  slabs        one lock; pages come from the same side of it
//! ```
//!
//! - **kmem-shared-V1** an object in a magazine is in no other, and in use as far as its slab knows.
//! - **kmem-shared-V2** of the depot's magazines the full ones are full, and the empty ones empty.
//! - **kmem-shared-V3** of two locks none is taken while the other is held, but for a slot's, inside which the depot's or the slabs' is taken.
//!
//! No object has an owner: a thread that frees what another allocated puts it into its own magazine. In a steady state a thread
//! takes a lock once in as many calls as two magazines have rounds, and what crosses between threads does so a magazine at a
//! time. Layer *kernel*. Bonwick and Adams, "Magazines and Vmem", 2001.
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use base::PageAllocator;
use base::guarded::{Guarded, Inside};
use base::lock::Park;

use super::cache::InUse;
use super::front::{self, Filling, Slot};
use super::misuse::{Finding, Misuse};
use super::page_map::PageMap;
use super::pieces::Pieces;
use super::reserve::Identity;
use super::settings::{DebugFlags, Refused, Settings};
use super::shape::Shape;
use super::sheaf::{self, Known, Sheaf, Stack};
use super::slabs::{Ground, Slabs};

mod inspect;
mod local;
mod pair;
mod reserves;

pub use local::LocalKmemCache;

use pair::Pair;

/// Full magazines that the depot keeps, and empty ones.
const MOST: usize = 10;
/// Slots for threads without a handle.
const SLOTS: usize = 16;

/// The magazines that no thread has.
#[derive(Debug)]
struct Depot {
    full: Stack,
    empty: Stack,
    counts: DepotCounts,
}

/// What happened at a depot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DepotCounts {
    /// A full magazine was asked for, and there was one.
    pub gets: usize,
    /// There was none.
    pub missed: usize,
    /// A full magazine was brought, and there was room.
    pub puts: usize,
    /// There was none.
    pub refused: usize,
}

/// What only who has the slabs' lock touches.
#[derive(Debug)]
struct Back<P> {
    slabs: Slabs,
    sheaves: Pieces,
    known: Known,
    pages: P,
}

// SAFETY: magazines are reached by who has the lock.
unsafe impl Send for Depot {}
// SAFETY: what it points to is its own, and what it was given to call may be called from any thread.
unsafe impl<P: Send> Send for Back<P> {}

/// So far apart that two processors do not write to the same line or its neighbour.
#[derive(Debug)]
#[repr(align(128))]
struct Apart<T>(T);

/// Objects of one size for many threads. `L` says how a thread waits.
///
/// A thread that allocates often takes a [handle](Self::local); others call the cache itself, which costs a lock that is seldom
/// contended. What is dropped while objects are in use is lost to the pages.
pub struct SharedKmemCache<L: Park, P: PageAllocator> {
    map: PageMap,
    capacity: usize,
    depot: Apart<Guarded<L, Depot>>,
    back: Apart<Guarded<L, Back<P>>>,
    slots: [Apart<Guarded<L, Pair>>; SLOTS],
    settings: Settings,
    identity: Identity,
}

// SAFETY: everything that changes is behind a lock or an atomic, and what it was given to call may be called from any thread.
unsafe impl<L: Park, P: PageAllocator + Send> Sync for SharedKmemCache<L, P> {}
// SAFETY: as above.
unsafe impl<L: Park, P: PageAllocator + Send> Send for SharedKmemCache<L, P> {}

impl<P: PageAllocator> Back<P> {
    fn parts<'a>(&'a mut self, map: &'a PageMap) -> (&'a mut Slabs, Ground<'a, P>) {
        (&mut self.slabs, Ground { pages: &mut self.pages, map })
    }

    /// A new magazine; the one with no room where there is no memory.
    fn new_sheaf(&mut self, capacity: usize) -> Sheaf {
        if capacity == 0 {
            return Sheaf::none();
        }
        let Some(piece) = self.sheaves.take(&mut self.pages) else { return Sheaf::none() };
        // SAFETY: a piece of this size.
        let sheaf = unsafe { Sheaf::create(piece, capacity) };
        self.known.add(sheaf);
        sheaf
    }

    fn drop_sheaf(&mut self, sheaf: Sheaf) {
        self.known.remove(sheaf);
        // SAFETY: a piece of ours, and nobody has the magazine any more.
        unsafe { self.sheaves.give(sheaf.into_piece(), &mut self.pages) };
    }
}

impl<L: Park, P: PageAllocator> SharedKmemCache<L, P> {
    /// A cache without slabs.
    /// Errors: the settings do not make a cache.
    pub fn new(mut settings: Settings, pages: P) -> Result<Self, Refused> {
        if settings.ctor.is_some() {
            settings.debug = settings.debug.without(DebugFlags::POISON);
        }
        let page = pages.page_size();
        let shape = Shape::of(&settings, page)?;
        let capacity = front::capacity(&settings, shape.stride);
        let back = Back {
            slabs: Slabs::new(settings, shape, 0),
            sheaves: Pieces::new(sheaf::bytes(capacity)),
            known: Known::new(),
            pages,
        };
        let depot =
            Depot { full: Stack::new(), empty: Stack::new(), counts: DepotCounts::default() };
        Ok(Self {
            map: PageMap::new(page),
            capacity,
            depot: Apart(Guarded::new(depot)),
            back: Apart(Guarded::new(back)),
            slots: core::array::from_fn(|_| Apart(Guarded::new(Pair::empty()))),
            settings,
            identity: Identity::new(),
        })
    }

    /// A handle for one thread. O(1), no memory.
    pub fn local(&self) -> LocalKmemCache<'_, L, P> {
        LocalKmemCache { pair: Pair::empty(), shared: self }
    }

    #[inline]
    fn depot(&self) -> Inside<'_, L, Depot> {
        self.depot.0.lock()
    }

    #[inline]
    fn back(&self) -> Inside<'_, L, Back<P>> {
        self.back.0.lock()
    }

    /// The thread's slot, or the next that nobody is in.
    #[inline]
    fn slot(&self) -> Inside<'_, L, Pair> {
        /// Spreads numbers that differ in their high or low bits: a word's ones over the golden ratio.
        const SPREAD: usize = (usize::MAX / 0x1_9e37 * 0x1_0000) | 1;
        let first = L::me().wrapping_mul(SPREAD) >> (usize::BITS - SLOTS.ilog2());
        (0..SLOTS)
            .find_map(|next| self.slots[(first + next) % SLOTS].0.try_lock())
            .unwrap_or_else(|| self.slots[first].0.lock())
    }

    /// An object, through a slot. `None`: there is no memory. O(1); O(objects of a slab) for a new one.
    pub fn allocate(&self) -> Option<NonNull<u8>> {
        if self.capacity == 0 { self.allocate_for(0) } else { self.slot().allocate(self) }
    }

    /// The same, and all bytes are 0. Not for objects with a constructor.
    pub fn allocate_zeroed(&self) -> Option<NonNull<u8>> {
        let object = self.allocate()?;
        // SAFETY: an object has this many bytes.
        unsafe { object.write_bytes(0, self.settings.size) };
        Some(object)
    }

    /// The same as [`allocate`](Self::allocate), and a cache with [`DebugFlags::USER`] keeps who asked.
    pub fn allocate_for(&self, user: usize) -> Option<NonNull<u8>> {
        if self.capacity > 0 {
            return self.allocate();
        }
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        slabs.take(&mut ground, user)
    }

    /// An object of the slab that `near` lies in if one is free there, not counting magazines, else any. A pointer that is none of
    /// this cache ends in the misuse hook.
    pub fn alloc_near(&self, near: NonNull<u8>) -> Option<NonNull<u8>> {
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        let found = slabs.take_near(&mut ground, near, 0);
        drop(back);
        self.expect(found)
    }

    /// Gives an object back, through a slot. What is found wrong ends in the misuse hook, as of
    /// [`KmemCache::free`](super::KmemCache::free).
    /// # Safety
    /// `object` was allocated here, by whichever thread, is live, and is dead afterwards.
    pub unsafe fn free(&self, object: NonNull<u8>) {
        let found = if self.capacity == 0 {
            self.give_for(object, 0)
        } else {
            self.slot().free(self, object)
        };
        self.expect(found);
    }

    /// As [`free`](Self::free), for whoever can go on. With magazines a lock, and O(rounds).
    /// Errors: what was found wrong with it: nothing has changed then. Or with another object, freed by
    /// [`free`](Self::free), that came out of a magazine to make room: then this one is free.
    /// # Safety
    /// As [`free`](Self::free), but a pointer that no object of this cache has, and one to an object that is free in its slab or
    /// in the slot's magazines, are refused; not one that is in the magazines of another slot, a handle, or the depot.
    pub unsafe fn try_free(&self, object: NonNull<u8>) -> Result<(), Misuse> {
        self.try_free_for(object, 0)
    }

    fn try_free_for(&self, object: NonNull<u8>, user: usize) -> Result<(), Misuse> {
        if self.capacity == 0 {
            self.give_for(object, user)
        } else {
            self.slot().try_free(self, object)
        }
    }

    /// As [`try_free`](Self::try_free), and a cache with [`DebugFlags::USER`] keeps who freed.
    /// Errors: as [`try_free`](Self::try_free).
    /// # Safety
    /// As [`try_free`](Self::try_free).
    pub unsafe fn free_for(&self, object: NonNull<u8>, user: usize) -> Result<(), Misuse> {
        self.try_free_for(object, user)
    }

    fn give_for(&self, object: NonNull<u8>, user: usize) -> Result<(), Misuse> {
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        slabs.give(&mut ground, object, user)
    }

    /// Fills all of `out` with objects, or none of it: whether there was memory; if not, all of `out` is `None`, whatever it was.
    /// O(objects).
    #[must_use]
    pub fn allocate_bulk(&self, out: &mut [Option<NonNull<u8>>]) -> bool {
        self.slot().allocate_bulk(self, out)
    }

    /// Gives all objects back. O(objects).
    /// # Safety
    /// As [`free`](Self::free) for each of them.
    pub unsafe fn free_bulk(&self, objects: &[NonNull<u8>]) {
        let found = self.slot().free_bulk(self, objects);
        self.expect(found);
    }

    #[cold]
    #[inline(never)]
    fn allocate_rest(&self, out: &mut [Slot], done: usize) -> bool {
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        let filled = Filling::new(slabs, &mut ground, out, done).fill();
        drop(back);
        self.expect(filled)
    }

    /// An empty magazine; the one with no room where there is no memory.
    #[cold]
    fn get_empty(&self) -> Sheaf {
        let empty = self.depot().empty.pop();
        empty.unwrap_or_else(|| self.back().new_sheaf(self.capacity))
    }

    fn put_empty(&self, sheaf: Sheaf, mut depot: Inside<'_, L, Depot>) {
        if sheaf.is_none() {
            return;
        }
        if depot.empty.len() < MOST {
            return depot.empty.push(sheaf);
        }
        drop(depot);
        self.back().drop_sheaf(sheaf);
    }

    /// Gives the objects of a magazine to their slabs.
    /// Errors: the first thing found wrong; the magazine is empty.
    #[cold]
    fn flush(&self, sheaf: Sheaf) -> Result<(), Misuse> {
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        front::flush(sheaf, slabs, &mut ground)
    }

    /// That an object is in use, as far as its slab knows.
    /// Errors: what is wrong with it.
    fn look(&self, object: NonNull<u8>) -> Result<(), Misuse> {
        self.back().slabs.look(&self.map, object)
    }

    /// Empties the depot and the slots, gives empty slabs back, and sorts partial ones, the fullest first. How many slabs went
    /// back. Handles keep what they have. O(partial slabs).
    pub fn shrink(&self) -> usize {
        let found = self.empty_magazines();
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        let count = slabs.shrink(&mut ground);
        drop(back);
        self.expect(found);
        count
    }

    /// Asks the user for objects by the function of [`Settings::reclaim`], then [shrinks](Self::shrink). The function runs inside
    /// the slabs' lock: it must not use the cache.
    pub fn reclaim(&self) -> usize {
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        slabs.reclaim(&mut ground);
        drop(back);
        self.shrink()
    }

    /// Empties the slots and the depot.
    /// Errors: the first thing found wrong; they are empty.
    fn empty_magazines(&self) -> Result<(), Misuse> {
        let mut found = Ok(());
        for slot in &self.slots {
            found = found.and(slot.0.lock().flush(self));
        }
        loop {
            let full = self.depot().full.pop();
            let Some(full) = full else { break };
            found = found.and(Pair::new(full, Sheaf::none()).flush(self));
        }
        loop {
            let empty = self.depot().empty.pop();
            let Some(empty) = empty else { break };
            self.back().drop_sheaf(empty);
        }
        found
    }

    /// Empties what handles had that were forgotten instead of dropped: with `&mut self` there is no handle any more.
    /// Errors: as [`empty_magazines`](Self::empty_magazines).
    fn empty_forgotten(&mut self) -> Result<(), Misuse> {
        let mut found = Ok(());
        loop {
            let left = self.back().known.iter().next();
            let Some(left) = left else { return found };
            found = found.and(self.flush(left));
            self.back().drop_sheaf(left);
        }
    }

    /// Takes the cache down. What is in the magazines of a handle that was forgotten goes back too.
    /// Errors: objects are in use: the cache comes back, and says how many.
    pub fn destroy(mut self) -> Result<P, InUse<Self>> {
        let live = self.close();
        if live > 0 {
            let name = self.name();
            return Err(InUse { cache: self, live, name });
        }
        let this = ManuallyDrop::new(self);
        let back = this.back();
        // SAFETY: `this` is not dropped, and nothing else in it has anything to drop.
        Ok(unsafe { ptr::read(&raw const back.pages) })
    }

    fn close(&mut self) -> usize {
        let found = self.empty_magazines().and(self.empty_forgotten());
        let mut back = self.back();
        let (slabs, mut ground) = back.parts(&self.map);
        let live = slabs.close(&mut ground);
        let parts = &mut *back;
        parts.sheaves.trim(&mut parts.pages);
        if live == 0 {
            self.map.clear(&mut parts.pages);
        }
        drop(back);
        self.expect(found);
        live
    }

    fn misuse(&self, object: NonNull<u8>, finding: Finding) -> Misuse {
        Misuse { cache: self.settings.name, address: object.addr().get(), finding, users: None }
    }

    #[inline]
    fn expect<T>(&self, found: Result<T, Misuse>) -> T {
        match found {
            Ok(value) => value,
            Err(misuse) => self.end(&misuse),
        }
    }

    #[cold]
    #[inline(never)]
    fn end(&self, misuse: &Misuse) -> ! {
        (self.settings.on_misuse)(misuse)
    }
}

impl<L: Park, P: PageAllocator> Drop for SharedKmemCache<L, P> {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;

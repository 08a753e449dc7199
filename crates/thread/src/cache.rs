//! A thread's cache: the slow path of its magazines, and what is known of the thread.
//!
//! - **N1** a class has a cell exactly while its capacity is not 0; `bottom` is then
//!   `end − 8 × capacity`, and the word below it is 0 (A1).
//! - **N2** capacities start at twice the objects that fill whole cache lines, and double with
//!   use: idle threads keep little. Of objects up to 128 bytes, two of which may lie in a line: while
//!   magazines grow, what any thread but the first claims shares no line with what others have, unless
//!   only slabs in pieces are left; and what a thread frees of a class before it has allocated any goes
//!   back, the first 16 of each.
//! - **N3** a magazine's top is lowered before its objects are given back and raised after
//!   they were claimed: whoever is interrupted for good (a thread that `fork` left behind)
//!   loses at worst objects, and slabs that their shelf was about to look at, and never has an object
//!   in two places.
//! - **N4** a flush moves one object less than a refill, but at least one: whoever takes and frees
//!   the same batch, up to the capacity, comes to need neither, unless the search for holes
//!   empties the magazines before.
//! - **N5** whatever claims objects or gives them back here is a pass of the thread's account, and
//!   counted in it (Y1).
//!
//! Layer *thread*. Refilling and flushing move up to 63 objects: O(1) a call of malloc or
//! free in the mean. About half a magazine is flushed, the half freed first.
use core::mem::MaybeUninit;

use base::bits::{low8, low32};
use base::sync::{AtomicU8, AtomicU32, AtomicU64, AtomicUsize, OneWriter as _, Ordering};
use object::Central;
use object::central::{Fault, GivenBack, Place};
use object::shelf::{Share, Supply};
use object::size_class::{CLASSES, info};
use page::{Pool, System};
use source::os::imp::peek::Peek;

use crate::account::Account;
use crate::cells::{self, Cells};
use crate::magazine::{CELL, MAX_CAPACITY, end_of, pop, push, word};
use crate::runs::Runs;
use crate::tls::{CACHE, SLOTS, Tls, empty};

/// A cache line: two CPUs that write to the same one wait for each other.
const LINE: usize = 64;
/// Larger objects share lines with their neighbours at most.
const MAX_SHARED: usize = 128;
const WORD: usize = size_of::<usize>();
/// Objects that a thread frees of a class before it keeps them, if it allocates none.
const MOST_STRAYS: u8 = 16;
/// Traffic is reported when 64 KiB have been claimed or given back.
const REPORT: usize = 64 << 10;

/// What a cache needs of its surroundings.
#[derive(Debug)]
pub struct Backend<'a, S> {
    /// Where objects come from and go to.
    pub central: &'a Central<S>,
    /// Granules and descriptors.
    pub supply: Supply<'a, S>,
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
pub enum Look {
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
    pub(crate) next: AtomicUsize,
    pub(crate) prev: AtomicUsize,
    pub(crate) number: AtomicU32,
    /// The NUMA node it was seen on last.
    node: AtomicU32,
    pub(crate) account: Account,
    slots: AtomicUsize,
    refills: AtomicU64,
    flushes: AtomicU64,
    cells: Cells,
    /// Runs of 80 to 256 KiB.
    pub runs: Runs,
    capacity: [AtomicU8; CLASSES],
    /// Objects of each class that it freed before it allocated any (N2).
    strays: [AtomicU8; CLASSES],
}

const _: () = assert!(size_of::<ThreadCache>() <= Pool::Thread.size(), "fits its pool");

impl ThreadCache {
    /// The cache at an address that a slot or a link gave.
    ///
    /// # Safety
    ///
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
        for count in cache.capacity.iter().chain(&cache.strays) {
            count.store(0, Ordering::Relaxed);
        }
        cache.runs.reset();
        cache.cells.reset();
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

    /// Looks where the thread is running; there is no use in that while there is one shard.
    pub fn see<S: System>(&self, backend: Backend<'_, S>) {
        if backend.central.shards() > 1 {
            self.node.store(backend.supply.pages.source.node(), Ordering::Relaxed);
        }
    }

    /// How often magazines were refilled and flushed.
    pub fn slow_paths(&self) -> (u64, u64) {
        (self.refills.load(Ordering::Relaxed), self.flushes.load(Ordering::Relaxed))
    }

    /// Whether the thread was inside its slow path (N3).
    pub fn is_busy(&self) -> bool {
        self.account.is_inside()
    }

    pub(crate) fn capacity(&self, class: usize) -> usize {
        usize::from(self.capacity[class].load(Ordering::Relaxed))
    }

    /// The bottom of the magazine of a class whose top is `top` (N1).
    pub(crate) fn bottom(&self, top: usize, class: usize) -> usize {
        end_of(top) - self.capacity(class) * WORD
    }

    /// Slow path of malloc: an object of `class`, and more of them in the magazine.
    /// 0: out of memory.
    #[cold]
    #[inline(never)]
    pub fn refill<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
    ) -> usize {
        self.account.pass(|| self.refill_inside(backend, tls, class))
    }

    fn refill_inside<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
    ) -> usize {
        self.drop_nulls(tls, class);
        // SAFETY: the calling thread's magazine.
        let left = unsafe { pop(tls, class) };
        if left != 0 {
            return left;
        }
        let before = self.capacity(class);
        let Some(bottom) = self.grow_empty(backend.supply, tls, class) else {
            let mut one = [0];
            self.claim(backend, class, Share::Lines, &mut one);
            return one[0];
        };
        // Half, and one less is flushed: a program that takes and frees the same batch again
        // and again has one more object each time, until it needs neither (N4).
        let half = self.capacity(class).div_ceil(2);
        let share = self.share(class, before);
        let want =
            if let Share::NoLine(mates) = share { half - half % mates as usize } else { half };
        // SAFETY: the magazine is empty, so these words of its cell are free (N1).
        let out = unsafe { core::slice::from_raw_parts_mut(word(bottom), want) };
        let got = self.claim(backend, class, share, out);
        if got == 0 {
            return 0;
        }
        if got < want {
            out.copy_within(want - got.., 0);
        }
        self.refills.raise(1);
        tls.store(class, bottom + (got - 1) * WORD);
        out[got - 1]
    }

    /// Slow path of free: makes room for `object`, or gives it back directly.
    ///
    /// # Errors
    ///
    /// Something in the magazine was no live object.
    #[cold]
    #[inline(never)]
    pub fn flush<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        object: usize,
    ) -> Result<(), Fault> {
        self.account.pass(|| self.flush_inside(backend, tls, class, object))
    }

    fn flush_inside<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        object: usize,
    ) -> Result<(), Fault> {
        if self.capacity(class) == 0 {
            let keep = !self.is_stray(class);
            if !keep || self.grow_empty(backend.supply, tls, class).is_none() {
                return self.give_back(backend, &[object]).answer();
            }
        }
        // A sized free comes here because another class's magazine was full.
        // SAFETY: the caller gave the object up.
        if unsafe { push(tls, class, object) } {
            return Ok(());
        }
        let answer = if self.grow_full(tls, class) {
            Ok(())
        } else {
            self.flushes.raise(1);
            let most = self.capacity(class).div_ceil(2) - 1;
            self.give_back_oldest(backend, tls, class, most.max(1))
        };
        // SAFETY: room was made; the caller gave the object up.
        let kept = unsafe { push(tls, class, object) };
        debug_assert!(kept, "A2: a flushed magazine has room");
        answer
    }

    /// Whether to give an object back that this thread frees though it has allocated none of the class:
    /// another thread has the objects beside it (N2).
    fn is_stray(&self, class: usize) -> bool {
        let strays = self.strays[class].load(Ordering::Relaxed);
        if strays == MOST_STRAYS || line_mates(info(class).size as usize) == 1 {
            return false;
        }
        self.strays[class].store(strays + 1, Ordering::Relaxed);
        true
    }

    /// With whom this thread may share the lines of objects of a class whose magazine had a capacity of
    /// `before`, and has grown since if it could (N2).
    fn share(&self, class: usize, before: usize) -> Share {
        let mates = line_mates(info(class).size as usize);
        if mates > 1 && self.capacity(class) != before && self.number() != 0 {
            Share::NoLine(low32(mates))
        } else {
            Share::Lines
        }
    }

    /// Drops the nulls that sized frees have left on top (A4).
    fn drop_nulls<T: Tls>(&self, tls: &T, class: usize) {
        let mut top = tls.load(class);
        let bottom = self.bottom(top, class);
        // SAFETY: words from `bottom` to `top` are the magazine's.
        while top > bottom && unsafe { word(top - WORD).read() } == 0 {
            top -= WORD;
        }
        tls.store(class, top);
    }

    /// Grows the capacity of an empty magazine, giving it a cell first if it has none, and
    /// returns its bottom. `None`: no memory for a cell.
    fn grow_empty<S: System, T: Tls>(
        &self,
        supply: Supply<'_, S>,
        tls: &T,
        class: usize,
    ) -> Option<usize> {
        let old = self.capacity(class);
        let end = if old == 0 { self.cells.take(supply)? + CELL } else { end_of(tls.load(class)) };
        let bottom = end - self.grown(class) * WORD;
        // SAFETY: capacities are at most 126, so the word below the bottom is in the cell.
        unsafe { word(bottom - WORD).write(0) };
        tls.store(class, bottom);
        self.capacity[class].store(low8((end - bottom) / WORD), Ordering::Relaxed);
        Some(bottom)
    }

    /// The next capacity of a class (N2).
    fn grown(&self, class: usize) -> usize {
        let class_info = info(class);
        let most = (class_info.capacity as usize).min(MAX_CAPACITY);
        (self.capacity(class) * 2 + 2 * line_mates(class_info.size as usize)).min(most)
    }

    /// Grows the capacity of a full magazine, moving its objects down. `false`: it is at its
    /// largest.
    fn grow_full<T: Tls>(&self, tls: &T, class: usize) -> bool {
        let (old, new) = (self.capacity(class), self.grown(class));
        if new == old {
            return false;
        }
        let end = end_of(tls.load(class));
        let bottom = end - new * WORD;
        // SAFETY: capacities are at most 126, so the word below the bottom is in the cell.
        unsafe { word(bottom - WORD).write(0) };
        // SAFETY: both ranges are inside the cell (N1).
        unsafe { word(end - old * WORD).copy_to(word(bottom), old) };
        self.capacity[class].store(low8(new), Ordering::Relaxed);
        tls.store(class, bottom + old * WORD);
        true
    }

    /// Gives the `count` oldest objects of a magazine back.
    fn give_back_oldest<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
        class: usize,
        count: usize,
    ) -> Result<(), Fault> {
        let mut room = [MaybeUninit::uninit(); MAX_CAPACITY];
        let oldest = self.take_oldest(tls, class, count, &mut room);
        let answer = self.give_back(backend, oldest).answer();
        if self.account.given_back() < REPORT {
            return answer;
        }
        answer.and(self.report_and_empty(backend, tls))
    }

    /// Claims objects and counts them (N5): as [`Central::claim`].
    fn claim<S: System>(
        &self,
        backend: Backend<'_, S>,
        class: usize,
        share: Share,
        out: &mut [usize],
    ) -> usize {
        let got = backend.central.claim(backend.supply, self.place(), class, share, out);
        if self.account.claim(got * info(class).size as usize) >= REPORT {
            self.report(backend);
        }
        got
    }

    /// Gives objects back and counts them (N5): as [`Central::give_back`].
    fn give_back<S: System>(&self, backend: Backend<'_, S>, objects: &[usize]) -> GivenBack {
        let back = backend.central.give_back(backend.supply, objects);
        self.account.give_back(back.bytes);
        back
    }

    /// Gives one object back that is in no magazine.
    ///
    /// # Errors
    ///
    /// It is no live object.
    pub fn give_back_one<S: System>(
        &self,
        backend: Backend<'_, S>,
        object: usize,
    ) -> Result<(), Fault> {
        self.account.pass(|| self.give_back(backend, &[object]).answer())
    }

    /// Takes the `count` oldest objects out of a magazine, or as many as there are, into `room`,
    /// of which nothing else is written: it is as large as the largest magazine.
    #[inline]
    fn take_oldest<'a, T: Tls>(
        &self,
        tls: &T,
        class: usize,
        count: usize,
        room: &'a mut [MaybeUninit<usize>; MAX_CAPACITY],
    ) -> &'a [usize] {
        let top = tls.load(class);
        let bottom = self.bottom(top, class);
        let held = (top - bottom) / WORD;
        let count = count.min(held);
        let oldest = room.as_mut_ptr().cast::<usize>();
        // SAFETY: `held` words from the bottom on are the magazine's, at most `room`'s length.
        unsafe { word(bottom).copy_to_nonoverlapping(oldest, count) };
        // SAFETY: the rest moves down within the magazine.
        unsafe { word(bottom + count * WORD).copy_to(word(bottom), held - count) };
        tls.store(class, top - count * WORD);
        // SAFETY: `count` words were written above.
        unsafe { core::slice::from_raw_parts(oldest, count) }
    }

    /// Reports to the page heap what was claimed and given back, and looks for holes when that is
    /// worth it.
    #[cold]
    fn report<S: System>(&self, backend: Backend<'_, S>) {
        if self.report_traffic(backend) {
            backend.central.purge_holes(backend.supply);
        }
    }

    /// As [`report`](Self::report); before it looks for holes it empties the magazines, whose
    /// objects lie scattered and hold a page each.
    #[cold]
    fn report_and_empty<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
    ) -> Result<(), Fault> {
        if !self.report_traffic(backend) {
            return Ok(());
        }
        let mut answer = Ok(());
        for class in (1..CLASSES).filter(|&class| self.capacity(class) != 0) {
            let mut room = [MaybeUninit::uninit(); MAX_CAPACITY];
            let oldest = self.take_oldest(tls, class, MAX_CAPACITY, &mut room);
            answer = answer.and(self.give_back(backend, oldest).answer());
        }
        backend.central.purge_holes(backend.supply);
        answer
    }

    fn report_traffic<S: System>(&self, backend: Backend<'_, S>) -> bool {
        let (claimed, given_back) = self.account.report();
        backend.supply.pages.note_traffic(claimed, given_back)
    }

    /// Gives back every object and run this thread keeps; cells stay.
    ///
    /// # Errors
    ///
    /// Something in a magazine was no live object.
    pub fn empty_all<S: System, T: Tls>(
        &self,
        backend: Backend<'_, S>,
        tls: &T,
    ) -> Result<(), Fault> {
        self.account.pass(|| {
            let mut answer = Ok(());
            for class in (1..CLASSES).filter(|&class| self.capacity(class) != 0) {
                let mut room = [MaybeUninit::uninit(); MAX_CAPACITY];
                let oldest = self.take_oldest(tls, class, MAX_CAPACITY, &mut room);
                answer = answer.and(self.give_back(backend, oldest).answer());
            }
            self.drop_runs(backend);
            self.report(backend);
            answer
        })
    }

    fn drop_runs<S: System>(&self, backend: Backend<'_, S>) {
        let pages = backend.supply.pages;
        self.runs.drain(|at, count| {
            if let Some(granule) = pages.region.granule_of(at)
                && pages.region.end_kept(granule, count)
            {
                pages.deallocate(at, count);
            }
        });
    }

    /// Ends the cache, which is empty and which the registry no longer names: the thread has none
    /// any more.
    pub fn detach<S: System, T: Tls>(&self, backend: Backend<'_, S>, tls: &T) {
        let mut cells = [0; CLASSES + cells::MOST];
        let magazines = (1..CLASSES).filter(|&class| self.capacity(class) != 0).map(|class| {
            let cell = end_of(tls.load(class)) - CELL;
            tls.store(class, empty());
            cell
        });
        let count = put(&mut cells, magazines.chain(self.cells.each()));
        // SAFETY: the cells came from this pool, and neither slot nor `cells` name them.
        unsafe { backend.supply.meta.deallocate_each(Pool::Cell, &cells[..count]) };
        tls.store(CACHE, 0);
        // SAFETY: the cache came from this pool, and neither slot nor registry name it.
        unsafe { backend.supply.meta.deallocate(Pool::Thread, self.address()) };
    }

    /// A copy of the thread's slots, read while it may be running or gone.
    pub fn look<T: Tls>(&self, tls: &T) -> Look {
        let mut slots = [0; SLOTS];
        match tls.peek(self.slots(), &mut slots) {
            Peek::Copied if slots[CACHE] == self.address() => Look::There(slots),
            Peek::Copied | Peek::Gone => Look::Gone,
            Peek::Refused => Look::Hidden,
        }
    }

    /// What a thread that no longer exists has kept goes back: runs, and if its slots can still
    /// be read the magazines with their cells. What it was moving when it stopped is
    /// lost (N3) and cannot be counted (X1).
    pub fn reclaim<S: System>(&self, backend: Backend<'_, S>, look: &Look) {
        if self.is_busy() {
            backend.supply.pages.slack.note_uncounted();
        } else {
            if let Look::There(slots) = look {
                for (class, &top) in slots.iter().enumerate().take(CLASSES).skip(1) {
                    if self.capacity(class) != 0 {
                        self.reclaim_magazine(backend, class, top);
                    }
                }
            }
            let mut cells = [0; cells::MOST];
            let count = put(&mut cells, self.cells.each());
            // SAFETY: the cells came from this pool, and nothing names them any more.
            unsafe { backend.supply.meta.deallocate_each(Pool::Cell, &cells[..count]) };
            self.drop_runs(backend);
            // Whether holes are worth looking for is for the child's own frees to say.
            self.report_traffic(backend);
        }
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

    /// Objects of `class` in the magazine, by a copy of the slots: a moment's figure.
    pub fn held(&self, look: &Look, class: usize) -> usize {
        match look {
            Look::There(slots) if self.capacity(class) != 0 => self.held_below(slots[class], class),
            _ => 0,
        }
    }

    /// Objects in the magazine of a class whose top is `top`. The thread may have changed its
    /// capacity meanwhile, so the figure is kept within a cell.
    fn held_below(&self, top: usize, class: usize) -> usize {
        (top.saturating_sub(self.bottom(top, class)) / WORD).min(MAX_CAPACITY)
    }
}

/// Puts what comes into `places`, and says how many there were.
fn put(places: &mut [usize], what: impl Iterator<Item = usize>) -> usize {
    places.iter_mut().zip(what).map(|(place, one)| *place = one).count()
}

/// The fewest objects of a size that fill whole cache lines; 1 for large ones, which keep too
/// much if many are claimed at once.
const fn line_mates(size: usize) -> usize {
    let common = 1 << size.trailing_zeros();
    if size > MAX_SHARED || common > LINE { 1 } else { LINE / common }
}

#[cfg(test)]
mod tests;

//! Giving memory back: when, how much, and which.
//!
//! Free granules that cost memory ("dirty") are kept, together with the slack inside slabs, up
//! to a limit, the larger of what is live and a floor. What goes beyond goes back at once, in the
//! call that freed it: so a program that frees and then sleeps is small without a thread of ours in
//! it. Below the limit, blocks that have been empty for a while go back when the heap is next used.
//!
//! - **G1** a program that needs purged memory again soon (within a second) raises its
//!   floor, doubling up to 256 MiB; four seconds without a purge halve it, down to 12 MiB.
//! - **G2** empty blocks go first, oldest first; then free granules of blocks in use.
//! - **G4** a kernel that refuses is asked ever more rarely: module `refusals`.
//! - **G3** in a control group with a memory limit, live and dirty memory together stay below
//!   eleven sixteenths of it; or, where that is more, dirty memory below an eighth of what live
//!   memory leaves of the limit (from 64 % live on). So memory that swings by less than that eighth
//!   is not faulted in again each time. The program's own memory, blocks above 32 MiB, maps,
//!   descriptors and the unused ends of huge pages are not counted. The limit is read once.
//!
//! Layer *page*. O(1) a free while nothing is to be done; the clock is read once in 64 frees
//! of granules, once in 64 refills and flushes of a thread, and at purges.
use base::bits::low32;
use base::lock::Guard;
use base::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, OneWriter as _, Ordering};

use crate::System;
use crate::bins::{EMPTY_DIRTY, NIL};
use crate::geometry::{BLOCK, GRANULE, GRANULE_SHIFT};
use crate::heap::PageHeap;
use crate::refusals::{Attempt, Refusals};

/// The least that is kept, and the most the floor rises to, in granules.
pub(crate) const FLOOR: usize = (12 << 20) / GRANULE;
const MAX_FLOOR: usize = (256 << 20) / GRANULE;
/// How much has to be needed again for the floor to rise: 4 MiB.
pub(crate) const REGRET: usize = (4 << 20) / GRANULE;
/// At most this number of blocks is taken out of huge pages: each may split a mapping in the
/// kernel's list, which is limited (vm.max_map_count, 65,530 by default).
const MAX_SMALL_BLOCKS: u32 = 1024;
/// A heap of a single thread that grows beyond this is measured against the memory limit.
const SMALL: usize = 8 << 20;
/// A tick of the purge clock, and how many ticks an empty block is kept.
const TICK_MS: u64 = 250;
pub(crate) const KEEP_TICKS: u32 = 4;
/// Frees between two looks at the clock.
const FREES_PER_LOOK: u32 = 64;

/// What the purge policy remembers. Guarded by the page heap's lock.
#[derive(Debug)]
pub struct Purge {
    floor: AtomicUsize,
    least: AtomicUsize,
    /// Whether this process has looked at its memory limit.
    looked: AtomicBool,
    /// Granules that the memory limit allows (G3); `usize::MAX`: no limit.
    allowed: AtomicUsize,
    tick: AtomicU32,
    frees: AtomicU32,
    purged_at: AtomicU32,
    /// The tick at which [`ease`](Self::ease) last halved the floor.
    eased_at: AtomicU32,
    refusals: Refusals,
    /// The block at which a walk goes on after one that was refused too often.
    go_on: AtomicU32,
    reused: AtomicUsize,
    total: AtomicU64,
    calls: AtomicU64,
    holes: AtomicU64,
}

impl Purge {
    /// Nothing purged yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            floor: AtomicUsize::new(FLOOR),
            least: AtomicUsize::new(FLOOR),
            looked: AtomicBool::new(false),
            allowed: AtomicUsize::new(usize::MAX),
            tick: AtomicU32::new(0),
            frees: AtomicU32::new(0),
            purged_at: AtomicU32::new(0),
            eased_at: AtomicU32::new(0),
            refusals: Refusals::new(),
            go_on: AtomicU32::new(0),
            reused: AtomicUsize::new(0),
            total: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            holes: AtomicU64::new(0),
        }
    }

    /// Keeps at least `bytes` of free memory from now on.
    pub fn set_floor(&self, bytes: usize) {
        self.floor.store(bytes / GRANULE, Ordering::Relaxed);
        self.least.store(bytes / GRANULE, Ordering::Relaxed);
    }

    /// Bytes given back so far.
    pub fn total_bytes(&self) -> u64 {
        let holes = self.holes.load(Ordering::Relaxed);
        self.total.load(Ordering::Relaxed) * GRANULE as u64 + holes
    }

    /// Calls to the system that gave memory back.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Memory inside slabs went back.
    pub(crate) fn note_purged(&self, bytes: usize) {
        self.holes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn tick(&self) -> u32 {
        self.tick.load(Ordering::Relaxed)
    }

    /// Begins to give memory back; `None`: the kernel has refused lately (G4).
    #[inline]
    pub fn attempt(&self) -> Option<Attempt<'_>> {
        self.refusals.attempt(self.tick())
    }

    /// Begins to give memory back because the program asks for it.
    pub fn order(&self) -> Attempt<'_> {
        self.refusals.order(self.tick())
    }

    /// Granules went back by one call.
    pub(crate) fn note_given_back(&self, granules: u32) {
        self.total.raise(u64::from(granules));
        self.calls.raise(1);
    }

    /// Clean granules were handed out: perhaps ones that were purged too early.
    pub(crate) fn note_reuse(&self, granules: u32) {
        if self.total.load(Ordering::Relaxed) != 0 {
            self.reused.raise(granules as usize);
        }
    }

    /// Adapts the floor before a purge (G1).
    fn regret(&self) {
        let reused = self.reused.replace(0);
        let age = self.tick().wrapping_sub(self.purged_at.load(Ordering::Relaxed));
        if reused >= REGRET && age <= KEEP_TICKS {
            let least = self.least.load(Ordering::Relaxed);
            let floor = (self.floor.load(Ordering::Relaxed) * 2).min(MAX_FLOOR).max(least);
            self.floor.store(floor, Ordering::Relaxed);
        }
    }

    /// Long after the last purge: keeps half as much (G1).
    fn ease(&self) {
        let now = self.tick();
        if is_long_ago(&self.purged_at, now) && is_long_ago(&self.eased_at, now) {
            self.eased_at.store(now, Ordering::Relaxed);
            let floor = self.floor.load(Ordering::Relaxed) / 2;
            self.floor.store(floor.max(self.least.load(Ordering::Relaxed)), Ordering::Relaxed);
        }
    }
}

/// Granules that may be dirty beside `live` ones where `allowed` is the limit (G3).
fn room_beside(live: usize, allowed: usize) -> usize {
    if allowed == usize::MAX {
        return usize::MAX;
    }
    (allowed / 16 * 11).saturating_sub(live).max(allowed.saturating_sub(live) / 8)
}

/// Whether `at` is more than four seconds before the tick `now`.
pub(crate) fn is_long_ago(at: &AtomicU32, now: u32) -> bool {
    now.wrapping_sub(at.load(Ordering::Relaxed)) > 4 * KEEP_TICKS
}

impl Default for Purge {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: System> PageHeap<S> {
    /// Gives all free memory back now and returns how many bytes that was.
    pub fn purge_all(&self) -> usize {
        let guard = self.lock.lock();
        let before = self.dirty.load(Ordering::Relaxed);
        self.purge_to(&guard, 0, &self.purge.order());
        (before - self.dirty.load(Ordering::Relaxed)) * GRANULE
    }

    /// After a free: gives back what is beyond the limit, and what has been empty for long.
    #[inline]
    pub(crate) fn after_free(&self, guard: &Guard<'_, S>) {
        let purge = &self.purge;
        if purge.frees.raise(1) % FREES_PER_LOOK == 1 {
            self.look_at_clock(guard);
        }
        self.purge_beyond_limit(guard);
    }

    /// Of threads that use only what they keep: gives back what has been kept for long. Does
    /// nothing while another thread is inside, who does it.
    pub fn look(&self) {
        if self.now() != self.purge.tick()
            && let Some(guard) = self.lock.try_lock()
        {
            self.look_at_clock(&guard);
            self.purge_beyond_limit(&guard);
        }
    }

    fn limit(&self) -> usize {
        let slack = self.slack.bytes() / GRANULE;
        let holes = self.hole_bytes() / GRANULE;
        let live = self.live.load(Ordering::Relaxed);
        let used = live.saturating_sub(slack + holes);
        let keep = self.purge.floor.load(Ordering::Relaxed).max(used);
        keep.saturating_sub(slack).min(self.room())
    }

    /// Granules that a memory limit leaves beside what is live (G3).
    pub(crate) fn room(&self) -> usize {
        let live = self.live.load(Ordering::Relaxed);
        room_beside(live, self.purge.allowed.load(Ordering::Relaxed))
    }

    /// Reads the memory limit (G3), once in a process.
    pub fn look_at_memory_limit(&self) {
        let looked = &self.purge.looked;
        if looked.load(Ordering::Relaxed) || looked.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(bytes) = self.source.memory_limit() {
            self.purge.allowed.store(bytes / GRANULE, Ordering::Relaxed);
        }
    }

    /// The heap grows by `blocks`: once it is large enough for the memory limit to matter, and while
    /// no other thread can notice, the limit is read.
    pub(crate) fn before_growth(&self, blocks: u32) {
        let looked = self.purge.looked.load(Ordering::Relaxed);
        let bytes = self.committed_bytes() + blocks as usize * BLOCK;
        if !looked && bytes > SMALL && self.source.is_only_thread() {
            self.look_at_memory_limit();
        }
    }

    /// After fresh memory was handed out: dirty memory elsewhere may have to make room (G3).
    #[inline]
    pub(crate) fn after_growth(&self, guard: &Guard<'_, S>) {
        let room = self.room();
        if self.dirty.load(Ordering::Relaxed) > room
            && let Some(attempt) = self.purge.attempt()
        {
            self.purge_to(guard, room - room / 8, &attempt);
        }
    }

    #[inline]
    fn purge_beyond_limit(&self, guard: &Guard<'_, S>) {
        if self.dirty.load(Ordering::Relaxed) > self.limit() {
            self.purge_to_limit(guard);
        }
    }

    #[cold]
    fn purge_to_limit(&self, guard: &Guard<'_, S>) {
        let Some(attempt) = self.purge.attempt() else { return };
        self.set_tick();
        self.purge.regret();
        let limit = self.limit();
        if self.dirty.load(Ordering::Relaxed) > limit {
            self.purge_to(guard, limit - limit / 8, &attempt);
            self.purge.purged_at.store(self.purge.tick(), Ordering::Relaxed);
        }
    }

    /// The tick that it is now, by the clock.
    pub(crate) fn now(&self) -> u32 {
        low32(base::bits::index((self.source.now_ms() / TICK_MS) & 0xffff_ffff))
    }

    fn set_tick(&self) -> bool {
        let tick = self.now();
        self.purge.tick.swap(tick, Ordering::Relaxed) != tick
    }

    /// Purges the blocks that have been empty since before the last ticks.
    #[cold]
    fn look_at_clock(&self, _guard: &Guard<'_, S>) {
        if !self.set_tick() {
            return;
        }
        self.purge.ease();
        let now = self.purge.tick();
        let Some(attempt) = self.purge.attempt() else { return };
        while !attempt.is_over() {
            let block = self.bins.last(EMPTY_DIRTY);
            if block == NIL {
                return;
            }
            let emptied = &self.region.block(block).emptied;
            if now.wrapping_sub(emptied.load(Ordering::Relaxed)) < KEEP_TICKS {
                return;
            }
            if !self.purge_block(block, &attempt) {
                emptied.store(now, Ordering::Relaxed);
                self.bins.make_newest(&self.region, block);
            }
        }
    }

    /// Purges until at most `target` dirty granules are left, or nothing more can be (G2).
    fn purge_to(&self, _guard: &Guard<'_, S>, target: usize, attempt: &Attempt<'_>) {
        while self.dirty.load(Ordering::Relaxed) > target {
            let block = self.bins.last(EMPTY_DIRTY);
            if block == NIL {
                break;
            }
            if !self.purge_block(block, attempt) {
                self.bins.make_newest(&self.region, block);
                break;
            }
        }
        let (first, end) = (self.region.first_block(), self.frontier.load(Ordering::Relaxed));
        let from = self.purge.go_on.load(Ordering::Relaxed).clamp(first, end.max(first));
        for block in (from..end).chain(first..from) {
            if self.dirty.load(Ordering::Relaxed) <= target {
                return;
            }
            self.purge_block(block, attempt);
            if attempt.is_over() {
                self.purge.go_on.store(block + 1, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Parts of a block are about to be purged: without this the kernel's huge-page collector
    /// would sooner or later fill them again. Undone when the block is empty.
    pub fn use_small_pages(&self, block: u32) {
        let small = self.region.block(block).small_pages.load(Ordering::Relaxed);
        if small == 0 && self.wants_huge() {
            let _guard = self.lock.lock();
            self.split_huge_pages(block);
        }
    }

    /// [`use_small_pages`](Self::use_small_pages) under the lock: no pages are moved meanwhile (P3).
    fn split_huge_pages(&self, block: u32) {
        let info = self.region.block(block);
        let few = self.small_blocks.load(Ordering::Relaxed) < MAX_SMALL_BLOCKS;
        if !self.wants_huge() || !few || info.small_pages.swap(1, Ordering::Relaxed) != 0 {
            return;
        }
        self.small_blocks.raise(1);
        // SAFETY: a block of ours; the kind of page changes no contents.
        unsafe { self.source.prefer_huge(self.region.address_of_block(block), BLOCK, false) };
    }

    /// An empty block takes part in huge pages again.
    pub(crate) fn use_huge_pages(&self, block: u32) {
        if self.region.block(block).small_pages.swap(0, Ordering::Relaxed) == 0 {
            return;
        }
        self.small_blocks.lower(1);
        // SAFETY: as above.
        unsafe { self.source.prefer_huge(self.region.address_of_block(block), BLOCK, true) };
    }

    /// Gives back the free granules of a block, page by page where a page is several. `false`:
    /// the system refused.
    pub(crate) fn purge_block(&self, block: u32, attempt: &Attempt<'_>) -> bool {
        let info = self.region.block(block);
        let mut bits = self.dirty_free(info);
        if bits == 0 {
            return true;
        }
        if info.is_empty() && self.region.is_bare() {
            // What is short there is addresses, also for the program's own mappings.
            return attempt.note(self.release_block(block));
        }
        let whole = info.free() == u128::MAX;
        if !whole {
            self.split_huge_pages(block);
        } else if self.wants_huge() {
            // In huge pages granules that nobody has touched are resident too.
            bits = u128::MAX;
        }
        while bits != 0 {
            let first = bits.trailing_zeros();
            let run = (bits >> first).trailing_ones();
            let mask = base::bits::ones(first, run);
            let count = (mask & self.dirty_free(info)).count_ones();
            let at = self.region.address_of_block(block) + ((first as usize) << GRANULE_SHIFT);
            // SAFETY: free granules, whose contents nobody needs.
            if !attempt.note(unsafe { self.source.purge(at, run as usize * GRANULE) }) {
                return false;
            }
            bits &= !mask;
            info.set_dirty(info.dirty() & !mask);
            self.dirty.lower(count as usize);
            self.purge.note_given_back(count);
        }
        if whole {
            self.make_fresh(block);
        }
        self.bins.update(&self.region, block);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_limit_leaves_room_however_much_is_live() {
        let rooms = [0, 400, 800, 1200, 1500, 1600, 2000].map(|live| room_beside(live, 1600));
        assert_eq!(rooms, [1100, 700, 300, 50, 12, 0, 0]);
        assert_eq!(room_beside(1 << 40, usize::MAX), usize::MAX, "no limit");
    }

    #[test]
    fn four_seconds_without_a_purge_halve_the_floor() {
        let purge = Purge::new();
        purge.tick.store(1000, Ordering::Relaxed);
        purge.purged_at.store(1000, Ordering::Relaxed);
        for _ in 0..3 {
            purge.reused.store(REGRET, Ordering::Relaxed);
            purge.regret();
        }
        assert_eq!(purge.floor.load(Ordering::Relaxed), 8 * FLOOR);
        for (tick, floor) in [(1016, 8), (1017, 4), (1033, 4), (1034, 2), (1100, 1), (1200, 1)] {
            purge.tick.store(tick, Ordering::Relaxed);
            purge.ease();
            assert_eq!(purge.floor.load(Ordering::Relaxed), floor * FLOOR, "{tick}");
        }
    }
}

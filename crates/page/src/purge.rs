//! Giving memory back: when, how much, and which. What is decided by a figure is `policy`'s.
//!
//! Free granules that cost memory ("dirty") are kept, together with the slack inside slabs, up
//! to a limit, the larger of what is live and a floor. What goes beyond goes back at once, in the
//! calls that freed it: so a program that frees and then sleeps is small without a thread of ours in
//! it. Of a program that goes on (slack-X3), or whose floor is the highest (purge-G1), the least floor stays beside the
//! slack. Below the limit, blocks that have been empty for a while go back when the heap is next used.
//!
//! - **purge-G1** a program that needs purged memory again soon (within a second) raises its
//!   floor, doubling up to 256 MiB; what purges a second apart and less cost it adds up. Four seconds without a purge halve
//!   the floor, down to 12 MiB.
//! - **purge-G2** empty blocks go first, oldest first; then free granules of blocks in use, again oldest first.
//! - **purge-G3** in a control group with a memory limit, live and dirty memory together stay below
//!   eleven sixteenths of it; or, where that is more, dirty memory below an eighth of what live
//!   memory leaves of the limit (from 64 % live on). So memory that swings by less than that eighth
//!   is not faulted in again each time. Blocks that are mappings of their own are live, touched or not; as they may be touched
//!   little, they leave the least floor to dirty memory, if what else is live does. The program's own memory, maps,
//!   descriptors and the unused ends of huge pages are not counted. The limit is read once.
//! - **purge-G4** a kernel that refuses is asked ever more rarely: module `refusals`.
//! - **purge-G5** a call that frees gives back at most a block more than twice what it freed and half a block; a
//!   look at the clock 8 MiB more. What is due beyond goes back in the calls that follow. A thread's
//!   report of the objects it gave back is such a call too: they are slack, which lowers the limit. Memory
//!   limits (purge-G3) know no such bound.
//! - **purge-G6** of what is dirty, the least in four seconds was not needed in them, and goes back, wherever it lies.
//!
//! Layer *page*, inside the page heap's lock. O(1) a free while nothing is to be done; the clock is
//! read once in 64 frees of granules, once in 64 refills and flushes of a thread, and at purges.
use base::bits::low32;
use base::live::{At, Table};
use base::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, OneWriter as _, Ordering, fence};
use policy::clock::{is_due, is_long_ago, is_soon};
use policy::keep::{self, Held};
use policy::table::{AT_A_LOOK, AT_ONCE, FLOOR, FREES_PER_LOOK, REGRET, TICK_MS};

use crate::bins::{EMPTY_DIRTY, NIL};
use crate::geometry::GRANULE;
use crate::heap::{PageHeap, Runs, State};
use crate::refusals::{Attempt, Refusals};
use crate::{Allowance, System};

/// What the heap remembers of what it kept. Granules and ticks.
#[derive(Debug)]
pub(crate) struct Keep {
    /// Frees of granules, which wrap.
    frees: u32,
    /// Purged granules handed out again since the first of the purges that came soon after one another: perhaps purged
    /// too early.
    pub(crate) reused: usize,
    /// Purged granules handed out again, ever.
    answered: u64,
    purged_at: u32,
    /// The tick at which the floor was last halved.
    eased_at: u32,
    /// The least that was dirty since the tick `low_since` (purge-G6).
    low: usize,
    low_since: u32,
}

impl Keep {
    pub(crate) const fn new() -> Self {
        Self { frees: 0, reused: 0, answered: 0, purged_at: 0, eased_at: 0, low: 0, low_since: 0 }
    }

    /// Clean granules were handed out. At most as many as have gone back are purged ones; the others were never used, or their
    /// pages have moved.
    #[inline]
    pub(crate) fn note_reuse(&mut self, purge: &Purge, granules: u32) {
        let back = purge.total.load(Ordering::Relaxed) - self.answered;
        let again = granules.min(back.try_into().unwrap_or(u32::MAX));
        self.answered += u64::from(again);
        self.reused += again as usize;
    }

    /// What nobody needed for four seconds (purge-G6); 0 while they have not passed. So much is dirty now.
    fn unneeded(&mut self, now: u32, dirty: usize) -> usize {
        if !is_long_ago(self.low_since, now) {
            return 0;
        }
        self.low_since = now;
        core::mem::replace(&mut self.low, dirty)
    }

    /// The floor for a purge (purge-G1).
    fn regret(&mut self, now: u32, floor: usize, least: usize) -> usize {
        if !is_soon(self.purged_at, now) {
            self.reused = 0;
        }
        if self.reused * GRANULE < REGRET {
            return floor;
        }
        self.reused = 0;
        keep::raised(floor, least)
    }

    /// The floor: long after the last purge half as much (purge-G1).
    fn ease(&mut self, now: u32, floor: usize, least: usize) -> usize {
        if !is_long_ago(self.purged_at, now) || !is_long_ago(self.eased_at, now) {
            return floor;
        }
        self.eased_at = now;
        keep::lowered(floor, least)
    }
}

/// What has gone back so far, and what threads read without the lock.
#[derive(Debug)]
pub struct Purge {
    tick: AtomicU32,
    /// What the memory limit allows (purge-G3).
    allowance: Allowance,
    /// Bytes that are kept at least (purge-G1).
    floor: AtomicUsize,
    /// Down to this number of granules memory is still to go back (purge-G5); `usize::MAX`: none is due.
    due: AtomicUsize,
    /// Whether a look at the clock left something for the next.
    more: AtomicBool,
    /// What the floor does not sink below: the bytes that the user has asked to keep.
    kept: AtomicUsize,
    refusals: Refusals,
    total: AtomicU64,
    /// Bytes inside slabs that went back.
    holes: AtomicU64,
}

impl Purge {
    pub(crate) const fn show(&'static self, table: Table) -> Table {
        table.at(At::GivenBack, &self.total).at(At::HolesGivenBack, &self.holes)
    }

    /// Nothing purged yet.
    pub const fn new() -> Self {
        Self {
            tick: AtomicU32::new(0),
            allowance: Allowance::new(),
            floor: AtomicUsize::new(FLOOR),
            due: AtomicUsize::new(usize::MAX),
            more: AtomicBool::new(false),
            kept: AtomicUsize::new(FLOOR),
            refusals: Refusals::new(),
            total: AtomicU64::new(0),
            holes: AtomicU64::new(0),
        }
    }

    /// Bytes given back so far.
    pub fn total_bytes(&self) -> u64 {
        let holes = self.holes.load(Ordering::Relaxed);
        self.total.load(Ordering::Relaxed) * GRANULE as u64 + holes
    }

    /// Memory inside slabs went back.
    pub(crate) fn note_purged(&self, bytes: usize) {
        self.holes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn tick(&self) -> u32 {
        self.tick.load(Ordering::Relaxed)
    }

    pub(crate) fn kept(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }

    /// Reads the memory limit (purge-G3). `false`: it was read before.
    pub(crate) fn look<S: System>(&self, source: &S) -> bool {
        self.allowance.look(source)
    }

    pub(crate) fn has_looked(&self) -> bool {
        self.allowance.has_looked()
    }

    /// Whether free memory costs as long as it is committed.
    pub(crate) fn charges(&self) -> bool {
        self.allowance.charges()
    }

    /// Whether a `fork` of a process that uses `used` bytes may be refused.
    pub(crate) fn may_refuse_fork<S: System>(&self, source: &S, used: usize) -> bool {
        self.allowance.may_refuse_fork(source, used)
    }

    /// Begins to give memory back; `None`: the kernel has refused lately (purge-G4).
    #[inline]
    pub fn attempt(&self) -> Option<Attempt<'_>> {
        self.refusals.attempt(self.tick())
    }

    /// Begins to give memory back because the program asks for it.
    pub fn order(&self) -> Attempt<'_> {
        self.refusals.order(self.tick())
    }

    /// Granules went back. Inside the lock.
    pub(crate) fn note_given_back(&self, granules: u32) {
        self.total.raise(u64::from(granules));
    }
}

impl<S: System> PageHeap<S> {
    /// Keeps at least `bytes` of free memory from now on.
    pub fn set_floor(&self, bytes: usize) {
        let _inside = self.state.lock();
        self.purge.floor.store(bytes, Ordering::Relaxed);
        self.purge.kept.store(bytes, Ordering::Relaxed);
    }

    /// Gives all free memory back now and returns how many bytes that was. In steps, between which other threads
    /// come in: what they free meanwhile may stay.
    pub fn purge_all(&self) -> usize {
        let order = self.purge.order();
        let all = self.dirty.load(Ordering::Relaxed);
        let mut given = 0;
        while given < all {
            let mut state = self.state.lock();
            let before = self.dirty.load(Ordering::Relaxed);
            self.purge_to(&mut state, before.saturating_sub(AT_A_LOOK / GRANULE), &order);
            self.purge.due.store(usize::MAX, Ordering::Relaxed);
            match before - self.dirty.load(Ordering::Relaxed) {
                0 => break,
                some => given += some,
            }
            if given < all {
                state.leave_to_waiter();
            }
        }
        given * GRANULE
    }

    /// Granules are dirty and free no more: handed out, or given back.
    #[inline]
    pub(crate) fn lower_dirty(&self, state: &mut State, granules: u32) {
        self.dirty.lower(granules as usize);
        state.keep.low = state.keep.low.min(self.dirty.load(Ordering::Relaxed));
    }

    /// After `freed` granules came back: gives back what is beyond the limit, and what has been empty
    /// for long.
    #[inline]
    pub(crate) fn after_free(&self, state: &mut State, freed: usize) {
        state.keep.frees = state.keep.frees.wrapping_add(1);
        if state.keep.frees % FREES_PER_LOOK == 1 {
            self.look_at_clock(state);
        }
        self.purge_due(state, keep::at_once(freed, AT_ONCE / GRANULE));
    }

    /// After objects of `bytes` became slack: what may be kept beside them is less (purge-G5). Does nothing
    /// while another thread is inside, whose next free does it.
    pub(crate) fn after_slack(&self, bytes: usize) {
        if self.dirty.load(Ordering::Relaxed) > self.begin()
            && let Some(mut state) = self.state.try_lock()
        {
            self.purge_due(&mut state, keep::at_once(bytes / GRANULE, AT_ONCE / GRANULE));
        }
    }

    /// Of threads that use only what they keep: gives back what has been kept for long. Does
    /// nothing while another thread is inside, who does it. `true`: there is more to be done at once.
    pub fn look(&self) -> bool {
        if !self.has_more() && self.now() == self.purge.tick() {
            return false;
        }
        let Some(mut state) = self.state.try_lock() else { return false };
        self.look_at_clock(&mut state);
        self.purge_due(&mut state, AT_A_LOOK / GRANULE);
        self.has_more()
    }

    /// Whether memory is still to go back by a look at the clock.
    fn has_more(&self) -> bool {
        let is_due = self.purge.due.load(Ordering::Relaxed) != usize::MAX;
        self.purge.more.load(Ordering::Relaxed) || is_due
    }

    fn limit(&self) -> usize {
        self.limit_in(self.room())
    }

    /// The same, where a memory limit leaves this much room.
    fn limit_in(&self, room: usize) -> usize {
        let (floor, kept) = (self.purge.floor.load(Ordering::Relaxed), self.purge.kept());
        // slack-X3 counts objects of slabs only. Where large blocks come and go, a floor that is the highest says that freed
        // memory was needed again soon.
        let is_steady = self.slack.is_steady() || keep::is_highest(floor, kept);
        let held = Held {
            live: self.live.load(Ordering::Relaxed),
            slack: self.slack.bytes() / GRANULE,
            holes: self.hole_bytes() / GRANULE,
            beside_slack: if is_steady { kept / GRANULE } else { 0 },
        };
        keep::limit(held, floor / GRANULE, room)
    }

    /// From how many dirty granules on some go back.
    fn begin(&self) -> usize {
        let room = self.room();
        keep::begin(self.limit_in(room), self.purge.kept().min(FLOOR) / GRANULE, room)
    }

    /// Granules that a memory limit leaves beside what is live (purge-G3).
    pub(crate) fn room(&self) -> usize {
        let live = self.live.load(Ordering::Relaxed).saturating_sub(self.hole_bytes() / GRANULE);
        let mapped = self.mapped.load(Ordering::Relaxed);
        let room = self.purge.allowance.room(live + mapped, GRANULE);
        if mapped == 0 {
            return room;
        }
        room.max(self.purge.allowance.room(live, GRANULE).min(FLOOR / GRANULE))
    }

    /// Blocks outside the region have come or gone, and are `bytes` now: what is dirty may have to make room (purge-G3).
    pub fn note_mapped(&self, bytes: impl Fn() -> usize) {
        loop {
            let now = bytes();
            self.mapped.store(now / GRANULE, Ordering::Relaxed);
            // A thread that changed the bytes before this fence may have stored its figure before ours, which is older: read them
            // again. One that changes them later also stores later.
            fence(Ordering::SeqCst);
            if bytes() == now {
                break;
            }
        }
        if self.dirty.load(Ordering::Relaxed) > self.room() {
            self.after_growth(&mut self.state.lock());
        }
    }

    /// After fresh memory was handed out: dirty memory elsewhere may have to make room (purge-G3).
    #[inline]
    pub(crate) fn after_growth(&self, state: &mut State) {
        let room = self.room();
        if self.dirty.load(Ordering::Relaxed) > room
            && let Some(attempt) = self.purge.attempt()
        {
            self.purge_to(state, keep::target(room), &attempt);
        }
    }

    #[inline]
    fn purge_due(&self, state: &mut State, most: usize) {
        let dirty = self.dirty.load(Ordering::Relaxed);
        let due = self.purge.due.load(Ordering::Relaxed);
        if dirty > self.begin().min(due) {
            self.purge_some(state, most);
        } else if due != usize::MAX {
            self.purge.due.store(usize::MAX, Ordering::Relaxed);
        }
    }

    /// Gives back what is beyond the limit, `most` granules in this call (purge-G5).
    #[cold]
    fn purge_some(&self, state: &mut State, most: usize) {
        let purge = &self.purge;
        let Some(attempt) = purge.attempt() else { return };
        self.set_tick();
        let now = purge.tick();
        let dirty = self.dirty.load(Ordering::Relaxed);
        let begins = purge.due.load(Ordering::Relaxed) == usize::MAX;
        if begins {
            let floor = state.keep.regret(now, purge.floor.load(Ordering::Relaxed), purge.kept());
            purge.floor.store(floor, Ordering::Relaxed);
            if dirty <= self.begin() {
                return;
            }
        }
        let target = keep::target(self.limit()).min(purge.due.load(Ordering::Relaxed));
        let until = target.max(dirty.saturating_sub(most));
        if dirty > until {
            self.purge_to(state, until, &attempt);
            // What was not needed (purge-G6) has been due before, and its going says nothing for a higher floor (purge-G1).
            if begins {
                state.keep.purged_at = now;
            }
        }
        // What could not be found, or was refused, is no longer due.
        let is_more = until > target && self.dirty.load(Ordering::Relaxed) <= until;
        purge.due.store(if is_more { target } else { usize::MAX }, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> u32 {
        low32(base::bits::index((self.source.now_ms() / TICK_MS) & 0xffff_ffff))
    }

    fn set_tick(&self) -> bool {
        let tick = self.now();
        self.purge.tick.swap(tick, Ordering::Relaxed) != tick
    }

    /// Purges the blocks that have been empty since before the last ticks, a few at a time.
    #[cold]
    fn look_at_clock(&self, state: &mut State) {
        if !self.set_tick() && !self.purge.more.load(Ordering::Relaxed) {
            return;
        }
        let now = self.purge.tick();
        let floor =
            state.keep.ease(now, self.purge.floor.load(Ordering::Relaxed), self.purge.kept());
        self.purge.floor.store(floor, Ordering::Relaxed);
        let Some(attempt) = self.purge.attempt() else { return };
        let asked = keep::asked_for(self.purge.kept()) / GRANULE;
        let least = self.dirty.load(Ordering::Relaxed).saturating_sub(AT_A_LOOK / GRANULE);
        let mut is_more = false;
        while !attempt.is_over() {
            let block = state.bins.last(EMPTY_DIRTY);
            if block == NIL {
                break;
            }
            let emptied = &self.region.block(block).emptied;
            let dirty = self.dirty.load(Ordering::Relaxed);
            if !is_due(emptied.load(Ordering::Relaxed), now) || dirty <= asked {
                break;
            }
            if dirty <= least {
                is_more = true;
                break;
            }
            if !self.purge_block(state, block, &attempt) {
                emptied.store(now, Ordering::Relaxed);
                state.bins.make_newest(&self.region, block);
            }
        }
        self.purge.more.store(is_more, Ordering::Relaxed);
        let dirty = self.dirty.load(Ordering::Relaxed);
        let unneeded = state.keep.unneeded(now, dirty);
        if unneeded > 0 && dirty > asked {
            self.purge.due.store((dirty - unneeded).max(asked), Ordering::Relaxed);
        }
    }

    /// Purges until at most `target` dirty granules are left, or nothing more can be (purge-G2).
    fn purge_to(&self, state: &mut State, target: usize, attempt: &Attempt<'_>) {
        while self.dirty.load(Ordering::Relaxed) > target {
            let block = state.bins.last(EMPTY_DIRTY);
            if block == NIL {
                break;
            }
            if !self.purge_block(state, block, attempt) {
                state.bins.make_newest(&self.region, block);
                break;
            }
        }
        let mut runs = Runs::new();
        let last = state.dirty.newest();
        let mut block = NIL;
        while block != last
            && !attempt.is_over()
            && self.dirty.load(Ordering::Relaxed) - runs.dirty() > target
        {
            block = state.dirty.oldest();
            state.dirty.leave(&self.region);
            let info = self.region.block(block);
            let bits = self.dirty_free(info);
            if bits == 0 {
                continue;
            }
            // It may be refused (dirty-blocks-B3).
            state.dirty.enter(&self.region, block);
            if info.is_empty() {
                self.purge_block(state, block, attempt);
            } else {
                self.split_huge_pages(state, block);
                self.add(state, &mut runs, block, bits, attempt);
            }
        }
        self.purge_runs(state, &mut runs, attempt);
    }

    /// Gives back the free granules of a block, page by page where a page is several. `false`:
    /// the system refused.
    pub(crate) fn purge_block(&self, state: &mut State, block: u32, attempt: &Attempt<'_>) -> bool {
        let info = self.region.block(block);
        let mut bits = self.dirty_free(info);
        if bits == 0 {
            return true;
        }
        if info.is_empty() && self.gives_up() && self.release_block(state, block) {
            // What is short there is addresses or promises, also for the program's own mappings.
            return attempt.note(true);
        }
        let whole = info.free() == u128::MAX;
        if whole {
            // In huge pages granules that nobody has touched are resident too, and a system may make them unasked.
            bits = u128::MAX;
        } else {
            self.split_huge_pages(state, block);
        }
        let mut runs = Runs::new();
        self.add(state, &mut runs, block, bits, attempt);
        self.purge_runs(state, &mut runs, attempt);
        if self.dirty_free(info) != 0 {
            return false;
        }
        if whole {
            self.make_fresh(state, block);
            state.bins.update(&self.region, block);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Check as _;

    #[test]
    fn small_purges_that_are_regretted_add_up() {
        let mut keep = Keep { purged_at: 1000, ..Keep::new() };
        let floors = [1001, 1002, 1003, 1004, 1010].map(|now| {
            keep.reused += REGRET / GRANULE / 3 + 1;
            let floor = keep.regret(now, FLOOR, FLOOR);
            keep.purged_at = now;
            floor / FLOOR
        });
        assert_eq!(floors, [1, 1, 2, 1, 1]);
        assert_eq!(keep.reused, 0, "the last came more than a second after the one before");
    }

    #[test]
    fn blocks_in_use_are_purged_from_the_longest_dirty_on() {
        let heap = PageHeap::new(source::os::Os);
        let runs = [0; 4].map(|_| heap.allocate(128, 1).expect("memory").at);
        let block = |at: usize| low32((runs[at] - heap.region.base()) / crate::BLOCK);
        let order = [2, 0, 3];
        for at in order {
            heap.deallocate(runs[at] + 5 * GRANULE, 1);
        }
        for left in [2, 1, 0] {
            heap.purge_to(&mut heap.state.lock(), left, &heap.purge.order());
            let dirty =
                order.map(|at| heap.dirty_free(heap.region.block(block(at))).count_ones() as usize);
            assert_eq!(dirty, [0, usize::from(left > 1), usize::from(left > 0)]);
            heap.check().expect("intact");
        }
        // A block that has nothing more to give when it is met holds up none behind it.
        heap.deallocate(runs[1] + 9 * GRANULE, 1);
        heap.deallocate(runs[2] + 7 * GRANULE, 1);
        assert!(heap.extend(runs[1] + 8 * GRANULE, 1, 2), "the granule that was freed");
        assert_eq!(heap.purge_all(), GRANULE);
        heap.check().expect("intact");
    }

    #[test]
    fn what_nobody_needed_for_four_seconds_goes_back_and_is_not_regretted() {
        let heap = PageHeap::new(source::Failing::new(source::os::Os));
        heap.look();
        let start = heap.now();
        heap.state.lock().keep.purged_at = start;
        for tick in 0..4 * 17 {
            if tick % 17 == 0 {
                // Of blocks that are in use.
                let runs = [0; 4].map(|_| heap.allocate(128, 1).expect("memory").at);
                runs.iter().for_each(|at| heap.deallocate(at + GRANULE, 100));
            }
            heap.source.pass_ms(TICK_MS);
            heap.look();
        }
        assert_eq!(heap.purge.total_bytes(), 3 * 4 * 100 * GRANULE as u64);
        assert_eq!(heap.state.lock().keep.purged_at, start);
        assert_eq!(heap.purge.floor.load(Ordering::Relaxed), FLOOR);
        heap.check().expect("intact");
    }

    #[test]
    fn what_never_went_back_is_not_needed_again() {
        let (mut keep, purge) = (Keep::new(), Purge::new());
        keep.note_reuse(&purge, 9);
        purge.note_given_back(5);
        keep.note_reuse(&purge, 3);
        assert_eq!(keep.reused, 3);
        keep.note_reuse(&purge, 9);
        assert_eq!(keep.reused, 5);
        keep.note_reuse(&purge, 9);
        assert_eq!((keep.reused, keep.answered), (5, 5));
    }

    #[test]
    fn four_seconds_without_a_purge_halve_the_floor() {
        let mut keep = Keep { purged_at: 1000, ..Keep::new() };
        let mut now = FLOOR;
        for _ in 0..3 {
            keep.reused = REGRET / GRANULE;
            now = keep.regret(1000, now, FLOOR);
        }
        assert_eq!(now, 8 * FLOOR);
        for (tick, floor) in [(1016, 8), (1017, 4), (1033, 4), (1034, 2), (1100, 1), (1200, 1)] {
            now = keep.ease(tick, now, FLOOR);
            assert_eq!(now, floor * FLOOR, "{tick}");
        }
    }
}

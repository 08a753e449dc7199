//! Slack: memory that slabs hold and the program does not.
//!
//! ```text
//! slack = slabs − claimed − holes        in bytes; claimed counts what magazines keep; the
//!                                        slabs of first-class heaps are left out
//! ```
//!
//! - **slack-X1** claimed − given back = held: `claimed`, with what threads have not reported yet, is
//!   what the objects taken from slabs add up to, in whole classes. `slabs` and `holes` are
//!   what the slabs add up to. Nothing drifts: a thread that gives objects back counts the sizes
//!   of their slabs. Threads report in batches, so a moment's figure may be off by some
//!   64 KiB each. A `fork` leaves threads behind that were about to report; where it does, the
//!   child's figures are off by what they were moving, at most a magazine each, and are
//!   [`uncounted`](Slack::accounts) from then on.
//!
//! - **slack-X2** a program that soon (within a second) needs again half as much as a look for holes was
//!   worth makes the next look wait for twice as much, up to the most that was claimed lately or
//!   12 MiB, whichever is more. Needed again is what is claimed in the same slabs, and, once
//!   4 MiB of holes ended with their slabs, the granules handed out since. Every four seconds
//!   without a look halve the wait; a memory limit (purge-G3) leaves it no more than the room there is.
//!
//! - **slack-X3** a program *goes on* while it claims a byte for each four that it gives back, and for an eighth of what is claimed
//!   after that: what it keeps now can go back in a later call. What it frees and takes within its magazines is neither.
//!
//! Slack counts against what the purge policy keeps, and says when looking for holes is worth the walk. slack-X2 may ask for more:
//!
//! ```text
//! last look, or first time asked              must be slack, and have come back
//! under a second ago, the program goes on     4 × claimed, 8 MiB at least
//! under four seconds ago                      claimed, 8 MiB at least
//! longer ago, or `keep` is below 8 MiB        claimed ÷ 8, 1 MiB at least
//! ```
use base::live::{At, Table};
use base::sync::{AtomicBool, AtomicU32, AtomicUsize, OneWriter as _, Ordering};

use policy::clock::{is_long_ago, is_soon};
use policy::holes::{self, Pace};
use policy::keep::asked_for;
use policy::table::REGRET;

use crate::System;
use crate::geometry::GRANULE;
use crate::heap::PageHeap;

/// The counters. Differences wrap, so that threads may report in any order.
#[derive(Debug)]
pub struct Slack {
    slabs: AtomicUsize,
    claimed: AtomicUsize,
    /// The most that was claimed since the last time that slack-X2 halved.
    peak: AtomicUsize,
    holes: AtomicUsize,
    freed: AtomicUsize,
    /// Bytes that may be freed before the program does not go on any more (slack-X3).
    covered: AtomicUsize,
    /// Bytes of holes whose slabs ended since the last look: free granules now.
    ended: AtomicUsize,
    /// Bytes of holes that were needed again since the last look.
    filled: AtomicUsize,
    /// Bytes that slack-X2 adds to those that have to come back: doubled by regret, halved by quiet.
    backoff: AtomicUsize,
    looked_at: AtomicU32,
    /// The tick at which slack-X2 last halved.
    eased_at: AtomicU32,
    /// Whether a thread is gone that had not said what it moved (slack-X1).
    uncounted: AtomicBool,
}

/// What slabs that magazines serve hold, in bytes (slack-X1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accounts {
    /// Their granules.
    pub slabs: usize,
    /// Their objects that are taken, in whole classes.
    pub claimed: usize,
    /// Their pages that were given back.
    pub holes: usize,
}

impl Slack {
    pub(crate) const fn new() -> Self {
        Self {
            slabs: AtomicUsize::new(0),
            claimed: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            holes: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
            covered: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            filled: AtomicUsize::new(0),
            backoff: AtomicUsize::new(0),
            looked_at: AtomicU32::new(0),
            eased_at: AtomicU32::new(0),
            uncounted: AtomicBool::new(false),
        }
    }

    pub(crate) const fn show(&'static self, table: Table) -> Table {
        table.at(At::Holes, &self.holes)
    }

    /// The counters as they are. `None`: they are not exact, as a thread is gone that had not
    /// said what it moved (slack-X1).
    pub fn accounts(&self) -> Option<Accounts> {
        let exact = !self.uncounted.load(Ordering::Relaxed);
        exact.then(|| Accounts {
            slabs: self.slabs.load(Ordering::Relaxed),
            claimed: self.claimed.load(Ordering::Relaxed),
            holes: self.holes.load(Ordering::Relaxed),
        })
    }

    /// A thread is gone that had not said what it moved (slack-X1).
    pub fn note_uncounted(&self) {
        self.uncounted.store(true, Ordering::Relaxed);
    }

    /// Bytes of slabs that are neither claimed nor holes.
    pub fn bytes(&self) -> usize {
        let used = self.claimed().wrapping_add(self.holes.load(Ordering::Relaxed));
        clamp(self.slabs.load(Ordering::Relaxed).wrapping_sub(used))
    }

    fn claimed(&self) -> usize {
        clamp(self.claimed.load(Ordering::Relaxed))
    }

    /// Threads at once may lose one another's peak: it is an estimate.
    fn note_peak(&self) {
        let claimed = self.claimed();
        if claimed > self.peak.load(Ordering::Relaxed) {
            self.peak.store(claimed, Ordering::Relaxed);
        }
    }

    /// Whether the program goes on (slack-X3).
    pub(crate) fn is_steady(&self) -> bool {
        self.covered.load(Ordering::Relaxed) != 0
    }

    /// Threads at once may lose one another's claims: it is an estimate (slack-X3).
    fn note_covered(&self, claimed: usize, given_back: usize) {
        let before = self.covered.load(Ordering::Relaxed);
        let after = holes::covered(before, claimed, given_back, self.claimed());
        self.covered.store(after, Ordering::Relaxed);
    }

    /// How soon after the last look the next may come.
    fn pace(&self, now: u32, kept: usize) -> Pace {
        let long_ago = self.is_long_since_look(now);
        let busy = self.is_steady() && is_soon(self.looked_at.load(Ordering::Relaxed), now);
        Pace::of(long_ago, busy, kept)
    }

    /// Bytes that have to come back, and to be slack, before looking for holes is worth the walk;
    /// `room` is what a memory limit leaves (slack-X2).
    fn worth(&self, pace: Pace, room: usize) -> usize {
        let backoff = self.backoff.load(Ordering::Relaxed);
        holes::worth(self.claimed(), pace, backoff, self.peak.load(Ordering::Relaxed), room)
    }

    /// Whether the last look was long ago, or since the heap began.
    fn is_long_since_look(&self, now: u32) -> bool {
        let begun = self.looked_at.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
        begun.is_err_and(|looked_at| is_long_ago(looked_at, now))
    }

    /// Long after the last look: waits for half as much (slack-X2).
    fn ease(&self, now: u32) {
        let looked_at = self.looked_at.load(Ordering::Relaxed);
        let eased_at = self.eased_at.load(Ordering::Relaxed);
        if is_long_ago(looked_at, now) && is_long_ago(eased_at, now) {
            self.eased_at.store(now, Ordering::Relaxed);
            self.peak.store(self.claimed(), Ordering::Relaxed);
            let backoff = self.backoff.load(Ordering::Relaxed);
            self.backoff.store(holes::eased(backoff), Ordering::Relaxed);
        }
    }

    /// Before a look at this tick, when `worth` bytes came back: was the last one regretted (slack-X2)?
    fn regret(&self, now: u32, worth: usize) {
        let before = self.looked_at.swap(now, Ordering::Relaxed);
        self.ended.store(0, Ordering::Relaxed);
        let filled = self.filled.swap(0, Ordering::Relaxed);
        if is_soon(before, now) && holes::is_regretted(filled, worth) {
            self.backoff.store(holes::backoff(worth), Ordering::Relaxed);
        }
    }

    /// A slab of `granules` was made. Under the page heap's lock.
    pub(crate) fn note_slab(&self, granules: usize) {
        self.slabs.raise(granules * GRANULE);
    }

    /// Slabs of `granules` in all ended. Under the page heap's lock.
    pub(crate) fn note_slabs_end(&self, granules: usize) {
        self.slabs.lower(granules * GRANULE);
    }

    /// Granules are handed out: as many bytes of holes in slabs that ended are needed again (slack-X2).
    /// Whether it is those does not matter: without the look they would have been there.
    pub(crate) fn note_reuse(&self, granules: u32) {
        let ended = self.ended.load(Ordering::Relaxed);
        if ended >= REGRET {
            let again = ended.min(granules as usize * GRANULE);
            // Two threads at once may count the same: it is an estimate.
            self.ended.store(ended - again, Ordering::Relaxed);
            self.filled.fetch_add(again, Ordering::Relaxed);
        }
    }
}

/// A difference that a late report may have made negative.
fn clamp(bytes: usize) -> usize {
    if bytes.cast_signed() < 0 { 0 } else { bytes }
}

impl<S: System> PageHeap<S> {
    /// `bytes` of slabs were purged.
    pub fn note_holes(&self, bytes: usize) {
        self.slack.holes.fetch_add(bytes, Ordering::Relaxed);
        self.purge.note_purged(bytes);
    }

    /// `bytes` of purged slabs may be touched again.
    pub fn note_filled(&self, bytes: usize) {
        self.slack.holes.fetch_sub(bytes, Ordering::Relaxed);
        self.slack.filled.fetch_add(bytes, Ordering::Relaxed);
    }

    /// `bytes` of purged slabs are free granules now.
    pub fn note_holes_end(&self, bytes: usize) {
        if bytes > 0 {
            self.slack.holes.fetch_sub(bytes, Ordering::Relaxed);
            self.slack.ended.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    /// Bytes of slabs that are purged now.
    pub fn hole_bytes(&self) -> usize {
        self.slack.holes.load(Ordering::Relaxed)
    }

    /// A thread claimed objects of `claimed` bytes and gave back objects of `given_back`. `true`:
    /// holes are worth looking for now.
    pub fn note_traffic(&self, claimed: usize, given_back: usize) -> bool {
        let slack = &self.slack;
        slack.claimed.fetch_add(claimed.wrapping_sub(given_back), Ordering::Relaxed);
        slack.note_peak();
        slack.note_covered(claimed, given_back);
        let freed = slack.freed.fetch_add(given_back, Ordering::Relaxed) + given_back;
        if given_back > claimed {
            self.after_slack(given_back - claimed);
        }
        self.may_have_holes(freed)
            && holes::is_next_step(freed, given_back)
            && self.is_worth_a_look()
    }

    /// Nobody reports anything: whether holes are worth looking for all the same.
    pub fn has_holes_of_old(&self) -> bool {
        self.may_have_holes(self.slack.freed.load(Ordering::Relaxed)) && self.is_worth_a_look()
    }

    /// Whether enough was freed, and is slack, to look at the clock and ask slack-X2.
    fn may_have_holes(&self, freed: usize) -> bool {
        let slack = &self.slack;
        let least = holes::least(slack.claimed(), Pace::Seldom);
        let asked = asked_for(self.purge.kept());
        freed >= least && slack.bytes() >= least.max(asked)
    }

    /// Whether to look for holes, once slack-X2 is asked. Once in a mebibyte, for the clock.
    #[cold]
    fn is_worth_a_look(&self) -> bool {
        let slack = &self.slack;
        let now = self.now();
        slack.ease(now);
        let room = self.room().saturating_mul(GRANULE);
        let pace = slack.pace(now, self.purge.kept());
        let worth = slack.worth(pace, room);
        let freed = slack.freed.load(Ordering::Relaxed);
        // Of several threads that find it so the first does it.
        if freed < worth || slack.bytes() < worth || slack.freed.swap(0, Ordering::Relaxed) < worth
        {
            return false;
        }
        slack.regret(now, worth);
        slack.bytes() >= slack.worth(pace, room)
    }
}

#[cfg(test)]
mod tests {
    use base::bits::low32;
    use policy::table::FLOOR;

    use super::*;

    const MIB: usize = 1 << 20;

    fn with(slabs: usize, claimed: usize) -> Slack {
        let slack = Slack::new();
        slack.slabs.store(slabs, Ordering::Relaxed);
        slack.claimed.store(claimed, Ordering::Relaxed);
        slack.peak.store(claimed, Ordering::Relaxed);
        slack
    }

    /// A look at `now` that gave back `bytes`, all of which are filled again.
    fn regretted(slack: &Slack, now: u32, bytes: usize) {
        slack.filled.fetch_add(bytes, Ordering::Relaxed);
        slack.regret(now, slack.worth(Pace::Seldom, usize::MAX));
    }

    #[test]
    fn a_program_that_needs_its_holes_again_is_left_alone() {
        let slack = with(100 * MIB, 64 * MIB);
        assert_eq!(slack.worth(Pace::Seldom, usize::MAX), 8 * MIB);
        slack.regret(1000, slack.worth(Pace::Seldom, usize::MAX));
        for (now, worth) in [(1001, 16), (1002, 32), (1003, 64), (1004, 64)] {
            regretted(&slack, now, 64 * MIB);
            assert_eq!(
                slack.worth(Pace::Seldom, usize::MAX),
                worth * MIB,
                "at most what was claimed (slack-X2)"
            );
        }
    }

    #[test]
    fn a_program_that_goes_on_is_searched_a_second_later() {
        let slack = with(200 * MIB, 40 * MIB);
        slack.looked_at.store(1000, Ordering::Relaxed);
        slack.note_covered(MIB, 4 * MIB);
        assert!(!slack.is_steady(), "a quarter, and no more");
        slack.note_covered(2 * MIB, 4 * MIB);
        let worth = |now| slack.worth(slack.pace(now, FLOOR), usize::MAX) / MIB;
        assert_eq!((slack.is_steady(), worth(1004), worth(1005), worth(1017)), (true, 160, 40, 5));
        slack.note_covered(0, 4 * MIB);
        assert_eq!((slack.is_steady(), worth(1004)), (false, 40), "it only frees");
    }

    #[test]
    fn a_program_that_frees_and_does_not_come_back_is_not() {
        let slack = with(276 * MIB, 14 * MIB);
        for now in 1000..1010 {
            slack.regret(now, slack.worth(Pace::Seldom, usize::MAX));
            assert_eq!(slack.worth(Pace::Seldom, usize::MAX), 14 * MIB / 8);
        }
    }

    #[test]
    fn what_left_with_its_slab_and_is_needed_again_counts() {
        let slack = with(48 * MIB, 24 * MIB);
        slack.ended.store(12 * MIB, Ordering::Relaxed);
        slack.looked_at.store(1000, Ordering::Relaxed);
        let granules = |bytes: usize| low32(bytes / GRANULE);
        slack.note_reuse(granules(8 * MIB));
        slack.note_reuse(granules(8 * MIB));
        assert_eq!(slack.filled.load(Ordering::Relaxed), 12 * MIB, "no more than ended");
        slack.ended.store(3 * MIB, Ordering::Relaxed);
        slack.note_reuse(granules(8 * MIB));
        assert_eq!(slack.filled.load(Ordering::Relaxed), 12 * MIB, "3 MiB are not missed");
        slack.regret(1001, slack.worth(Pace::Seldom, usize::MAX));
        assert_eq!(slack.worth(Pace::Seldom, usize::MAX), 6 * MIB);
    }

    #[test]
    fn four_quiet_seconds_halve_it() {
        let slack = with(100 * MIB, 64 * MIB);
        slack.regret(1000, slack.worth(Pace::Seldom, usize::MAX));
        (1001..1004).for_each(|now| regretted(&slack, now, 64 * MIB));
        assert_eq!(slack.worth(Pace::Seldom, usize::MAX), 64 * MIB);
        for (now, worth) in [(1019, 64), (1020, 32), (1036, 32), (1037, 16), (1100, 8)] {
            slack.ease(now);
            assert_eq!(slack.worth(Pace::Seldom, usize::MAX), worth * MIB, "{now}");
        }
    }
}

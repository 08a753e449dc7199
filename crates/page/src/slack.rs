//! Slack: memory that slabs hold and the program does not.
//!
//! ```text
//! slack = slabs − claimed − holes        in bytes; claimed counts what magazines keep; the
//!                                        slabs of first-class heaps are left out
//! ```
//!
//! - **X1** claimed − given back = held: `claimed`, with what threads have not reported yet, is
//!   what the objects taken from slabs add up to, in whole classes. `slabs` and `holes` are
//!   what the slabs add up to. Nothing drifts: whoever gives objects back counts what their
//!   slabs say of them. Threads report in batches, so a moment's figure may be off by some
//!   64 KiB each. A `fork` leaves threads behind that were about to report; where it does, the
//!   child's figures are off by what they were moving, at most a magazine each, and are
//!   [`uncounted`](Slack::accounts) from then on.
//!
//! - **X2** a program that soon (within a second) needs again half of what looking for holes gave
//!   back makes the next look wait for twice as much, up to what is claimed or 12 MiB, whichever
//!   is more; each look after quiet seconds halves that.
//!
//! Slack counts against what the purge policy keeps, and says when looking for holes is worth
//! the walk: after as many bytes came back as an eighth of what is claimed, and more by X2.
use base::bits::{index, low32};
use base::sync::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::System;
use crate::geometry::GRANULE;
use crate::heap::PageHeap;
use crate::purge::{FLOOR, KEEP_TICKS, TICK_MS};

/// Holes are looked for after at least so many bytes came back: 1 MiB.
const LEAST: usize = 1 << 20;

/// The counters. Differences wrap, so that threads may report in any order.
#[derive(Debug)]
pub struct Slack {
    slabs: AtomicUsize,
    claimed: AtomicUsize,
    holes: AtomicUsize,
    freed: AtomicUsize,
    /// Bytes of holes that were filled since the last look.
    filled: AtomicUsize,
    /// What X2 adds to the bytes that have to come back.
    patience: AtomicUsize,
    /// The tick of the last look.
    looked_at: AtomicU32,
    /// Whether a thread is gone that had not said what it moved (X1).
    uncounted: AtomicBool,
}

/// What slabs that magazines serve hold, in bytes (X1).
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
            holes: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
            filled: AtomicUsize::new(0),
            patience: AtomicUsize::new(0),
            looked_at: AtomicU32::new(0),
            uncounted: AtomicBool::new(false),
        }
    }

    /// The counters as they are. `None`: they are not exact, as a thread is gone that had not
    /// said what it moved (X1).
    pub fn accounts(&self) -> Option<Accounts> {
        let exact = !self.uncounted.load(Ordering::Relaxed);
        exact.then(|| Accounts {
            slabs: self.slabs.load(Ordering::Relaxed),
            claimed: self.claimed.load(Ordering::Relaxed),
            holes: self.holes.load(Ordering::Relaxed),
        })
    }

    /// A thread is gone that had not said what it moved (X1).
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

    /// Bytes that have to come back, and to be slack, before looking for holes is worth the walk.
    fn worth(&self) -> usize {
        let claimed = self.claimed();
        let patience = self.patience.load(Ordering::Relaxed).min(claimed.max(FLOOR * GRANULE));
        (claimed / 8).max(LEAST).max(patience)
    }

    /// Before a look at this tick, when `worth` bytes came back: was the last one regretted (X2)?
    #[cold]
    fn regret(&self, now: u32, worth: usize) {
        let age = now.wrapping_sub(self.looked_at.swap(now, Ordering::Relaxed));
        let filled = self.filled.swap(0, Ordering::Relaxed);
        if age <= KEEP_TICKS && filled >= worth / 2 {
            self.patience.store(worth.saturating_mul(2), Ordering::Relaxed);
        } else if age > 4 * KEEP_TICKS {
            let patience = self.patience.load(Ordering::Relaxed);
            self.patience.store(patience / 2, Ordering::Relaxed);
        }
    }
}

/// A difference that a late report may have made negative.
fn clamp(bytes: usize) -> usize {
    if bytes.cast_signed() < 0 { 0 } else { bytes }
}

impl<S: System> PageHeap<S> {
    /// A slab of `granules` was made.
    pub fn note_slab(&self, granules: usize) {
        self.slack.slabs.fetch_add(granules * GRANULE, Ordering::Relaxed);
    }

    /// A slab of `granules` was given back.
    pub fn note_slab_end(&self, granules: usize) {
        self.slack.slabs.fetch_sub(granules * GRANULE, Ordering::Relaxed);
    }

    /// `bytes` of slabs were purged.
    pub fn note_holes(&self, bytes: usize) {
        self.slack.holes.fetch_add(bytes, Ordering::Relaxed);
        self.purge.note_purged(bytes);
    }

    /// `bytes` of purged slabs may be touched again.
    pub fn note_filled(&self, bytes: usize) {
        self.note_holes_end(bytes);
        self.slack.filled.fetch_add(bytes, Ordering::Relaxed);
    }

    /// `bytes` of purged slabs are free granules now.
    pub fn note_holes_end(&self, bytes: usize) {
        self.slack.holes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes of slabs that are purged now.
    pub fn hole_bytes(&self) -> usize {
        self.slack.holes.load(Ordering::Relaxed)
    }

    /// A thread claimed and gave back objects of so many bytes. `true`: holes are worth
    /// looking for now.
    pub fn note_traffic(&self, claimed: usize, given_back: usize) -> bool {
        let slack = &self.slack;
        slack.claimed.fetch_add(claimed.wrapping_sub(given_back), Ordering::Relaxed);
        let freed = slack.freed.fetch_add(given_back, Ordering::Relaxed) + given_back;
        let worth = slack.worth();
        if freed < worth || slack.bytes() < worth {
            return false;
        }
        // Whoever finds it so first does it.
        if slack.freed.swap(0, Ordering::Relaxed) < worth {
            return false;
        }
        let ticks = self.source.now_ms() / TICK_MS;
        slack.regret(low32(index(ticks & 0xffff_ffff)), worth);
        slack.bytes() >= slack.worth()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn with(slabs: usize, claimed: usize) -> Slack {
        let slack = Slack::new();
        slack.slabs.store(slabs, Ordering::Relaxed);
        slack.claimed.store(claimed, Ordering::Relaxed);
        slack
    }

    /// A look at `now` that gave back `bytes`, all of which are filled again.
    fn regretted(slack: &Slack, now: u32, bytes: usize) {
        slack.filled.fetch_add(bytes, Ordering::Relaxed);
        slack.regret(now, slack.worth());
    }

    #[test]
    fn a_program_that_needs_its_holes_again_is_left_alone() {
        let slack = with(100 * MIB, 64 * MIB);
        assert_eq!(slack.worth(), 8 * MIB);
        slack.regret(1000, slack.worth());
        for (now, worth) in [(1001, 16), (1002, 32), (1003, 64), (1004, 64)] {
            regretted(&slack, now, 64 * MIB);
            assert_eq!(slack.worth(), worth * MIB, "at most what is claimed (X2)");
        }
    }

    #[test]
    fn a_program_that_frees_and_does_not_come_back_is_not() {
        let slack = with(276 * MIB, 14 * MIB);
        for now in 1000..1010 {
            slack.regret(now, slack.worth());
            assert_eq!(slack.worth(), 14 * MIB / 8);
        }
    }

    #[test]
    fn a_small_program_may_keep_as_much_as_the_floor() {
        let slack = with(20 * MIB, MIB);
        for now in 1000..1010 {
            regretted(&slack, now, 20 * MIB);
        }
        assert_eq!(slack.worth(), FLOOR * GRANULE);
    }

    #[test]
    fn quiet_seconds_halve_it() {
        let slack = with(100 * MIB, 64 * MIB);
        slack.regret(1000, slack.worth());
        (1001..1004).for_each(|now| regretted(&slack, now, 64 * MIB));
        for (now, worth) in [(1100, 64), (1200, 32), (1300, 16), (1400, 8), (1500, 8)] {
            slack.regret(now, slack.worth());
            assert!(slack.worth() <= worth * MIB, "{now}: {}", slack.worth());
        }
    }
}

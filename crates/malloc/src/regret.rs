//! Regret: how much free memory is kept at least. It doubles while what went back is needed again within a second, and sinks
//! when nothing went back for four.
//!
//! ```text
//! purge ─► out ─► zero memory is handed out ─► reused ─ much within a second of a purge? the floor doubles
//! ```
//!
//! - **regret-R1** `out` is what went back lately and is not in use again, `reused` what of it is; both begin anew with a purge that is
//!   a second after the last.
//!
//! Under its owner's lock, or its owner's thread alone. O(1); bytes and ticks.
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use policy::clock::{is_long_ago, is_soon};

/// What is remembered of what went back. All zero: nothing.
#[derive(Debug)]
pub(crate) struct Regret {
    floor: AtomicUsize,
    out: AtomicUsize,
    reused: AtomicUsize,
    purged_at: AtomicU32,
}

impl Regret {
    pub(crate) const fn new() -> Self {
        Self {
            floor: AtomicUsize::new(0),
            out: AtomicUsize::new(0),
            reused: AtomicUsize::new(0),
            purged_at: AtomicU32::new(0),
        }
    }

    /// Zero memory is handed out: perhaps some that went back too early.
    pub(crate) fn take(&self, bytes: usize) {
        let again = bytes.min(self.out.load(Ordering::Relaxed));
        self.out.lower(again);
        self.reused.raise(again);
    }

    pub(crate) fn floor(&self, least: usize) -> usize {
        self.floor.load(Ordering::Relaxed).max(least)
    }

    /// A purge is due at `now`: what is kept at least from now on, at most `most`. `regret` is how much has to be needed again.
    pub(crate) fn due(&self, now: u32, (least, most): (usize, usize), regret: usize) -> usize {
        let (at, mut floor) = (self.purged_at.load(Ordering::Relaxed), self.floor(least));
        if !is_soon(at, now) {
            self.out.replace(0);
            self.reused.replace(0);
        }
        if self.reused.load(Ordering::Relaxed) >= regret {
            self.reused.replace(0);
            floor = (floor * 2).min(most);
        } else if is_long_ago(at, now) {
            floor = least;
        }
        self.floor.store(floor, Ordering::Relaxed);
        floor
    }

    /// Nothing was due at `now`: the floor sinks if nothing went back for long.
    pub(crate) fn calm(&self, now: u32) {
        if is_long_ago(self.purged_at.load(Ordering::Relaxed), now) {
            self.floor.store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn purged(&self, now: u32, bytes: usize) {
        self.purged_at.store(now, Ordering::Relaxed);
        self.out.raise(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn the_floor_doubles_while_what_went_back_is_needed_again_soon() {
        let regret = Regret::new();
        let mut now = 1000;
        assert_eq!(regret.due(now, (12 * MIB, 64 * MIB), 4 * MIB), 12 * MIB);
        for floor in [24, 48, 64, 64] {
            regret.purged(now, 5 * MIB);
            regret.take(5 * MIB);
            now += 4;
            assert_eq!(regret.due(now, (12 * MIB, 64 * MIB), 4 * MIB), floor * MIB);
        }
        assert_eq!(regret.floor(12 * MIB), 64 * MIB);
        regret.calm(now);
        assert_eq!(regret.floor(12 * MIB), 64 * MIB, "something went back a moment ago");
        regret.calm(now + 17);
        assert_eq!(regret.floor(12 * MIB), 12 * MIB, "nothing for four seconds");
    }

    #[test]
    fn memory_that_never_went_back_is_not_regretted() {
        let regret = Regret::new();
        regret.purged(1000, MIB);
        regret.take(100 * MIB);
        assert_eq!(regret.due(1001, (MIB, 64 * MIB), 4 * MIB), MIB, "a heap that grows");
        regret.purged(1001, 5 * MIB);
        assert_eq!(
            regret.due(1010, (MIB, 64 * MIB), 4 * MIB),
            MIB,
            "what went back is still there"
        );
        regret.take(5 * MIB);
        assert_eq!(
            regret.due(1011, (MIB, 64 * MIB), 4 * MIB),
            MIB,
            "needed more than a second later"
        );
    }
}

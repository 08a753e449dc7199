//! A kernel that refuses to take memory back, as it does what is locked, or in a sandbox: it is
//! asked again after ever more frees, or when the clock has gone on.
//!
//! ```text
//! attempt: refused ─ 64 turned away ─ refused ─ 128 ─ refused ─ 256 … 65,536 … given ─ none
//! ```
//!
//! - **refusals-Y1** after an attempt that was refused as often as given, as many are turned away as the pause says,
//!   which doubles from 64 to 65,536; an attempt that gave more often than it was refused ends it.
//! - **refusals-Y2** a new tick of the purge clock lets one attempt through. A clock that stands still
//!   leaves refusals-Y1.
//! - **refusals-Y3** an attempt that nobody asked for ends at its eighth refusal.
//!
//! Layer *page*. O(1), no system call. Threads may count at once: a pause is then off by one.
use core::cell::Cell;

use base::sync::{AtomicU32, Ordering};
use policy::table::{FIRST_PAUSE, LONGEST_PAUSE, MOST_REFUSALS};

/// What is remembered between attempts.
#[derive(Debug)]
pub struct Refusals {
    pause: AtomicU32,
    left: AtomicU32,
    tick: AtomicU32,
}

impl Refusals {
    /// Nothing refused yet.
    pub const fn new() -> Self {
        Self { pause: AtomicU32::new(0), left: AtomicU32::new(0), tick: AtomicU32::new(0) }
    }

    /// Begins an attempt of our own at `tick`; `None`: it is turned away (refusals-Y1, refusals-Y2).
    #[inline]
    pub fn attempt(&self, tick: u32) -> Option<Attempt<'_>> {
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 && self.tick.load(Ordering::Relaxed) == tick {
            self.left.store(left - 1, Ordering::Relaxed);
            return None;
        }
        Some(self.begin(tick, MOST_REFUSALS))
    }

    /// Begins an attempt that the program asked for, as `malloc_trim` does: no refusal ends it.
    pub fn order(&self, tick: u32) -> Attempt<'_> {
        self.begin(tick, u32::MAX)
    }

    fn begin(&self, tick: u32, most: u32) -> Attempt<'_> {
        Attempt { refusals: self, tick, most, refused: Cell::new(0), given: Cell::new(0) }
    }
}

/// One attempt to give memory back.
#[derive(Debug)]
pub struct Attempt<'a> {
    refusals: &'a Refusals,
    tick: u32,
    most: u32,
    refused: Cell<u32>,
    given: Cell<u32>,
}

impl Attempt<'_> {
    /// The kernel took or refused memory; returns `taken`.
    pub fn note(&self, taken: bool) -> bool {
        if taken {
            self.given.set(self.given.get() + 1);
        } else {
            self.refused.set(self.refused.get() + 1);
        }
        taken
    }

    /// Whether it is to ask no more (refusals-Y3).
    pub fn is_over(&self) -> bool {
        self.refused.get() >= self.most
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        let refusals = self.refusals;
        let pause = match (self.refused.get(), self.given.get()) {
            (0, 0) => return,
            (refused, given) if given > refused => 0,
            _ => {
                let before = refusals.pause.load(Ordering::Relaxed);
                before.saturating_mul(2).clamp(FIRST_PAUSE, LONGEST_PAUSE)
            }
        };
        refusals.pause.store(pause, Ordering::Relaxed);
        refusals.left.store(pause, Ordering::Relaxed);
        refusals.tick.store(self.tick, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_a_gift_ends_them() {
        let refusals = Refusals::new();
        let asked = |turns: u32, taken: bool| {
            let mut asked = 0;
            for _ in 0..turns {
                if let Some(attempt) = refusals.attempt(7) {
                    attempt.note(taken);
                    asked += 1;
                }
            }
            asked
        };
        assert_eq!(asked(1 + 64 + 1 + 128 + 1 + 256, false), 3);
        assert!(asked(1_000_000, false) < 30, "a million frees");
        assert!(asked(LONGEST_PAUSE + 1, true) > 0, "once more after the longest pause");
        assert_eq!(asked(100, true), 100, "it gives again");
        assert_eq!(asked(100, false), 2, "and a new pause is short");
    }

    #[test]
    fn a_tick_lets_one_attempt_through() {
        let refusals = Refusals::new();
        for tick in 1..20 {
            assert!(!refusals.attempt(tick).expect("a new tick").note(false));
            assert!(refusals.attempt(tick).is_none(), "only one");
        }
    }

    #[test]
    fn an_attempt_ends_at_its_eighth_refusal_and_an_order_never() {
        let refusals = Refusals::new();
        for (attempt, most) in [(refusals.begin(1, MOST_REFUSALS), 8), (refusals.order(1), 1000)] {
            for refusal in 0..most {
                assert!(!attempt.is_over(), "{refusal}");
                attempt.note(false);
            }
            assert_eq!(attempt.is_over(), most == 8);
        }
    }

    #[test]
    fn an_attempt_that_asks_nothing_changes_nothing() {
        let refusals = Refusals::new();
        assert!(!refusals.attempt(1).expect("none yet").note(false));
        drop(refusals.attempt(2).expect("a new tick"));
        assert!(refusals.attempt(1).is_none());
    }
}

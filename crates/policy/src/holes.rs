//! Holes: when slabs are worth a search for pages that only free objects cover (slack-X2). In bytes.
use crate::table::{
    CLAIM_COVERS, CLOCK_STEP, COVERED_SHARE, FLOOR, HOLES_SHARE, LEAST_HOLES, LEAST_HOLES_NOW,
    SLACK_OF_BUSY,
};

/// How soon after the last search the next may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// At any time: slack is free memory, and stays up to as much as is live, like that.
    AtOnce,
    /// Within a second of the last, for a program that goes on: four times as much. It will call again.
    Later,
    /// Four seconds after the last, or where little is to be kept: less is worth it.
    Seldom,
}

impl Pace {
    /// `long_ago`: the last search was. `busy`: the program goes on, and the last search was a moment ago. `kept`: what
    /// the user has asked to keep, or the floor.
    pub const fn of(long_ago: bool, busy: bool, kept: usize) -> Self {
        match (long_ago || kept < LEAST_HOLES_NOW, busy) {
            (true, _) => Self::Seldom,
            (false, true) => Self::Later,
            (false, false) => Self::AtOnce,
        }
    }
}

/// What has to come back, and to be slack, before a search is worth the walk.
#[inline]
pub fn least(claimed: usize, pace: Pace) -> usize {
    match pace {
        Pace::AtOnce => claimed.max(LEAST_HOLES_NOW),
        Pace::Later => claimed.saturating_mul(SLACK_OF_BUSY).max(LEAST_HOLES_NOW),
        Pace::Seldom => (claimed / HOLES_SHARE).max(LEAST_HOLES),
    }
}

/// As [`least`], where earlier searches were regretted: `backoff` more, up to the most that was
/// claimed lately, or the floor; and no more than the room that a memory limit leaves, if that is
/// less than either.
pub fn worth(claimed: usize, pace: Pace, backoff: usize, peak: usize, room: usize) -> usize {
    let seldom = least(claimed, Pace::Seldom);
    let more = least(claimed, pace).max(backoff.min(peak.max(FLOOR)));
    seldom.max(more.min(room))
}

/// How many bytes a program may free before nothing says any more that it goes on: four for each that it claims, up to an
/// eighth of what is `live`.
#[inline]
pub fn covered(before: usize, claimed: usize, freed: usize, live: usize) -> usize {
    let most = (live / COVERED_SHARE).max(CLOCK_STEP);
    before.saturating_add(claimed.saturating_mul(CLAIM_COVERS)).min(most).saturating_sub(freed)
}

/// Whether a search of `worth` bytes is regretted, when this many were soon needed again.
pub const fn is_regretted(needed_again: usize, worth: usize) -> bool {
    needed_again >= worth / 2
}

/// Whether the mebibyte in which `freed` bytes lie is another than before the last `of_them`: the
/// clock is read that often.
pub const fn is_next_step(freed: usize, of_them: usize) -> bool {
    freed / CLOCK_STEP != (freed - of_them) / CLOCK_STEP
}

/// The backoff after a search of `worth` bytes that was regretted.
pub const fn backoff(worth: usize) -> usize {
    worth.saturating_mul(2)
}

/// The backoff after four quiet seconds.
pub const fn eased(backoff: usize) -> usize {
    backoff / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn as_much_as_is_live_has_to_be_slack_or_seldom_an_eighth() {
        let both = |claimed| (least(claimed, Pace::AtOnce), least(claimed, Pace::Seldom));
        assert_eq!((both(MIB), both(64 * MIB)), ((8 * MIB, MIB), (64 * MIB, 8 * MIB)));
        let pace = [(false, FLOOR), (true, FLOOR), (false, 0)]
            .map(|(long, kept)| Pace::of(long, false, kept));
        assert_eq!(pace, [Pace::AtOnce, Pace::Seldom, Pace::Seldom]);
    }

    #[test]
    fn a_program_goes_on_while_it_claims_a_quarter_of_what_it_frees() {
        let mut covered_bytes = 0;
        for _ in 0..100 {
            covered_bytes = covered(covered_bytes, MIB / 4, MIB, 64 * MIB);
        }
        assert_eq!(covered_bytes, 0, "no more than it needs");
        for _ in 0..100 {
            covered_bytes = covered(covered_bytes, MIB, MIB, 64 * MIB);
        }
        assert_eq!(covered_bytes, 7 * MIB, "an eighth of what is live, less what was freed last");
        let frees = (0..).find(|_| {
            covered_bytes = covered(covered_bytes, 0, MIB, 64 * MIB);
            covered_bytes == 0
        });
        assert_eq!(frees, Some(6), "who only frees does not go on for long");
        assert_eq!(least(10 * MIB, Pace::of(false, true, FLOOR)), 40 * MIB);
        assert_eq!(Pace::of(true, true, FLOOR), Pace::Seldom);
    }

    #[test]
    fn regret_adds_up_to_a_bound() {
        let seldom =
            |backoff, claimed, peak, room| worth(claimed, Pace::Seldom, backoff, peak, room);
        assert_eq!(seldom(0, 64 * MIB, 64 * MIB, usize::MAX), 8 * MIB);
        assert_eq!(seldom(32 * MIB, 64 * MIB, 64 * MIB, usize::MAX), 32 * MIB);
        assert_eq!(seldom(999 * MIB, 64 * MIB, 64 * MIB, usize::MAX), 64 * MIB, "what was claimed");
        assert_eq!(seldom(999 * MIB, MIB, MIB, usize::MAX), FLOOR, "a small program");
        assert_eq!(seldom(999 * MIB, MIB, MIB, 3 * MIB), 3 * MIB, "a memory limit");
        let now = |claimed, room| worth(claimed, Pace::AtOnce, 0, claimed, room);
        assert_eq!((now(64 * MIB, usize::MAX), now(64 * MIB, 20 * MIB)), (64 * MIB, 20 * MIB));
        assert_eq!(now(64 * MIB, 0), 8 * MIB, "as ever");
    }

    #[test]
    fn half_of_it_needed_again_is_regret() {
        assert!(is_regretted(4, 8) && !is_regretted(3, 8));
        assert_eq!((backoff(8), backoff(usize::MAX), eased(16)), (16, usize::MAX, 8));
        assert!(
            is_next_step(MIB, 1) && !is_next_step(MIB - 1, 5) && is_next_step(3 * MIB, 2 * MIB)
        );
    }
}

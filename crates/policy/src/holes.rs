//! Holes: when slabs are worth a search for pages that only free objects cover (X2). In bytes.
use crate::table::{FLOOR, HOLES_SHARE, LEAST_HOLES};

/// What has to come back, and to be slack, before a search is worth the walk.
#[inline]
#[must_use]
pub fn least(claimed: usize) -> usize {
    (claimed / HOLES_SHARE).max(LEAST_HOLES)
}

/// As [`least`], where earlier searches were regretted: `backoff` more, up to the most that was
/// claimed lately, or the floor, and to the room that a memory limit leaves.
#[must_use]
pub fn worth(claimed: usize, backoff: usize, peak: usize, room: usize) -> usize {
    least(claimed).max(backoff.min(peak.max(FLOOR).min(room)))
}

/// Whether a search of `worth` bytes is regretted, when this many were soon needed again.
#[must_use]
pub const fn is_regretted(needed_again: usize, worth: usize) -> bool {
    needed_again >= worth / 2
}

/// Whether the mebibyte in which `freed` bytes lie is another than before the last `of_them`: the
/// clock is read that often.
#[must_use]
pub const fn is_next_step(freed: usize, of_them: usize) -> bool {
    freed / LEAST_HOLES != (freed - of_them) / LEAST_HOLES
}

/// The backoff after a search of `worth` bytes that was regretted.
#[must_use]
pub const fn backoff(worth: usize) -> usize {
    worth.saturating_mul(2)
}

/// The backoff after four quiet seconds.
#[must_use]
pub const fn eased(backoff: usize) -> usize {
    backoff / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    #[test]
    fn an_eighth_has_to_come_back_and_what_regret_adds_up_to_a_bound() {
        assert_eq!((least(MIB), least(64 * MIB)), (MIB, 8 * MIB));
        assert_eq!(worth(64 * MIB, 0, 64 * MIB, usize::MAX), 8 * MIB);
        assert_eq!(worth(64 * MIB, 32 * MIB, 64 * MIB, usize::MAX), 32 * MIB);
        assert_eq!(worth(64 * MIB, 999 * MIB, 64 * MIB, usize::MAX), 64 * MIB, "what was claimed");
        assert_eq!(worth(MIB, 999 * MIB, MIB, usize::MAX), FLOOR, "a small program");
        assert_eq!(worth(MIB, 999 * MIB, MIB, 3 * MIB), 3 * MIB, "a memory limit");
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

//! A kernel that refuses to take memory back: how long it is left alone (G4).
use crate::table::{FIRST_PAUSE, LONGEST_PAUSE};

/// Attempts to be turned away after one that was refused `refused` times, and given memory or not;
/// `pause` were turned away before it. `None`: it asked for nothing and changes nothing.
#[must_use]
pub fn pause(pause: u32, refused: u32, given: bool) -> Option<u32> {
    match (refused, given) {
        (0, false) => None,
        (0, true) => Some(0),
        _ => Some(pause.saturating_mul(2).clamp(FIRST_PAUSE, LONGEST_PAUSE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_a_gift_ends_them() {
        assert_eq!(pause(0, 3, true), Some(64));
        assert_eq!(pause(64, 1, false), Some(128));
        assert_eq!(pause(60_000, 1, false), Some(65_536));
        assert_eq!(pause(512, 0, true), Some(0));
        assert_eq!(pause(512, 0, false), None);
    }
}

//! A kernel that refuses to take memory back: how long it is left alone (purge-G4).
use crate::table::{FIRST_PAUSE, LONGEST_PAUSE};

/// Attempts to be turned away after one that was refused `refused` times and given memory `given` times;
/// `pause` were turned away before it. `None`: it asked for nothing and changes nothing.
pub fn pause(pause: u32, refused: u32, given: u32) -> Option<u32> {
    match (refused, given) {
        (0, 0) => None,
        _ if given > refused => Some(0),
        _ => Some(pause.saturating_mul(2).clamp(FIRST_PAUSE, LONGEST_PAUSE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_a_gift_ends_them() {
        assert_eq!(pause(0, 3, 3), Some(64));
        assert_eq!(pause(64, 1, 0), Some(128));
        assert_eq!(pause(60_000, 1, 0), Some(65_536));
        assert_eq!(pause(512, 2, 3), Some(0));
        assert_eq!(pause(512, 0, 0), None);
    }
}

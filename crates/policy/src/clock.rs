//! Time in ticks of a quarter of a second, which wrap.
use crate::table::{LONG, SOON};

/// Whether `at` is at most a second before the tick `now`.
#[inline]
pub const fn is_soon(at: u32, now: u32) -> bool {
    now.wrapping_sub(at) <= SOON
}

/// Whether `at` is a second or more before the tick `now`: a block that was emptied then goes back.
#[inline]
pub const fn is_due(at: u32, now: u32) -> bool {
    now.wrapping_sub(at) >= SOON
}

/// Whether `at` is more than four seconds before the tick `now`.
#[inline]
pub const fn is_long_ago(at: u32, now: u32) -> bool {
    now.wrapping_sub(at) > LONG
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_wrap() {
        assert!(is_soon(u32::MAX, 3) && !is_soon(u32::MAX, 4));
        assert!(is_due(u32::MAX, 3) && !is_due(u32::MAX, 2));
        assert!(is_long_ago(u32::MAX, 16) && !is_long_ago(u32::MAX, 15));
    }
}

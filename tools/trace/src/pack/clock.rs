//! The recorder's clock in nanoseconds.
//!
//! Each chunk says by both clocks when it began, and when it was sealed. The recorder's clock runs evenly, so one factor does for
//! the whole recording: the median of all pairs' factors, of which a damaged pair is only one.

/// The bits behind the point of a factor.
const POINT: u32 = 32;
/// Where nothing says how long a unit is: 32 ticks of 3 GHz.
const USUAL: f64 = 32.0 / 3.0;
/// Pairs closer to the begin than this, in nanoseconds, say little, as reading two clocks takes time.
const CLOSE: u64 = 1_000_000;

/// Turns the recorder's time into nanoseconds since the recording began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    begin: u64,
    factor: u128,
}

impl Clock {
    /// A clock that began at `begin`, and whose `pairs` are (units, nanoseconds) since then.
    #[expect(clippy::cast_precision_loss, reason = "a factor needs no more than 53 bits")]
    #[expect(clippy::cast_possible_truncation, reason = "factors are small")]
    #[expect(clippy::cast_sign_loss, reason = "factors are positive")]
    pub(crate) fn new(begin: u64, pairs: &[(u64, u64)]) -> Self {
        let factors = |closest: u64| {
            let far = pairs.iter().filter(|&&(units, nanos)| units > 0 && nanos >= closest);
            let mut factors: Vec<f64> =
                far.map(|&(units, nanos)| nanos as f64 / units as f64).collect();
            factors.sort_unstable_by(f64::total_cmp);
            factors
        };
        let longest = pairs.iter().map(|&(_, nanos)| nanos).max().unwrap_or_default();
        let factors = factors((longest / 2).clamp(1, CLOSE));
        let factor = factors.get(factors.len() / 2).copied().unwrap_or(USUAL);
        Self { begin, factor: (factor * (1u64 << POINT) as f64) as u128 }
    }

    pub(crate) fn nanos(&self, time: u64) -> u64 {
        let units = u128::from(time.saturating_sub(self.begin));
        u64::try_from(units.saturating_mul(self.factor) >> POINT).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn one_damaged_pair_changes_nothing() {
        let good = [(1_000_000, 10_000_000), (2_000_000, 20_000_100), (3_000_000, 30_000_000)];
        let clock = Clock::new(500, &good);
        assert_eq!(clock.nanos(1_000_500), 10_000_000);
        let mut bad = good.to_vec();
        bad.extend([(1, u64::MAX), (u64::MAX, 2_000_000)]);
        let clock = Clock::new(500, &bad);
        assert!((9_999_000..10_001_000).contains(&clock.nanos(1_000_500)));
        assert_eq!(clock.nanos(0), 0);
        assert!(clock.nanos(u64::MAX) > 1 << 63);
    }
}

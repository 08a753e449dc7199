//! A count, and the ratio of two: how far it may be off is known beforehand and not estimated.

use serde::{Deserialize, Serialize};

use super::Compared;
use crate::stats::{ENOUGH_PAIRS, Ratio};

/// Two runs of the same differ by less than this share in what is counted.
pub const AGREEMENT: f64 = 0.005;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Count {
    /// The median of these runs, and how it compares.
    #[serde(flatten)]
    pub compared: Compared,
    pub least: f64,
    pub most: f64,
}

impl Count {
    /// This count over another. The interval is what both allow: [`AGREEMENT`], and what the runs differed by.
    pub fn over(&self, other: &Self) -> Option<Ratio> {
        let estimate = self.compared.median / other.compared.median;
        if !(estimate.is_finite() && estimate > 0.0) {
            return None;
        }
        Some(Ratio {
            estimate,
            low: (self.least / other.most).min(estimate / (1.0 + AGREEMENT)),
            high: (self.most / other.least).max(estimate * (1.0 + AGREEMENT)),
            // It is no sample: as many runs as a claim needs would count the same.
            pairs: ENOUGH_PAIRS,
        })
    }

    /// Whether runs of the same differed by more than they may: some mallocs go by the clock, or by random numbers.
    pub fn varies(&self) -> bool {
        self.spread() > AGREEMENT
    }

    /// By which share of the median the runs differed.
    pub fn spread(&self) -> f64 {
        (self.most - self.least) / self.compared.median.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Claim;

    fn count(least: f64, median: f64, most: f64) -> Count {
        Count { compared: Compared { median, ratio: None, same: false }, least, most }
    }

    #[test]
    fn what_two_runs_may_differ_by_is_level_and_more_is_not() {
        let one = |n| count(n, n, n);
        let of = |a: &Count, b: &Count| Claim::of(&a.over(b).unwrap(), None);
        assert_eq!(of(&one(1004.0), &one(1000.0)), Claim::Level);
        assert_eq!(of(&one(1006.0), &one(1000.0)), Claim::More);
        assert_eq!(of(&one(990.0), &one(1000.0)), Claim::Less);
        assert_eq!(of(&count(990.0, 1010.0, 1030.0), &one(1000.0)), Claim::Level, "they varied");
        assert!(one(0.0).over(&one(0.0)).is_none());
        assert!((count(990.0, 1000.0, 1030.0).spread() - 0.04).abs() < 1e-9);
    }
}

//! What a ratio may be said to show: the one rule by which the terminal, the page, `compare`, the record and README speak.
//!
//! ```text
//! less, more       at least six pairs, an interval that excludes 1, and an estimate beyond the control's noise
//! level            at least six pairs, and neither interval nor noise reaches 5 %: such a difference would have shown
//! cannot be told   anything else: another measurement may find less, or more
//! ```
//!
//! So noise never decides in anybody's favour: where it is large nothing is level, and who loses is not known.

use serde::Serialize;

use crate::stats::{ENOUGH_PAIRS, Ratio};

/// A difference that has to be excluded before two are called level.
pub const LEVEL: f64 = 0.05;

/// Its words in JSON are those of the first comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    Less,
    More,
    /// It is 1, but for less than [`LEVEL`].
    #[serde(rename = "same")]
    Level,
    #[serde(rename = "unknown")]
    Untold,
}

impl Claim {
    /// What `ratio` shows, where the baseline differs from itself by `noise`.
    pub fn of(ratio: &Ratio, noise: Option<f64>) -> Self {
        let noise = noise.unwrap_or(0.0);
        let far = ratio.estimate.ln().abs() > noise.ln_1p();
        let is_narrow = ratio.high <= 1.0 + LEVEL && ratio.low >= 1.0 / (1.0 + LEVEL);
        match ratio {
            r if r.pairs < ENOUGH_PAIRS => Self::Untold,
            r if far && r.high < 1.0 => Self::Less,
            r if far && r.low > 1.0 => Self::More,
            _ if is_narrow && noise <= LEVEL => Self::Level,
            _ => Self::Untold,
        }
    }

    pub fn is_difference(self) -> bool {
        matches!(self, Self::Less | Self::More)
    }

    /// What stands behind a figure: nothing where there is a difference.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Less | Self::More => "",
            Self::Level => "=",
            Self::Untold => "?",
        }
    }
}

/// What the marks mean, for the lines above and below tables.
pub const MARKS: &str = "= level, ? cannot be told";

/// Those who may have the least: the one with the least estimate, and all who are not shown to have more than that one. Nobody
/// where that is everybody.
pub fn leaders<T: Copy>(all: &[(T, Ratio)], noise: Option<f64>) -> Vec<T> {
    let Some((_, least)) = all.iter().min_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate)) else {
        return Vec::new();
    };
    let may_lead = |ratio: &Ratio| Claim::of(&ratio.over(least), noise) != Claim::More;
    let leaders: Vec<T> = all.iter().filter(|one| may_lead(&one.1)).map(|one| one.0).collect();
    if leaders.len() < all.len() { leaders } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(low: f64, estimate: f64, high: f64) -> Ratio {
        Ratio { estimate, low, high, pairs: 9 }
    }

    #[test]
    fn a_claim_needs_rounds_an_interval_without_1_and_more_than_the_noise() {
        let of = |low, estimate, high, noise| Claim::of(&ratio(low, estimate, high), noise);
        assert_eq!(of(0.7, 0.8, 0.9, Some(0.1)), Claim::Less);
        assert_eq!(of(1.1, 1.3, 1.4, None), Claim::More);
        assert_eq!(of(0.7, 0.8, 0.9, Some(0.3)), Claim::Untold, "within the noise");
        assert_eq!(of(0.7, 0.8, 1.01, None), Claim::Untold, "the interval has 1 in it");
        for pairs in 1..ENOUGH_PAIRS {
            let few = Ratio { pairs, ..ratio(0.4, 0.5, 0.6) };
            assert_eq!(Claim::of(&few, None), Claim::Untold, "{pairs} rounds");
        }
    }

    #[test]
    fn level_needs_what_would_have_shown_a_difference() {
        let of = |low, high, noise| Claim::of(&ratio(low, 1.0, high), Some(noise));
        assert_eq!(of(0.97, 1.03, 0.02), Claim::Level);
        assert_eq!(of(0.97, 1.03, 0.08), Claim::Untold, "the noise hides 5 %");
        assert_eq!(of(0.9, 1.03, 0.02), Claim::Untold, "the interval has 10 % in it");
        assert_eq!(Claim::of(&Ratio { pairs: 3, ..ratio(0.99, 1.0, 1.01) }, None), Claim::Untold);
    }

    #[test]
    fn who_is_not_shown_to_have_more_may_have_the_least() {
        let of = |all: &[Ratio], noise| -> Vec<usize> {
            leaders(&all.iter().copied().enumerate().collect::<Vec<_>>(), noise)
        };
        let (least, near, far) =
            (ratio(0.48, 0.5, 0.52), ratio(0.5, 0.53, 0.56), ratio(0.68, 0.7, 0.72));
        assert_eq!(of(&[far, least, Ratio::EXACT], None), [1]);
        assert_eq!(of(&[far, least, near], None), [1, 2], "their intervals overlap");
        assert_eq!(of(&[far, least], Some(0.5)), [0; 0], "nobody is told from anybody");
        assert_eq!(of(&[least], None), [0; 0]);
        let few = Ratio { pairs: 3, ..least };
        assert_eq!(of(&[far, few, Ratio::EXACT], None), [0; 0], "three rounds");
        assert_eq!(of(&[far, Ratio::EXACT], None), [0]);
        assert_eq!(of(&[ratio(1.2, 1.3, 1.4), Ratio::EXACT], None), [1], "the baseline itself");
    }
}

//! Whether two measurements of one ratio agree.

use core::fmt;

use bench::stats::Ratio;

/// The widest interval that still says something: its upper end over its lower one.
pub(super) const WIDEST: f64 = 1.3;

/// What one tool says of a workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    /// The subject ÷ glibc.
    pub(super) ratio: Ratio,
    /// What glibc differs from itself.
    pub(super) noise: f64,
    /// The median of glibc.
    pub(super) glibc_seconds: f64,
}

impl Measured {
    /// The interval, widened by the noise floor.
    fn interval(&self) -> (f64, f64) {
        (self.ratio.low / (1.0 + self.noise), self.ratio.high * (1.0 + self.noise))
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ratio { estimate, low, high, .. } = self.ratio;
        write!(f, "{estimate:.3} [{low:.3}, {high:.3}] noise ±{:.1} %", 100.0 * self.noise)
    }
}

/// How far the interval of a thing's ratio to itself is from 1.
pub(super) fn floor(itself: &Ratio) -> f64 {
    (itself.high - 1.0).abs().max((1.0 - itself.low).abs())
}

/// What two measurements say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The intervals overlap.
    Agree,
    /// They do not.
    Disagree,
    /// One of them is too wide to say anything.
    TooWide,
}

impl Verdict {
    pub(super) fn of(a: &Measured, b: &Measured) -> Self {
        let (a, b) = (a.interval(), b.interval());
        if [a, b].iter().any(|(low, high)| high / low > WIDEST) {
            Self::TooWide
        } else if a.0 <= b.1 && b.0 <= a.1 {
            Self::Agree
        } else {
            Self::Disagree
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Agree => "yes",
            Self::Disagree => "no",
            Self::TooWide => "no: too wide",
        })
    }
}

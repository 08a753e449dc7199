//! Medians, and the ratio of two allocators with a paired bootstrap interval.
//!
//! Runs of one round happened next to each other, so they are compared in pairs: `d = ln(subject / baseline)` for
//! every round. The ratio is `exp(median d)`; its 95 % interval comes from resampling the rounds (Efron, 1979, the
//! percentile method). The median, because a run that the machine disturbed says nothing about the allocator.
//! Logarithms, because twice as fast and half as fast are the same distance.

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// Below this many pairs the extremes themselves are not yet a 95 % interval of the median: `1 - 2 / 2^n < 0.95`.
pub const ENOUGH_PAIRS: usize = 6;

/// Resamples for a figure that is printed.
pub const RESAMPLES: usize = 10_000;

/// A figure of each round; `None` where there is none.
pub type Column = Vec<Option<f64>>;

/// Resamples for the question "precise enough to stop?", asked after every round.
pub const RESAMPLES_QUICK: usize = 1_000;

/// The middle value, or the mean of the middle two; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    median_sorted(&sorted)
}

fn median_sorted(sorted: &[f64]) -> Option<f64> {
    let (low, high) = middle(sorted.len())?;
    Some(f64::midpoint(sorted[low], sorted[high]))
}

/// The places of the middle one or two of `n` sorted values.
fn middle(n: usize) -> Option<(usize, usize)> {
    (n > 0).then(|| ((n - 1) / 2, n / 2))
}

/// How a subject compares with the baseline: below 1 is less time, or less memory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// The median of the paired ratios.
    pub estimate: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end of the 95 % interval.
    pub high: f64,
    /// How many rounds had both runs.
    pub pairs: usize,
}

impl Ratio {
    /// The baseline's to itself.
    pub const EXACT: Self = Self { estimate: 1.0, low: 1.0, high: 1.0, pairs: usize::MAX };

    /// This one over another to the same baseline. The interval holds all that the two intervals allow, so it excludes 1 where they do
    /// not overlap.
    pub fn over(&self, other: &Self) -> Self {
        Self {
            estimate: self.estimate / other.estimate,
            low: self.low / other.high,
            high: self.high / other.low,
            pairs: self.pairs.min(other.pairs),
        }
    }

    /// This one beside a bound: below 1 it is kept.
    pub fn beside(&self, bound: f64) -> Self {
        let [estimate, low, high] = [self.estimate, self.low, self.high].map(|end| end / bound);
        Self { estimate, low, high, pairs: self.pairs }
    }

    /// Whether the interval includes 1: the two cannot be told apart.
    pub fn is_same(&self) -> bool {
        self.low <= 1.0 && 1.0 <= self.high
    }

    /// The farther end's distance from 1; of the control it is the noise: what the baseline differs by from itself.
    pub fn distance_from_1(&self) -> f64 {
        (self.high - 1.0).abs().max((1.0 - self.low).abs())
    }

    /// What its ends are: from few pairs not yet an interval.
    pub fn kind(&self) -> &'static str {
        if self.pairs < ENOUGH_PAIRS { "range" } else { "95 % interval" }
    }

    /// The larger distance from the estimate to an end of the interval, for `±`.
    pub fn margin(&self) -> f64 {
        (self.high - self.estimate).max(self.estimate - self.low)
    }

    /// Compares `subject` with `baseline`, entry by entry.
    ///
    /// A pair that lacks a run, or holds a zero (no logarithm), does not count; `None` when no pair is left. Cost:
    /// `resamples × pairs` random numbers.
    pub fn paired(
        subject: &[Option<f64>],
        baseline: &[Option<f64>],
        resamples: usize,
        seed: u64,
    ) -> Option<Self> {
        let logs = logs(subject, baseline);
        let estimate = median_sorted(&logs)?;
        let (mut rng, mut counts) = (Rng::with_seed(seed), Vec::new());
        let resampled = |_| resampled_median(&logs, &mut counts, &mut rng);
        let draws = (0..resamples.max(1)).map(resampled).collect();
        Some(Self::of_logarithms(estimate, draws, logs.len()))
    }

    /// From its logarithm, and those of resamples, of which there are some.
    pub(crate) fn of_logarithms(estimate: f64, mut draws: Vec<f64>, pairs: usize) -> Self {
        draws.sort_by(f64::total_cmp);
        // The 2.5 % and 97.5 % points.
        let (low, high) = (draws[draws.len() / 40], draws[draws.len() - 1 - draws.len() / 40]);
        let [low, high] = [low.min(estimate), high.max(estimate)].map(f64::exp);
        Self { estimate: estimate.exp(), low, high, pairs }
    }
}

/// What a workload with one pair says of the interval of a mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnePair {
    /// That it is unknown: the mean has one pair too. So for times.
    Unknown,
    /// Nothing, unless all have only one: the figure is taken in one pass, such as the memory of many processes.
    Exact,
}

/// The geometric mean of ratios over workloads, each given by its paired runs; the interval comes from resampling the
/// rounds of every workload by itself. The fewest pairs decide how far it can be trusted. `None` without a pair.
pub fn geometric_mean(
    pairs: &[(Column, Column)],
    one: OnePair,
    resamples: usize,
    seed: u64,
) -> Option<Ratio> {
    let all: Vec<Vec<f64>> =
        pairs.iter().map(|(s, b)| logs(s, b)).filter(|l| !l.is_empty()).collect();
    let count = all.len();
    if count == 0 {
        return None;
    }
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / count as f64;
    let estimate = mean(&mut all.iter().filter_map(|l| median_sorted(l)));
    let (mut rng, mut counts) = (Rng::with_seed(seed), Vec::new());
    let mut resampled =
        |_| mean(&mut all.iter().map(|l| resampled_median(l, &mut counts, &mut rng)));
    let draws = (0..resamples.max(1)).map(&mut resampled).collect();
    let pairs = all.iter().map(Vec::len);
    let counted = pairs.clone().filter(|n| *n > 1 || one == OnePair::Unknown);
    let pairs = counted.min().or(pairs.min()).unwrap_or(0);
    Some(Ratio::of_logarithms(estimate, draws, pairs))
}

/// The logarithms of the ratios of all pairs that have one, in order.
fn logs(subject: &[Option<f64>], baseline: &[Option<f64>]) -> Vec<f64> {
    let mut logs: Vec<f64> = subject
        .iter()
        .zip(baseline)
        .filter_map(|(s, b)| match (*s, *b) {
            (Some(s), Some(b)) if s > 0.0 && b > 0.0 => Some((s / b).ln()),
            _ => None,
        })
        .collect();
    logs.sort_by(f64::total_cmp);
    logs
}

/// The median of as many values, drawn with repetition. They are in order, so it is found from how often each is drawn, without
/// comparing values.
pub(crate) fn resampled_median(sorted: &[f64], counts: &mut Vec<usize>, rng: &mut Rng) -> f64 {
    let Some((low, high)) = middle(sorted.len()) else { return f64::NAN };
    counts.clear();
    counts.resize(sorted.len(), 0);
    for _ in 0..sorted.len() {
        counts[rng.usize(..sorted.len())] += 1;
    }
    let (mut lower, mut drawn) = (0, counts[0]);
    while drawn <= low {
        lower += 1;
        drawn += counts[lower];
    }
    let mut upper = lower;
    while drawn <= high {
        upper += 1;
        drawn += counts[upper];
    }
    f64::midpoint(sorted[lower], sorted[upper])
}

#[cfg(test)]
mod tests;

//! What one pass saw, brought into the form of the result.

use std::collections::BTreeMap;

use crate::definition::Curve;
use crate::metrics::Metrics;
use crate::result::{Cell, Series, Tail, Value};
use crate::session::Details;
use crate::stats::median;

const POINTS: usize = 400;

/// Resident bytes over time, as the mean of the samples weighted by how long each was true.
pub(super) fn mean_rss(details: &Details) -> Option<f64> {
    let (first, last) = (details.samples.first()?, details.samples.last()?);
    if details.samples.len() < 3 || last.ns <= first.ns {
        return None;
    }
    let area: f64 = details
        .samples
        .windows(2)
        .map(|w| {
            (w[1].ns - w[0].ns) as f64 * f64::midpoint(w[0].rss_bytes as f64, w[1].rss_bytes as f64)
        })
        .sum();
    Some(area / (last.ns - first.ns) as f64)
}

/// Seconds and resident bytes; of neighbours that have to be left out the largest stays.
pub(super) fn rss(details: &Details) -> Vec<(f64, f64)> {
    let step = details.samples.len().div_ceil(POINTS).max(1);
    let largest = |chunk: &[crate::measured::Sample]| {
        chunk.iter().max_by_key(|s| s.rss_bytes).map(|s| (s.ns as f64 / 1e9, s.rss_bytes as f64))
    };
    details.samples.chunks(step).filter_map(largest).collect()
}

/// Seconds and bytes asked for, on the same time axis.
pub(super) fn live(details: &Details) -> Vec<(f64, f64)> {
    let Some(metrics) = &details.memory else { return Vec::new() };
    let step = metrics.live.len().div_ceil(POINTS).max(1);
    let since = |at: u64| at.saturating_sub(details.began_ns) as f64 / 1e9;
    metrics.live.iter().step_by(step).map(|&(at, bytes)| (since(at), bytes as f64)).collect()
}

/// Single calls, of the run in which they were timed; and what the other runs counted themselves, of all of them together.
pub(super) fn tails(timed: Option<&Metrics>, runs: &[Metrics]) -> Vec<Tail> {
    let is_timed = |call: &str| timed.is_some_and(|t| t.histogram.iter().any(|bin| bin.0 == call));
    let own = || timed.into_iter().flat_map(|t| &t.histogram);
    let counted = runs.iter().flat_map(|run| &run.histogram).filter(|bin| !is_timed(&bin.0));
    let mut calls: BTreeMap<&str, Bins> = BTreeMap::new();
    for (call, ns, count) in own().chain(counted) {
        calls.entry(call).or_default().push((*ns, *count));
    }
    // malloc before free.
    let tails = calls.into_iter().rev().filter_map(|(call, bins)| tail(call, bins));
    tails.map(|tail| beside(tail, timed, runs)).collect()
}

/// With what else is known of these calls.
fn beside(tail: Tail, timed: Option<&Metrics>, runs: &[Metrics]) -> Tail {
    let slowest = timed.and_then(|t| t.slowest.iter().find(|s| s.0 == tail.call));
    let mut limits = timed.into_iter().chain(runs).flat_map(|run| &run.limits);
    let limit_ns = limits.find(|limit| limit.0 == tail.call).map(|limit| limit.1);
    Tail { slowest_after: slowest.map(|s| s.2), limit_ns, ..tail }
}

/// Single calls by size: curves of what half of them took at most, and of the longest.
pub(super) fn by_size(timed: &Metrics) -> Vec<Series> {
    let mut calls: BTreeMap<&str, BTreeMap<u64, Bins>> = BTreeMap::new();
    for (call, size, ns, count) in &timed.sized {
        calls.entry(call).or_default().entry(*size).or_default().push((*ns, *count));
    }
    let mut all = Vec::new();
    for (call, sizes) in calls.into_iter().rev() {
        let tails: Vec<(f64, Tail)> = sizes
            .into_iter()
            .filter_map(|(size, bins)| Some((size as f64, tail(call, bins)?)))
            .collect();
        for (what, of) in BY_SIZE {
            let points = tails.iter().map(|(size, tail)| (*size, of(tail))).collect();
            all.push(Series { name: format!("{what} {call} by size"), points });
        }
    }
    all
}

/// A figure of calls.
type Figure = fn(&Tail) -> f64;

/// What is shown by size.
const BY_SIZE: [(&str, Figure); 2] =
    [("median", |tail| tail.p50_ns), ("longest", |tail| tail.max_ns)];

/// What the points of these curves mean.
pub(super) fn curves_by_size(cells: &[Cell]) -> impl Iterator<Item = (String, Curve)> + use<'_> {
    let names = cells.iter().flat_map(|cell| &cell.series).map(|series| &series.name);
    let is_ours = |name: &&String| name.ends_with(" by size");
    let curve = || Curve {
        x: "bytes".to_owned(),
        y: "nanoseconds".to_owned(),
        x_log: true,
        y_log: true,
        ..Curve::default()
    };
    names.filter(is_ours).map(move |name| (name.clone(), curve()))
}

/// Nanoseconds at most, and how many calls.
type Bins = Vec<(f64, u64)>;

fn tail(call: &str, mut bins: Bins) -> Option<Tail> {
    bins.sort_by(|a, b| a.0.total_cmp(&b.0));
    let calls: u64 = bins.iter().map(|b| b.1).sum();
    let max_ns = bins.last()?.0;
    let mut below = 0;
    let mut curve: Vec<(f64, f64)> = Vec::new();
    for (ns, count) in bins {
        below += count;
        // Of several runs there are several bins of one end.
        curve.pop_if(|last| last.0 >= ns);
        curve.push((ns, (calls - below) as f64 / calls as f64));
    }
    let within = |share: f64| curve.iter().find(|p| p.1 <= 1.0 - share).map_or(max_ns, |p| p.0);
    let (p50_ns, p99_ns, p999_ns) = (within(0.5), within(0.99), within(0.999));
    let (call, slowest_after, limit_ns) = (call.to_owned(), None, None);
    Some(Tail { call, calls, p50_ns, p99_ns, p999_ns, max_ns, slowest_after, curve, limit_ns })
}

/// The curves: at every x the median of the runs.
pub(super) fn series(runs: &[Metrics]) -> Vec<Series> {
    let mut order: Vec<&str> = Vec::new();
    let mut all: BTreeMap<(&str, u64), Vec<f64>> = BTreeMap::new();
    for (name, x, y) in runs.iter().flat_map(|t| &t.points) {
        if !order.contains(&name.as_str()) {
            order.push(name);
        }
        // Positive numbers are in the order of their bits.
        all.entry((name, x.max(0.0).to_bits())).or_default().push(*y);
    }
    let points = |name: &str| {
        let of_series = all.iter().filter(|((n, _), _)| *n == name);
        of_series.filter_map(|((_, x), ys)| Some((f64::from_bits(*x), median(ys)?))).collect()
    };
    order.iter().map(|name| Series { name: (*name).to_owned(), points: points(name) }).collect()
}

/// Other figures of the runs, and those that only the run prints whose calls were timed.
pub(super) fn values(timed: Option<&Metrics>, runs: &[Metrics]) -> Vec<Value> {
    let mut all: Vec<(&str, &str, Vec<f64>)> = Vec::new();
    for (name, value, unit) in runs.iter().flat_map(|t| &t.values) {
        match all.iter_mut().find(|(n, ..)| n == name) {
            Some((.., values)) => values.push(*value),
            None => all.push((name, unit, vec![*value])),
        }
    }
    for (name, value, unit) in timed.iter().flat_map(|t| &t.values) {
        if !all.iter().any(|(n, ..)| n == name) {
            all.push((name, unit, vec![*value]));
        }
    }
    let value = |(name, unit, values): (&str, &str, Vec<f64>)| {
        Some(Value { name: name.to_owned(), value: median(&values)?, unit: unit.to_owned() })
    };
    all.into_iter().filter_map(value).collect()
}

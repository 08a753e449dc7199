//! What one pass saw, brought into the form of the result.

use std::collections::BTreeMap;

use crate::metrics::Metrics;
use crate::result::{Series, Tail, Value};
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

pub(super) fn tails(metrics: &Metrics) -> Vec<Tail> {
    let mut calls: BTreeMap<&str, Vec<(f64, u64)>> = BTreeMap::new();
    for (call, ns, count) in &metrics.histogram {
        calls.entry(call).or_default().push((*ns, *count));
    }
    // malloc before free.
    let slowest_after = |call: &str| metrics.slowest.iter().find(|s| s.0 == call).map(|s| s.2);
    let tails = calls.into_iter().rev().filter_map(|(call, bins)| tail(call, bins));
    tails.map(|tail| Tail { slowest_after: slowest_after(&tail.call), ..tail }).collect()
}

fn tail(call: &str, mut bins: Vec<(f64, u64)>) -> Option<Tail> {
    bins.sort_by(|a, b| a.0.total_cmp(&b.0));
    let calls: u64 = bins.iter().map(|b| b.1).sum();
    let max_ns = bins.last()?.0;
    let mut below = 0;
    let curve: Vec<(f64, f64)> = bins
        .iter()
        .map(|&(ns, count)| {
            below += count;
            (ns, (calls - below) as f64 / calls as f64)
        })
        .collect();
    let within = |share: f64| curve.iter().find(|p| p.1 <= 1.0 - share).map_or(max_ns, |p| p.0);
    let (p50_ns, p99_ns, p999_ns) = (within(0.5), within(0.99), within(0.999));
    let call = call.to_owned();
    Some(Tail { call, calls, p50_ns, p99_ns, p999_ns, max_ns, slowest_after: None, curve })
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

pub(super) fn values(runs: &[Metrics]) -> Vec<Value> {
    let mut all: Vec<(&str, &str, Vec<f64>)> = Vec::new();
    for (name, value, unit) in runs.iter().flat_map(|t| &t.values) {
        match all.iter_mut().find(|(n, ..)| n == name) {
            Some((.., values)) => values.push(*value),
            None => all.push((name, unit, vec![*value])),
        }
    }
    let value = |(name, unit, values): (&str, &str, Vec<f64>)| {
        Some(Value { name: name.to_owned(), value: median(&values)?, unit: unit.to_owned() })
    };
    all.into_iter().filter_map(value).collect()
}

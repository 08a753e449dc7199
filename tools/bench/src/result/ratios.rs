//! The ratios of a report, as `--fail-if` judges them.

use super::Report;
use crate::fail_if::{Metric, Named};
use crate::session::Role;
use crate::stats::Ratio;

impl Report {
    /// Every ratio to the baseline that somebody may want judged: of the contenders, by workload and over all.
    pub fn ratios(&self) -> Vec<Named> {
        let mut all = Vec::new();
        for (at, entry) in self.allocators.iter().enumerate() {
            if entry.role != Role::Contender {
                continue;
            }
            let mut push = |workload: Option<&str>, metric, ratio: Option<Ratio>| {
                all.extend(ratio.map(|ratio| Named {
                    workload: workload.map(str::to_owned),
                    allocator: entry.name.clone(),
                    metric,
                    ratio,
                }));
            };
            for metric in Metric::all() {
                push(None, metric, self.overall.get(at).and_then(|o| metric.mean(o)));
            }
            for work in &self.workloads {
                let Some(cell) = work.cells.get(at) else { continue };
                // To refuse memory is quick, and saves memory; so is to do less.
                if !cell.counts() {
                    continue;
                }
                for metric in Metric::all() {
                    push(Some(&work.name), metric, metric.of(cell).and_then(|c| c.ratio));
                }
            }
        }
        all
    }
}

//! The ratios of a report, as `--fail-if` judges them.

use super::{Cell, Report};
use crate::fail_if::{Metric, Named};
use crate::session::Role;
use crate::stats::Ratio;

impl Report {
    /// Every ratio to the baseline that somebody may want judged: of the contenders, by workload and over all.
    #[must_use]
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
            if let Some(overall) = self.overall.get(at) {
                push(None, Metric::Time, overall.time);
                push(None, Metric::Memory, overall.peak_rss);
                push(None, Metric::Ns, overall.ns);
                push(None, Metric::Cpu, overall.cpu);
            }
            for work in &self.workloads {
                let Some(cell) = work.cells.get(at) else { continue };
                // Refusing memory is quick, and saves memory.
                if cell.refused > 0 {
                    continue;
                }
                for metric in Metric::ALL {
                    push(Some(&work.name), metric, of(cell, metric));
                }
            }
        }
        all
    }
}

fn of(cell: &Cell, metric: Metric) -> Option<Ratio> {
    let compared = match metric {
        Metric::Time => cell.time,
        Metric::Memory => cell.peak_rss,
        Metric::Ns => cell.ns,
        Metric::Cpu => cell.cpu,
    };
    compared.and_then(|c| c.ratio)
}

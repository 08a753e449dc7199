//! Who has the least of a figure in a workload: those that the terminal's table and the page mark with `*`.

use super::{Cell, Compared, Report};
use crate::fail_if::Metric;
use crate::session::{Role, SubjectIndex, WorkloadIndex};

impl Report {
    /// The allocators with the least of `metric` in workload `work`: the one with the lowest figure, and all that the
    /// noise of the workload does not tell apart from it. Nobody where only one has a figure, where all have the least, and
    /// where one round is all there is.
    #[must_use]
    pub fn best(&self, work: WorkloadIndex, metric: Metric) -> Vec<SubjectIndex> {
        let Some(work) = self.workloads.get(work.0) else { return Vec::new() };
        let mut scores = Vec::new();
        let cells = self.allocators.iter().zip(&work.cells);
        for (at, (entry, cell)) in self.subject_indices().zip(cells) {
            let takes_part = matches!(entry.role, Role::Baseline | Role::Contender);
            if !takes_part || cell.failure.is_some() || cell.refused > 0 {
                continue;
            }
            let Some(figure) = of(cell, metric) else { continue };
            let score = match (entry.role, figure.ratio) {
                (Role::Baseline, _) => 1.0,
                (_, Some(ratio)) if ratio.pairs < 2 && metric != Metric::Memory => {
                    return Vec::new();
                }
                (_, Some(ratio)) => ratio.estimate,
                (_, None) => continue,
            };
            scores.push((at, score));
        }
        let least = scores.iter().map(|s| s.1).fold(f64::INFINITY, f64::min);
        let control = self.allocators.iter().position(|e| e.role == Role::Control);
        let control = control.and_then(|at| of(work.cells.get(at)?, metric)?.ratio);
        let noise = control.map_or(0.0, |ratio| ratio.distance_from_1());
        let is_best = |score: f64| (score / least).ln() <= noise.ln_1p();
        let best: Vec<SubjectIndex> = scores.iter().filter(|s| is_best(s.1)).map(|s| s.0).collect();
        if best.len() < scores.len() { best } else { Vec::new() }
    }
}

fn of(cell: &Cell, metric: Metric) -> Option<Compared> {
    match metric {
        Metric::Time => cell.time,
        Metric::Memory => cell.peak_rss,
        Metric::Ns => cell.ns,
        Metric::Cpu => cell.cpu,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Ratio;
    use crate::testing::{entry, report, work};

    const NOBODY: [usize; 0] = [];

    #[test]
    fn all_within_the_noise_of_the_least_have_it() {
        let best = |ratios: &[f64], noise: f64, pairs| {
            let timed = |ratio| Cell {
                time: Some(Compared { median: 1.0, ratio, same: false }),
                ..Cell::default()
            };
            let of = |estimate: f64, margin: f64| {
                let (low, high) = (estimate - margin, estimate + margin);
                timed(Some(Ratio { estimate, low, high, pairs }))
            };
            let mut entries = vec![entry("glibc", Role::Baseline), entry("again", Role::Control)];
            let mut cells = vec![timed(None), of(1.0, noise)];
            for &ratio in ratios {
                entries.push(entry("x", Role::Contender));
                cells.push(of(ratio, 0.001));
            }
            let report = report(entries, vec![work("w", 9, cells)], Vec::new());
            let best = report.best(WorkloadIndex(0), Metric::Time);
            best.iter().map(|s| s.0).collect::<Vec<_>>()
        };
        assert_eq!(best(&[0.5, 0.7], 0.01, 9), [2]);
        assert_eq!(best(&[0.5, 0.503], 0.01, 9), [2, 3]);
        assert_eq!(best(&[1.5], 0.01, 9), [0]);
        assert_eq!(best(&[0.99], 0.05, 9), NOBODY, "nobody is told from anybody");
        assert_eq!(best(&[0.5], 0.01, 1), NOBODY, "one round");
        assert_eq!(best(&[], 0.01, 9), NOBODY);
    }
}

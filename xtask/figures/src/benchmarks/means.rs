//! The real programs of a result as a result of their own, with means over them alone.

use bench::definition::Group;
use bench::result::{Cell, Compared, Overall, Report, Work};
use bench::session::Role;
use bench::stats::Ratio;

use super::tables::contestants;

/// The same result without what is no real program.
pub(super) fn real(report: &Report) -> Report {
    only(report, |work| work.group == Group::Real)
}

/// The same result with some of its workloads.
pub(super) fn only(report: &Report, which: impl Fn(&Work) -> bool) -> Report {
    of(report, report.workloads.iter().filter(|work| which(work)).cloned().collect())
}

/// The same result over other workloads. Single runs are left out, as they name workloads by their places.
fn of(report: &Report, workloads: Vec<Work>) -> Report {
    let overall = (0..report.allocators.len()).map(|at| overall(report, &workloads, at)).collect();
    let mut part = Report { workloads, overall, runs: Vec::new(), ..report.clone() };
    mark_pareto(&mut part);
    part
}

fn overall(report: &Report, workloads: &[Work], at: usize) -> Overall {
    let is_baseline = report.allocators.get(at).is_some_and(|e| e.role == Role::Baseline);
    let cells: Vec<&Cell> =
        workloads.iter().filter_map(|work| work.cells.get(at).filter(|c| c.counts())).collect();
    let figure = |of: fn(&Cell) -> Option<Compared>| {
        if is_baseline {
            return Some(Ratio { estimate: 1.0, low: 1.0, high: 1.0, pairs: cells.len() });
        }
        mean(&cells.iter().filter_map(|cell| of(cell)?.ratio).collect::<Vec<_>>())
    };
    Overall {
        workloads: cells.len(),
        time: figure(|cell| cell.time),
        peak_rss: figure(|cell| cell.peak_rss),
        ..Overall::default()
    }
}

/// The geometric mean of ratios that were measured independently: by logarithms, half the width of the mean's interval is
/// the root of the sum of their squares, over their number.
fn mean(ratios: &[Ratio]) -> Option<Ratio> {
    let count = ratios.len() as f64;
    let fewest = ratios.iter().map(|r| r.pairs).filter(|pairs| *pairs > 1).min();
    let pairs = fewest.or_else(|| ratios.iter().map(|r| r.pairs).min())?;
    let estimate = ratios.iter().map(|r| r.estimate.ln()).sum::<f64>() / count;
    let half = |end: fn(&Ratio) -> f64| {
        let squares = ratios.iter().map(|r| (end(r) / r.estimate).ln().powi(2));
        squares.sum::<f64>().sqrt() / count
    };
    let (low, high) = (half(|r| r.low), half(|r| r.high));
    Some(Ratio {
        estimate: estimate.exp(),
        low: (estimate - low).exp(),
        high: (estimate + high).exp(),
        pairs,
    })
}

/// Those that nobody beats in both time and memory, of those that ended as many workloads as any.
fn mark_pareto(report: &mut Report) {
    let most = report.overall.iter().map(|overall| overall.workloads).max();
    let who: Vec<usize> = contestants(report)
        .map(|(at, _)| at)
        .filter(|at| report.overall.get(*at).map(|o| o.workloads) == most)
        .collect();
    Overall::mark_pareto(&mut report.overall, who.into_iter());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the bench computed from the runs themselves.
    #[test]
    fn means_over_all_workloads_are_those_of_the_record() {
        let record = super::super::record::ours();
        let own = of(&record.report, record.report.workloads.clone());
        for (at, entry) in contestants(&record.report) {
            let (mine, theirs) = (&own.overall[at], &record.report.overall[at]);
            assert_eq!(mine.workloads, theirs.workloads, "{}", entry.name);
            assert_eq!(mine.is_pareto, theirs.is_pareto, "{}", entry.name);
            for (mine, theirs) in [(mine.time, theirs.time), (mine.peak_rss, theirs.peak_rss)] {
                let (mine, theirs) = (mine.unwrap(), theirs.unwrap());
                assert!(
                    (mine.estimate / theirs.estimate - 1.0).abs() < 0.001,
                    "{mine:?} {theirs:?}"
                );
                assert!((mine.low - theirs.low).abs() < 0.01, "{mine:?} {theirs:?}");
                assert!((mine.high - theirs.high).abs() < 0.01, "{mine:?} {theirs:?}");
            }
        }
    }
}

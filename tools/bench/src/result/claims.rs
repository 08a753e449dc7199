//! What a result shows: of each figure beside the baseline's, and who has the least. All that stars, titles, tables and pages say
//! of it is asked here, and decided by [`crate::claim`].

use super::{Cell, Compared, Overall, Report, Work};
use crate::claim::{Claim, LEVEL, leaders};
use crate::fail_if::{Metric, Named};
use crate::session::{Role, SubjectIndex, WorkloadIndex};
use crate::stats::Ratio;

impl Metric {
    pub fn of(self, cell: &Cell) -> Option<Compared> {
        match self {
            Self::Time => cell.time,
            Self::Memory => cell.peak_rss,
            Self::Ns => cell.ns,
            Self::Cpu => cell.cpu,
            counted => cell.counted.get(&counted).map(|count| count.compared),
        }
    }

    pub fn mean(self, overall: &Overall) -> Option<Ratio> {
        match self {
            Self::Time => overall.time,
            Self::Memory => overall.peak_rss,
            Self::Ns => overall.ns,
            Self::Cpu => overall.cpu,
            counted => overall.counted.get(&counted).copied(),
        }
    }
}

impl Cell {
    /// Whether its figures are of the work that was to be done: to fail or to refuse memory is quick, and so is to do less.
    pub fn counts(&self) -> bool {
        self.failure.is_none() && self.refused == 0 && self.other_work.is_none()
    }
}

impl Report {
    /// The baseline and the contenders, in their order.
    pub fn contestants(&self) -> impl Iterator<Item = SubjectIndex> + '_ {
        self.subject_indices()
            .filter(|who| matches!(self.allocators[*who].role, Role::Baseline | Role::Contender))
    }

    /// A figure beside the baseline's, which is [`Ratio::EXACT`]; `None` where it does not count.
    pub fn ratio(&self, work: WorkloadIndex, who: SubjectIndex, metric: Metric) -> Option<Ratio> {
        let figure =
            self.cell(work, who).filter(|cell| cell.counts()).and_then(|c| metric.of(c))?;
        match self.allocators.get(who.0)?.role {
            Role::Baseline => Some(Ratio::EXACT),
            _ => figure.ratio.filter(|ratio| ratio.estimate.is_finite()),
        }
    }

    /// What the baseline differs from itself by in a workload.
    pub fn noise(&self, work: WorkloadIndex, metric: Metric) -> Option<f64> {
        Some(self.ratio(work, self.control()?, metric)?.distance_from_1())
    }

    /// What a figure shows beside the baseline's.
    pub fn claim(&self, work: WorkloadIndex, who: SubjectIndex, metric: Metric) -> Option<Claim> {
        let ratio = self.ratio(work, who, metric).filter(|_| who != self.baseline())?;
        // It is not beyond itself.
        let noise = self.noise(work, metric).filter(|_| Some(who) != self.control());
        Some(Claim::of(&ratio, noise))
    }

    pub fn best(&self, work: WorkloadIndex, metric: Metric) -> Vec<SubjectIndex> {
        let ratio = |who| Some((who, self.ratio(work, who, metric)?));
        let all: Vec<_> = self.contestants().filter_map(ratio).collect();
        leaders(&all, self.noise(work, metric))
    }

    /// Each allocator over all workloads; nobody where some that were asked for were left out, as the mean would be one over
    /// others.
    pub fn means(&self) -> &[Overall] {
        if self.left_out.is_empty() { &self.overall } else { &[] }
    }

    /// The mean over all workloads beside the baseline's; `None` of who did not end all that others did.
    pub fn mean(&self, who: SubjectIndex, metric: Metric) -> Option<Ratio> {
        let means = self.means();
        let most = self.contestants().filter_map(|who| means.get(who.0)).map(|o| o.workloads).max();
        let mean = means.get(who.0).filter(|o| o.workloads > 0 && Some(o.workloads) == most)?;
        match self.allocators.get(who.0)?.role {
            Role::Baseline => Some(Ratio::EXACT),
            _ => metric.mean(mean).filter(|ratio| ratio.estimate.is_finite()),
        }
    }

    /// What the baseline differs from itself by in the mean.
    pub fn mean_noise(&self, metric: Metric) -> Option<f64> {
        Some(metric.mean(self.means().get(self.control()?.0)?)?.distance_from_1())
    }

    /// What the baseline's time differs from itself by in the middle workload; `None` where no workload has a time.
    pub fn middle_noise(&self) -> Option<f64> {
        let mut floors: Vec<f64> = self.workloads.iter().filter_map(|w| w.noise_floor).collect();
        floors.sort_by(f64::total_cmp);
        floors.get(floors.len() / 2).copied()
    }

    /// Whether that is so much that nothing is claimed of time over all workloads.
    pub fn is_noisy(&self) -> bool {
        self.middle_noise().is_some_and(|noise| noise > LEVEL)
    }

    /// The allocators that may have the least of `metric` over all workloads; of time nobody, where [`Self::is_noisy`].
    pub fn best_mean(&self, metric: Metric) -> Vec<SubjectIndex> {
        if metric == Metric::Time && self.is_noisy() {
            return Vec::new();
        }
        let mean = |who| Some((who, self.mean(who, metric)?));
        let all: Vec<_> = self.contestants().filter_map(mean).collect();
        leaders(&all, self.mean_noise(metric))
    }

    /// Every ratio to the baseline that `--fail-if` may judge: of the contenders, over all and by workload.
    pub fn ratios(&self) -> Vec<Named> {
        let mut all = Vec::new();
        let is_contender = |who: &SubjectIndex| self.allocators[*who].role == Role::Contender;
        for who in self.subject_indices().filter(is_contender) {
            let mut push = |work: Option<&Work>, metric, ratio: Option<Ratio>| {
                all.extend(ratio.map(|ratio| Named {
                    workload: work.map(|work| work.name.clone()),
                    allocator: self.allocators[who].name.clone(),
                    metric,
                    ratio,
                }));
            };
            for metric in Metric::all() {
                push(None, metric, self.overall.get(who.0).and_then(|o| metric.mean(o)));
            }
            for (work, w) in self.workloads.iter().zip(self.workload_indices()) {
                Metric::all()
                    .for_each(|metric| push(Some(work), metric, self.ratio(w, who, metric)));
            }
        }
        all
    }

    fn control(&self) -> Option<SubjectIndex> {
        self.allocators.iter().position(|e| e.role == Role::Control).map(SubjectIndex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{entry, report, work};

    /// A workload on glibc, its control with that noise, and allocators with these ratios of time.
    fn of(ratios: &[f64], noise: f64, pairs: usize) -> Report {
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
        report(entries, vec![work("w", 9, cells)], Vec::new())
    }

    fn best(report: &Report) -> Vec<usize> {
        report.best(WorkloadIndex(0), Metric::Time).iter().map(|who| who.0).collect()
    }

    #[test]
    fn who_is_within_the_noise_of_the_least_may_have_it() {
        assert_eq!(best(&of(&[0.5, 0.7], 0.01, 9)), [2]);
        assert_eq!(best(&of(&[0.5, 0.503], 0.01, 9)), [2, 3]);
        assert_eq!(best(&of(&[1.5], 0.01, 9)), [0]);
        assert!(best(&of(&[0.99], 0.05, 9)).is_empty(), "nobody is told from anybody");
        assert!(best(&of(&[0.5], 0.01, 5)).is_empty(), "five rounds");
        assert!(best(&of(&[], 0.01, 9)).is_empty());
    }

    #[test]
    fn other_work_is_not_compared() {
        let mut report = of(&[0.1, 0.7], 0.01, 9);
        report.workloads[0].cells[2].other_work = Some(0.02);
        assert_eq!(best(&report), [3]);
        assert_eq!(report.ratio(WorkloadIndex(0), SubjectIndex(2), Metric::Time), None);
        assert_eq!(report.claim(WorkloadIndex(0), SubjectIndex(2), Metric::Time), None);
    }

    #[test]
    fn a_mean_without_what_was_left_out_is_none() {
        let mut report = of(&[0.5], 0.01, 9);
        let mean = |estimate| Overall {
            workloads: 1,
            time: Some(Ratio { estimate, low: estimate, high: estimate, pairs: 9 }),
            ..Overall::default()
        };
        report.overall = vec![mean(1.0), mean(1.0), mean(0.5)];
        assert_eq!(report.best_mean(Metric::Time), [SubjectIndex(2)]);
        report.workloads[0].noise_floor = Some(0.16);
        assert!(report.best_mean(Metric::Time).is_empty(), "too noisy for a claim over all");
        report.workloads[0].noise_floor = Some(0.04);
        assert_eq!(report.best_mean(Metric::Time), [SubjectIndex(2)]);
        report.left_out = vec!["redis".to_owned()];
        assert!(report.best_mean(Metric::Time).is_empty() && report.means().is_empty());
    }
}

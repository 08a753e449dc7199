//! The figures of two results, resampled.

use fastrand::Rng;

use crate::fail_if::Metric;
use crate::result::{Cell, Count, Report};
use crate::session::{
    Run, SubjectIndex, WorkloadIndex, column, counts_starved, cpu_seconds, reported_seconds, timed,
    wall_seconds,
};
use crate::stats::{Column, Ratio, median, resampled_median};
use crate::summary::{is_same_work, ns_per_call};

pub const DRAWS: usize = 4_000;

/// The largest process alone is not the whole, where all together have this many times as much.
const TOGETHER: f64 = 1.1;

#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    report: &'a Report,
}

impl<'a> Side<'a> {
    pub fn new(report: &'a Report) -> Self {
        Self { report }
    }

    pub fn allocator(&self, name: &str) -> Option<SubjectIndex> {
        self.report.allocators.iter().position(|e| e.name == name).map(SubjectIndex)
    }

    pub fn version(&self, name: &str) -> Option<String> {
        self.report.allocators[self.allocator(name)?].version.clone()
    }

    fn workload(&self, name: &str) -> Option<WorkloadIndex> {
        self.report.workloads.iter().position(|w| w.name == name).map(WorkloadIndex)
    }

    fn cell(&self, workload: &str, allocator: &str) -> Option<&'a Cell> {
        self.report.cell(self.workload(workload)?, self.allocator(allocator)?)
    }

    /// Whether most runs of a workload did not get their processors.
    pub fn is_starved(&self, workload: &str) -> bool {
        self.workload(workload).is_some_and(|w| self.counts_starved(w))
    }

    fn counts_starved(&self, w: WorkloadIndex) -> bool {
        counts_starved(&self.report.runs, w, self.report.subject_indices())
    }

    fn is_by_part(&self, workload: &str) -> bool {
        self.workload(workload).is_some_and(|w| self.report.workloads[w].is_by_part())
    }

    /// A figure of every round that counts.
    fn column(&self, workload: &str, allocator: &str, metric: Metric) -> Column {
        let Some((w, a)) = self.workload(workload).zip(self.allocator(allocator)) else {
            return Vec::new();
        };
        let by_part = self.report.workloads[w].is_by_part();
        let figure = |run: &Run| figure(run, metric, by_part).filter(|v| *v > 0.0);
        column(timed(&self.report.runs, w, a), self.counts_starved(w), figure)
    }
}

fn figure(run: &Run, metric: Metric, by_part: bool) -> Option<f64> {
    let figures = &run.figures;
    match metric {
        Metric::Time if by_part => reported_seconds(run),
        Metric::Time => wall_seconds(run),
        Metric::Memory => Some(figures.peak_rss_bytes as f64),
        Metric::Cpu => cpu_seconds(run),
        Metric::Instructions | Metric::D1 | Metric::Ll | Metric::Faults | Metric::Calls => None,
        Metric::Ns => ns_per_call(run),
    }
}

/// The logarithm of a ratio, and what it might have been.
#[derive(Debug, Clone)]
pub struct Drawn {
    estimate: f64,
    draws: Vec<f64>,
    runs: usize,
}

impl Drawn {
    /// The difference of the medians of two samples of logarithms, each resampled by itself.
    fn difference(old: &[f64], new: &[f64], rng: &mut Rng) -> Option<Self> {
        let estimate = median(new)? - median(old)?;
        let [old, new] = [old, new].map(|values| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted
        });
        let mut counts = Vec::new();
        let mut draw = |sorted: &[f64]| resampled_median(sorted, &mut counts, rng);
        let draws = (0..DRAWS).map(|_| draw(&new) - draw(&old)).collect();
        Some(Self { estimate, draws, runs: old.len().min(new.len()) })
    }

    fn single(old: f64, new: f64) -> Self {
        let estimate = (new / old).ln();
        Self { estimate, draws: vec![estimate], runs: 1 }
    }

    /// Of two counts: as far as two counts of the same may differ.
    fn counted(old: &Count, new: &Count) -> Option<Self> {
        let Ratio { estimate, low, high, pairs } = new.over(old)?;
        let ends = [low.ln(), high.ln()];
        let draws = (0..DRAWS).map(|draw| ends[draw % 2]).collect();
        Some(Self { estimate: estimate.ln(), draws, runs: pairs })
    }

    /// The geometric mean; `None` of nothing.
    pub fn mean<'a>(all: impl Iterator<Item = &'a Self>) -> Option<Self> {
        let all: Vec<&Self> = all.collect();
        let share = 1.0 / all.len() as f64;
        let mean = |of: &dyn Fn(&Self) -> f64| all.iter().map(|d| of(d) * share).sum::<f64>();
        let runs = all.iter().map(|d| d.runs);
        // Single figures do not vary.
        let draw = |i: usize| mean(&|d| d.draws.get(i).copied().unwrap_or(d.estimate));
        Some(Self {
            runs: runs.clone().filter(|n| *n > 1).min().or(runs.min())?,
            estimate: mean(&|d| d.estimate),
            draws: (0..DRAWS).map(draw).collect(),
        })
    }

    /// The ratio with its interval of 95 %.
    pub fn ratio(&self) -> Ratio {
        Ratio::of_logarithms(self.estimate, self.draws.clone(), self.runs)
    }
}

/// What two results say of one workload on one allocator.
#[derive(Debug, Clone, Copy)]
pub struct Pair<'a> {
    /// The one that is divided by.
    pub old: &'a Side<'a>,
    pub new: &'a Side<'a>,
    pub workload: &'a str,
    pub allocator: &'a str,
}

impl<'a> Pair<'a> {
    fn sides(&self) -> [&'a Side<'a>; 2] {
        [self.old, self.new]
    }

    fn cells(&self) -> [Option<&'a Cell>; 2] {
        self.sides().map(|side| side.cell(self.workload, self.allocator))
    }

    /// What is compared as `metric`: where either machine was too busy for the wall clock, the processor time of both; where only
    /// one of the versions that measured takes the time of the measured part, a call's time, which both have.
    fn alike(&self, metric: Metric) -> Metric {
        let [old, new] = self.sides().map(|side| side.is_by_part(self.workload));
        match metric {
            Metric::Time if old != new => Metric::Ns,
            Metric::Time if self.sides().iter().any(|s| s.is_starved(self.workload)) => Metric::Cpu,
            other => other,
        }
    }

    /// New ÷ old.
    pub fn plain(&self, metric: Metric, rng: &mut Rng) -> Option<Drawn> {
        if Metric::COUNTED.contains(&metric) {
            let [old, new] = self.cells().map(|cell| cell?.counted.get(&metric));
            return Drawn::counted(old?, new?);
        }
        let metric = self.alike(metric);
        let columns = self.sides().map(|s| s.column(self.workload, self.allocator, metric));
        if metric == Metric::Memory {
            let together = |cell: Option<&Cell>, column: &[Option<f64>]| {
                let peak = cell?.peak_rss?.median;
                let largest = median(&column.iter().copied().flatten().collect::<Vec<_>>())?;
                (peak > TOGETHER * largest).then_some(peak)
            };
            let [old, new] = self.cells();
            if let Some((old, new)) = together(old, &columns[0]).zip(together(new, &columns[1])) {
                return Some(Drawn::single(old, new));
            }
        }
        let [old, new] =
            columns.map(|column| column.into_iter().flatten().map(f64::ln).collect::<Vec<f64>>());
        Drawn::difference(&old, &new, rng)
    }

    /// The same of the ratios to the baseline, which are taken within each round.
    pub fn relative(&self, baseline: &str, metric: Metric, rng: &mut Rng) -> Option<Drawn> {
        let metric = self.alike(metric);
        let [old, new] = self.sides().map(|side| {
            let own = side.column(self.workload, self.allocator, metric);
            let base = side.column(self.workload, baseline, metric);
            let pairs = own.into_iter().zip(base);
            pairs.filter_map(|(own, base)| Some((own? / base?).ln())).collect::<Vec<f64>>()
        });
        Drawn::difference(&old, &new, rng)
    }

    /// Whether any allocation was refused in either, so that its time is no time of the work.
    pub fn refused(&self) -> bool {
        self.cells().into_iter().flatten().any(|cell| cell.refused > 0)
    }

    /// Whether it failed in either: rounds before the failure are none of a work that was done.
    pub fn failed(&self) -> bool {
        self.cells().into_iter().flatten().any(|cell| cell.failure.is_some())
    }

    /// That it made other numbers of calls in the two, in words. By the clock and by memory these are not compared.
    pub fn other_work(&self) -> Option<String> {
        let (workload, allocator) = (self.workload, self.allocator);
        let calls = |side: &Side<'_>| {
            let (w, a) = (side.workload(workload)?, side.allocator(allocator)?);
            let runs = timed(&side.report.runs, w, a).filter(|r| r.refused == 0);
            median(&runs.filter_map(|run| Some(run.ops? as f64)).collect::<Vec<_>>())
        };
        let (before, after) = (calls(self.old)?, calls(self.new)?);
        (!is_same_work(after, before)).then(|| {
            format!(
                "{workload} on {allocator}: other work, {before} calls in old and {after} in new"
            )
        })
    }

    /// Why a figure that both should have cannot be compared.
    pub fn obstacle(&self) -> Option<String> {
        let [Some(before), Some(after)] = self.cells() else { return None };
        let what = match (&before.failure, &after.failure) {
            (None, Some(failure)) => {
                format!("ran in old and fails in new: {}", failure.how.words())
            }
            (Some(failure), None) => {
                format!("failed in old ({}) and runs in new", failure.how.words())
            }
            (Some(_), Some(_)) => "fails in both".to_owned(),
            (None, None) if before.refused > 0 || after.refused > 0 => format!(
                "allocations were refused, {} in old and {} in new: time is not compared",
                before.refused, after.refused
            ),
            (None, None) => return None,
        };
        Some(format!("{} on {}: {what}", self.workload, self.allocator))
    }
}

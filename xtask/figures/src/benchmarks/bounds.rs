//! The recorded run against the bounds that the project set itself: what was asked for, what came.
//!
//! A peer is every other malloc; the best of a workload is the one with the least median figure there. What is shown is decided as
//! everywhere ([`bench::claim`]), and a bound is kept only where a breach of it would have shown.

use bench::allocator::HEAPWRIGHT;
use bench::claim::Claim;
use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::{Report, Work};
use bench::session::{Role, SubjectIndex, WorkloadIndex};

use super::means;
use super::tables::{contestants, is_ours};
use crate::judge::{self, Bounds, Figure, Line, Verdict};

/// Memory beyond glibc's that counts: less is the start of a small program.
const BEYOND: f64 = 4.0 * 1024.0 * 1024.0;

/// The lines as a Markdown table, and how many are kept. `real` is the result for the real programs, which may be of another run.
pub(super) fn table(report: &Report, real: &Report) -> Result<String, String> {
    let lines = lines(report, real)?;
    let count = |verdict| lines.iter().filter(|line| line.verdict == verdict).count();
    let untold = match count(Verdict::Untold) {
        0 => String::new(),
        n => format!(" {n} cannot be told."),
    };
    let (kept, table) = (count(Verdict::Pass), judge::table(&lines));
    Ok(format!("Kept: {kept} of {}.{untold}\n\n{table}", lines.len()))
}

fn lines(report: &Report, real: &Report) -> Result<Vec<Line>, String> {
    let general = means::only(report, |work| work.group != Group::Real);
    let against = [report, &general, real].map(Against::of);
    let [Some(all), Some(general), Some(real)] = &against else { return Ok(Vec::new()) };
    let figure = |name: &str| match name {
        "time-general" => general.mean(Metric::Time).into(),
        "time-real" => real.mean(Metric::Time).into(),
        "far-behind" => general.far_behind(),
        "ahead" => general.ahead(),
        "behind-real" => real.behind(),
        "memory-general" => general.mean_of_glibc().into(),
        "memory-mallocs" => general.memory_of_mallocs().into(),
        "memory-real" => real.mean_of_glibc().into(),
        "large" => all.large(),
        "tail-malloc" => all.tails("malloc").0.into(),
        "tails-malloc" => all.tails("malloc").1,
        "tail-free" => all.tails("free").0.into(),
        "tails-free" => all.tails("free").1,
        "noise" => report.middle_noise().into(),
        _ => Figure::default(),
    };
    Ok(Bounds::read("record")?.judge("record", false, figure))
}

/// A result, or a part of one, and who is compared with whom.
struct Against<'a> {
    report: &'a Report,
    ours: usize,
    others: Vec<usize>,
}

impl<'a> Against<'a> {
    /// None where heapwright took no part.
    fn of(report: &'a Report) -> Option<Self> {
        let (ours, _) = contestants(report).find(|(_, e)| e.name == HEAPWRIGHT)?;
        let others = contestants(report).filter(|(_, e)| !is_ours(e)).map(|(at, _)| at).collect();
        Some(Self { report, ours, others })
    }

    /// The mean over the best peer's, which is the one that makes it largest.
    fn mean(&self, metric: Metric) -> Option<f64> {
        self.others.iter().filter_map(|&at| self.mean_to(at, metric)).reduce(f64::max)
    }

    /// The mean of our figure over that of `other`, of the workloads that both ended.
    fn mean_to(&self, other: usize, metric: Metric) -> Option<f64> {
        let works = self.report.workload_indices();
        let logs: Vec<f64> = works
            .filter_map(|work| {
                let ratio = |at| self.report.ratio(work, SubjectIndex(at), metric);
                Some(ratio(self.ours)?.over(&ratio(other)?).estimate.ln())
            })
            .collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    fn mean_of_glibc(&self) -> Option<f64> {
        Some(self.report.overall.get(self.ours)?.peak_rss?.estimate)
    }

    fn memory_of_mallocs(&self) -> Option<f64> {
        let is_baseline = |at: &&usize| self.report.allocators[**at].role == Role::Baseline;
        let mallocs = self.others.iter().filter(|at| !is_baseline(at));
        mallocs.filter_map(|&at| self.mean_to(at, Metric::Memory)).reduce(f64::max)
    }

    /// Each workload with what our time ÷ the best of the others' shows beside `bound`.
    fn claims(&self, bound: f64) -> Vec<(&str, Claim)> {
        let claim = |work: WorkloadIndex| {
            let ratio = |at: usize| self.report.ratio(work, SubjectIndex(at), Metric::Time);
            let others = self.others.iter().filter_map(|&at| ratio(at));
            let best = others.min_by(|a, b| a.estimate.total_cmp(&b.estimate))?;
            let own = ratio(self.ours)?.over(&best).beside(bound);
            let name = self.report.workloads[work.0].name.as_str();
            Some((name, Claim::of(&own, self.report.noise(work, Metric::Time))))
        };
        self.report.workload_indices().filter_map(claim).collect()
    }

    fn far_behind(&self) -> Figure {
        above(&self.claims(1.15))
    }

    fn behind(&self) -> Figure {
        above(&self.claims(1.0))
    }

    /// The share of workloads in which our time is less or level; it cannot be told where those that cannot be told decide.
    fn ahead(&self) -> Figure {
        let claims = self.claims(1.0);
        let count = |claim| claims.iter().filter(|one| one.1 == claim).count();
        let (ahead, untold) = (count(Claim::Less) + count(Claim::Level), count(Claim::Untold));
        let enough = |some: usize| 3 * some >= 2 * claims.len();
        Figure {
            value: (!claims.is_empty()).then(|| ahead as f64 / claims.len() as f64),
            shown: Some(format!("{ahead} of {}; {untold} cannot be told", claims.len())),
            is_untold: !enough(ahead) && enough(ahead + untold),
        }
    }

    fn large(&self) -> Figure {
        let baseline =
            self.others.iter().find(|&&at| self.report.allocators[at].role == Role::Baseline);
        let is_large = |work: &&Work| {
            let median = |at: usize| Some(work.cells.get(at)?.peak_rss?.median);
            let (own, base) = (median(self.ours), baseline.and_then(|&at| median(at)));
            own.zip(base).is_some_and(|(own, base)| own > 1.35 * base && own > base + BEYOND)
        };
        let names: Vec<&str> =
            self.report.workloads.iter().filter(is_large).map(|work| work.name.as_str()).collect();
        counted(&names)
    }

    /// The slowest call in a thousand, as multiples of the best peer's: in the middle workload, and at most.
    fn tails(&self, call: &str) -> (Option<f64>, Figure) {
        let tail = |work: &Work, at: usize| {
            let tails = &work.cells.get(at).filter(|cell| cell.counts())?.tails;
            Some(tails.iter().find(|tail| tail.call == call)?.p999_ns)
        };
        let factor = |work: &Work| {
            let best =
                self.others.iter().filter_map(|&at| tail(work, at)).min_by(f64::total_cmp)?;
            Some(tail(work, self.ours)? / best)
        };
        let works = self.report.workloads.iter();
        let mut factors: Vec<(f64, &str)> =
            works.filter_map(|work| Some((factor(work)?, work.name.as_str()))).collect();
        factors.sort_by(|a, b| a.0.total_cmp(&b.0));
        let middle = factors.get(factors.len() / 2).map(|f| f.0);
        let above: Vec<&str> = factors.iter().filter(|f| f.0 > 3.0).map(|f| f.1).collect();
        (middle, counted(&above))
    }
}

/// Those of which more is shown; and of how many nothing is.
fn above(claims: &[(&str, Claim)]) -> Figure {
    let of = |claim| claims.iter().filter(move |one| one.1 == claim).map(|one| one.0);
    let mut figure = counted(&of(Claim::More).collect::<Vec<_>>());
    let untold = of(Claim::Untold).count();
    if untold > 0 {
        figure.shown = figure.shown.map(|shown| format!("{shown}; {untold} cannot be told"));
        figure.is_untold = figure.value == Some(0.0);
    }
    figure
}

fn counted(names: &[&str]) -> Figure {
    let shown = match names.len() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", names.join(", ")),
    };
    Figure { value: Some(names.len() as f64), shown: Some(shown), is_untold: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_figure_in_the_newest_record() {
        let record = super::super::record::ours();
        let real = means::real(&record.report);
        let lines = lines(&record.report, &real).unwrap();
        assert_eq!(lines.len(), 14);
        assert!(lines.iter().all(|line| line.figure != "not measured"), "{lines:?}");
    }

    #[test]
    fn what_cannot_be_told_is_not_kept() {
        let of = |claims: &[(&str, Claim)]| {
            let figure = above(claims);
            (figure.shown.unwrap(), figure.value, figure.is_untold)
        };
        assert_eq!(of(&[("a", Claim::Level)]), ("none".to_owned(), Some(0.0), false));
        let untold = of(&[("a", Claim::Less), ("b", Claim::Untold)]);
        assert_eq!(untold, ("none; 1 cannot be told".to_owned(), Some(0.0), true));
        let more = of(&[("a", Claim::More), ("b", Claim::Untold)]);
        assert_eq!(more, ("1: a; 1 cannot be told".to_owned(), Some(1.0), false));
    }
}

//! The recorded run against the bounds of the flagship's second version: what was asked for, what came.
//!
//! A peer is every other malloc; the best of a workload is the one with the least median figure there. What is shown is decided as
//! everywhere ([`bench::claim`]), and a bound is kept only where a breach of it would have shown.

use bench::allocator::HEAPWRIGHT;
use bench::claim::Claim;
use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::{Report, Work};
use bench::session::{SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;

use super::means;
use super::tables::contestants;

/// Memory beyond glibc's that counts: less is the start of a small program.
const BEYOND: f64 = 4.0 * 1024.0 * 1024.0;

/// What became of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Yes,
    No,
    Untold,
}

/// One line: what is said, the figure, the bound, whether it is kept.
type Line = (String, String, String, Kept);

/// The lines as a Markdown table, and how many are kept.
pub(super) fn table(report: &Report) -> String {
    let mut table = crate::figures::table(&["", "figure", "bound", ""]);
    let lines = lines(report);
    let count = |kept| lines.iter().filter(|line| line.3 == kept).count();
    for (says, figure, bound, kept) in &lines {
        let verdict = match kept {
            Kept::Yes => "pass",
            Kept::No => "**FAIL**",
            Kept::Untold => "cannot be told",
        };
        table.add_row([says.as_str(), figure, bound, verdict]);
    }
    let untold = match count(Kept::Untold) {
        0 => String::new(),
        n => format!(" {n} cannot be told."),
    };
    format!("Kept: {} of {}.{untold}\n\n{table}", count(Kept::Yes), lines.len())
}

fn lines(report: &Report) -> Vec<Line> {
    let Some(ours) = contestants(report).find(|(_, e)| e.name == HEAPWRIGHT).map(|(at, _)| at)
    else {
        return Vec::new();
    };
    let others: Vec<usize> =
        contestants(report).map(|(at, _)| at).filter(|at| *at != ours).collect();
    let general = means::only(report, |work| work.group != Group::Real);
    let real = means::real(report);
    let all = Against { report, ours, others: &others };
    let mut lines = Vec::new();
    for (what, part, most) in
        [("general workloads", &general, 0.95), ("real programs", &real, 0.97)]
    {
        let part = Against { report: part, ..all };
        lines.push(part.mean(
            &format!("time, mean of the {what}, ÷ the best peer's"),
            most,
            Metric::Time,
        ));
    }
    let general = Against { report: &general, ..all };
    lines.extend([
        general.far_behind(),
        general.ahead(),
        Against { report: &real, ..all }.behind(),
    ]);
    lines
        .push(general.mean_of_glibc("peak memory, mean of the general workloads, ÷ glibc's", 1.05));
    lines.push(general.memory_of_mallocs());
    lines.push(
        Against { report: &real, ..all }
            .mean_of_glibc("peak memory, mean of the real programs, ÷ glibc's", 1.03),
    );
    lines.push(all.large());
    for call in ["malloc", "free"] {
        lines.extend(all.tails(call));
    }
    lines.push(noise(report));
    lines
}

fn noise(report: &Report) -> Line {
    bounded("noise of time, middle workload", middle_noise(report), 0.015)
}

/// What time differs by where nothing differs, in the middle workload; `None` where no workload has a time.
pub(super) fn middle_noise(report: &Report) -> Option<f64> {
    let mut floors: Vec<f64> = report.workloads.iter().filter_map(|w| w.noise_floor).collect();
    floors.sort_by(f64::total_cmp);
    floors.get(floors.len() / 2).copied()
}

/// A part of the report, and who is compared with whom.
#[derive(Clone, Copy)]
struct Against<'a> {
    report: &'a Report,
    ours: usize,
    others: &'a [usize],
}

impl Against<'_> {
    fn overall(
        &self,
        at: usize,
        figure: fn(&bench::result::Overall) -> Option<Ratio>,
    ) -> Option<f64> {
        Some(figure(self.report.overall.get(at)?)?.estimate)
    }

    fn mean(&self, says: &str, most: f64, metric: Metric) -> Line {
        let all = self.others.iter().filter_map(|&at| self.mean_to(at, metric));
        bounded(says, all.reduce(f64::max), most)
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

    fn mean_of_glibc(&self, says: &str, most: f64) -> Line {
        bounded(says, self.overall(self.ours, |o| o.peak_rss), most)
    }

    fn memory_of_mallocs(&self) -> Line {
        let is_baseline =
            |at: &&usize| self.report.allocators[**at].role == bench::session::Role::Baseline;
        let mallocs = self.others.iter().filter(|at| !is_baseline(at));
        let own = mallocs.filter_map(|&at| self.mean_to(at, Metric::Memory)).reduce(f64::max);
        bounded("the same ÷ the best malloc's other than glibc", own, 0.95)
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

    fn far_behind(&self) -> Line {
        above("time above 1.15 × the best peer's", &self.claims(1.15))
    }

    fn behind(&self) -> Line {
        above("real programs whose time is above the best peer's", &self.claims(1.0))
    }

    fn ahead(&self) -> Line {
        let claims = self.claims(1.0);
        let count = |claim| claims.iter().filter(|one| one.1 == claim).count();
        let (ahead, untold) = (count(Claim::Less) + count(Claim::Level), count(Claim::Untold));
        let enough = |some: usize| 3 * some >= 2 * claims.len();
        let figure = format!("{ahead} of {}; {untold} cannot be told", claims.len());
        let kept = match (enough(ahead), enough(ahead + untold)) {
            (true, _) => Kept::Yes,
            (false, true) => Kept::Untold,
            (false, false) => Kept::No,
        };
        ("time ahead of the best peer's, or level".into(), figure, "two thirds".into(), kept)
    }

    fn large(&self) -> Line {
        let baseline = self
            .others
            .iter()
            .find(|&&at| self.report.allocators[at].role == bench::session::Role::Baseline);
        let is_large = |work: &&Work| {
            let median = |at: usize| Some(work.cells.get(at)?.peak_rss?.median);
            let (own, base) = (median(self.ours), baseline.and_then(|&at| median(at)));
            own.zip(base).is_some_and(|(own, base)| own > 1.35 * base && own > base + BEYOND)
        };
        let names: Vec<&str> =
            self.report.workloads.iter().filter(is_large).map(|work| work.name.as_str()).collect();
        counted("peak memory above 1.35 × glibc's, by more than 4 MiB", &names)
    }

    /// The slowest call in a thousand, as multiples of the best peer's: in the middle workload, and at most.
    fn tails(&self, call: &str) -> [Line; 2] {
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
        let says = format!("p99.9 of {call} ÷ the best peer's, middle workload");
        [
            bounded(&says, middle, 1.2),
            counted(&format!("p99.9 of {call} above 3 × the best peer's"), &above),
        ]
    }
}

fn bounded(says: &str, figure: Option<f64>, most: f64) -> Line {
    let shown = figure.map_or_else(|| "not measured".to_owned(), |figure| format!("{figure:.3}"));
    let is_kept = figure.is_some_and(|figure| figure <= most);
    (says.to_owned(), shown, format!("≤ {most}"), if is_kept { Kept::Yes } else { Kept::No })
}

/// Those of which more is shown; and of how many nothing is.
fn above(says: &str, claims: &[(&str, Claim)]) -> Line {
    let of = |claim| claims.iter().filter(move |one| one.1 == claim).map(|one| one.0);
    let mut line = counted(says, &of(Claim::More).collect::<Vec<_>>());
    let untold = of(Claim::Untold).count();
    if untold > 0 {
        line.1.push_str(&format!("; {untold} cannot be told"));
        line.3 = if line.3 == Kept::Yes { Kept::Untold } else { line.3 };
    }
    line
}

fn counted(says: &str, names: &[&str]) -> Line {
    let figure = match names.len() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", names.join(", ")),
    };
    let kept = if names.is_empty() { Kept::Yes } else { Kept::No };
    (says.to_owned(), figure, "none".to_owned(), kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_figure_in_the_newest_record() {
        let record = super::super::record::newest(&crate::peers::root()).unwrap().unwrap();
        let lines = lines(&record.report);
        assert_eq!(lines.len(), 14);
        assert!(lines.iter().all(|line| line.1 != "not measured"), "{lines:?}");
    }

    #[test]
    fn a_bound_is_kept_at_its_figure_and_not_beyond() {
        let kept = |figure, most| bounded("", figure, most).3;
        assert_eq!([kept(Some(0.95), 0.95), kept(Some(0.951), 0.95)], [Kept::Yes, Kept::No]);
        assert_eq!(kept(None, 1.0), Kept::No);
        assert_eq!([counted("", &[]).3, counted("", &["a"]).3], [Kept::Yes, Kept::No]);
        assert_eq!(counted("", &["a", "b"]).1, "2: a, b");
    }

    #[test]
    fn what_cannot_be_told_is_not_kept() {
        let of = |claims: &[(&str, Claim)]| {
            let (_, figure, _, kept) = above("", claims);
            (figure, kept)
        };
        assert_eq!(of(&[("a", Claim::Level)]), ("none".to_owned(), Kept::Yes));
        let untold = of(&[("a", Claim::Less), ("b", Claim::Untold)]);
        assert_eq!(untold, ("none; 1 cannot be told".to_owned(), Kept::Untold));
        let more = of(&[("a", Claim::More), ("b", Claim::Untold)]);
        assert_eq!(more, ("1: a; 1 cannot be told".to_owned(), Kept::No));
    }
}

//! The recorded run against the bounds of the flagship's second version: what was asked for, what came.
//!
//! A peer is every other malloc; the best of a workload is the one with the least median figure there. *Beyond noise* is a
//! difference that the 95 % intervals of both ratios to glibc do not cover.

use bench::allocator::HEAPWRIGHT;
use bench::definition::Group;
use bench::result::{Cell, Compared, Report, Work};
use bench::stats::Ratio;

use super::means;
use super::tables::{contestants, counts};

/// Memory beyond glibc's that counts: less is the start of a small program.
const BEYOND: f64 = 4.0 * 1024.0 * 1024.0;

/// One line: what is said, the figure, the bound, whether it is kept.
type Line = (String, String, String, bool);

/// The lines as a Markdown table, and how many are kept.
pub(super) fn table(report: &Report) -> String {
    let mut table = crate::figures::table(&["", "figure", "bound", ""]);
    let lines = lines(report);
    let kept = lines.iter().filter(|line| line.3).count();
    for (says, figure, bound, is_kept) in &lines {
        table.add_row([says.as_str(), figure, bound, if *is_kept { "pass" } else { "**FAIL**" }]);
    }
    format!("Kept: {kept} of {}.\n\n{table}", lines.len())
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
            |cell| cell.time,
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

/// A figure of one allocator; the baseline's is 1.
fn of(work: &Work, at: usize, figure: fn(&Cell) -> Option<Compared>) -> Option<Ratio> {
    let cell = work.cells.get(at).filter(|cell| counts(cell))?;
    let one = Ratio { estimate: 1.0, low: 1.0, high: 1.0, pairs: 0 };
    figure(cell).map(|compared| compared.ratio.unwrap_or(one))
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

    fn mean(&self, says: &str, most: f64, figure: fn(&Cell) -> Option<Compared>) -> Line {
        let all = self.others.iter().filter_map(|&at| self.mean_to(at, figure));
        bounded(says, all.reduce(f64::max), most)
    }

    /// The mean of our figure over that of `other`, of the workloads that both ended.
    fn mean_to(&self, other: usize, figure: fn(&Cell) -> Option<Compared>) -> Option<f64> {
        let works = self.report.workloads.iter();
        let logs: Vec<f64> = works
            .filter_map(|work| {
                let own = of(work, self.ours, figure)?.estimate;
                Some((own / of(work, other, figure)?.estimate).ln())
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
        let own = mallocs.filter_map(|&at| self.mean_to(at, |cell| cell.peak_rss)).reduce(f64::max);
        bounded("the same ÷ the best malloc's other than glibc", own, 0.95)
    }

    /// Each workload with our figure and the best of the others.
    fn pairs(&self, figure: fn(&Cell) -> Option<Compared>) -> Vec<(&Work, Ratio, Ratio)> {
        let best = |work: &Work| {
            let ratios = self.others.iter().filter_map(|&at| of(work, at, figure));
            ratios.min_by(|a, b| a.estimate.total_cmp(&b.estimate))
        };
        let works = self.report.workloads.iter();
        works.filter_map(|work| Some((work, of(work, self.ours, figure)?, best(work)?))).collect()
    }

    fn far_behind(&self) -> Line {
        let far = |(_, own, best): &&(&Work, Ratio, Ratio)| own.low > 1.15 * best.high;
        let pairs = self.pairs(|cell| cell.time);
        let names: Vec<&str> =
            pairs.iter().filter(far).map(|(work, ..)| work.name.as_str()).collect();
        counted("time above 1.15 × the best peer's, beyond noise", &names)
    }

    fn behind(&self) -> Line {
        let behind = |(_, own, best): &&(&Work, Ratio, Ratio)| own.low > best.high;
        let pairs = self.pairs(|cell| cell.time);
        let names: Vec<&str> =
            pairs.iter().filter(behind).map(|(work, ..)| work.name.as_str()).collect();
        counted("real programs whose time is above the best peer's, beyond noise", &names)
    }

    fn ahead(&self) -> Line {
        let pairs = self.pairs(|cell| cell.time);
        let ahead = pairs.iter().filter(|(_, own, best)| own.low <= best.high).count();
        let share = ahead as f64 / pairs.len().max(1) as f64;
        let figure = format!("{ahead} of {}", pairs.len());
        (
            "time ahead of the best peer's, or within noise".into(),
            figure,
            "two thirds".into(),
            share >= 2.0 / 3.0,
        )
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
            let tails = &work.cells.get(at).filter(|cell| counts(cell))?.tails;
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
    (says.to_owned(), shown, format!("≤ {most}"), figure.is_some_and(|figure| figure <= most))
}

fn counted(says: &str, names: &[&str]) -> Line {
    let figure = match names.len() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", names.join(", ")),
    };
    (says.to_owned(), figure, "none".to_owned(), names.is_empty())
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
        assert!(
            bounded("", Some(0.95), 0.95).3
                && !bounded("", Some(0.951), 0.95).3
                && !bounded("", None, 1.0).3
        );
        assert!(counted("", &[]).3 && !counted("", &["a"]).3);
        assert_eq!(counted("", &["a", "b"]).1, "2: a, b");
    }
}

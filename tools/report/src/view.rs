//! A result as people look at it: who is shown, and what a cell says in words.

use bench::fail_if::Metric;
use bench::launch::Exit;
use bench::result::{Cell, Overall, Report};
use bench::session::{How, Role, SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use signal_hook::low_level::signal_name;

use crate::format::{self, number, ratio};
use crate::style::{Style, styles};

/// A result with what is asked of it again and again.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) report: &'a Report,
    /// By allocator.
    styles: Vec<Style>,
    /// The place of the baseline.
    pub(crate) baseline: SubjectIndex,
    /// The baseline and the contenders, in their order.
    pub(crate) shown: Vec<SubjectIndex>,
}

/// Why there is no figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Why {
    /// Two or three words.
    pub(crate) short: String,
    /// All of it.
    pub(crate) long: String,
}

/// What came of one workload on one allocator.
#[derive(Debug)]
pub(crate) enum State<'a> {
    Ran(&'a Cell),
    Not(Why),
}

impl<'a> View<'a> {
    pub(crate) fn of(report: &'a Report) -> Self {
        let shown = report
            .subject_indices()
            .filter(|&a| matches!(report.allocators[a].role, Role::Baseline | Role::Contender))
            .collect();
        Self { report, styles: styles(report), baseline: report.baseline(), shown }
    }

    pub(crate) fn name(&self, allocator: SubjectIndex) -> &'a str {
        self.report.allocators.get(allocator.0).map_or("nobody", |e| e.name.as_str())
    }

    pub(crate) fn style(&self, allocator: SubjectIndex) -> &Style {
        &self.styles[allocator.0]
    }

    /// All that are shown, and the null allocator.
    pub(crate) fn shown_and_floor(&self) -> Vec<SubjectIndex> {
        let floors = self
            .report
            .subject_indices()
            .filter(|&a| self.report.allocators[a].role == Role::Floor);
        self.shown.iter().copied().chain(floors).collect()
    }

    pub(crate) fn cell(&self, work: WorkloadIndex, allocator: SubjectIndex) -> Option<&'a Cell> {
        self.report.cell(work, allocator)
    }

    /// Whether there are figures to compare; a run in which allocations were refused has none.
    pub(crate) fn state(&self, work: WorkloadIndex, allocator: SubjectIndex) -> State<'a> {
        let Some(cell) = self.cell(work, allocator) else {
            return State::Not(why("not run", "there is no such cell in the result"));
        };
        if let Some(reason) = &cell.skipped {
            return State::Not(why("skipped", &format!("skipped: {reason}")));
        }
        if let Some(failure) = &cell.failure {
            let short = how(failure.how);
            let mut long = format!("{short} in round {}", failure.round);
            if !failure.stderr.trim().is_empty() {
                long = format!("{long}: {}", failure.stderr.trim());
            }
            return State::Not(Why { short, long });
        }
        if cell.refused > 0 {
            let short = format!("{} refused", number(cell.refused as f64));
            let long = format!(
                "{} allocations were refused in one run, so its time does not count",
                cell.refused
            );
            return State::Not(Why { short, long });
        }
        if cell.runs == 0 && cell.time.is_none() {
            let long = match cell.flagged {
                0 => "nothing was measured".to_owned(),
                n => format!("none of {n} runs got its processors"),
            };
            return State::Not(Why { short: "no run counts".into(), long });
        }
        State::Ran(cell)
    }

    /// Whether it did not end the workload, or refused allocations in it.
    pub(crate) fn has_failed(&self, work: WorkloadIndex, allocator: SubjectIndex) -> bool {
        self.cell(work, allocator).is_some_and(|c| c.failure.is_some() || c.refused > 0)
            && matches!(self.state(work, allocator), State::Not(_))
    }

    /// Time against the baseline; the baseline's own is 1.
    pub(crate) fn time(&self, work: WorkloadIndex, allocator: SubjectIndex) -> Option<f64> {
        let State::Ran(cell) = self.state(work, allocator) else { return None };
        let time = cell.time?;
        let ratio = time.ratio.map(|r| r.estimate);
        ratio.or((allocator == self.baseline).then_some(1.0)).filter(|r| r.is_finite())
    }

    /// Who has the least of a figure; nobody where only one was measured, or several have it.
    pub(crate) fn best(
        &self,
        figure: impl Fn(SubjectIndex) -> Option<f64>,
    ) -> Option<SubjectIndex> {
        let mut all: Vec<(SubjectIndex, f64)> = self
            .shown
            .iter()
            .filter_map(|&a| figure(a).filter(|v| v.is_finite()).map(|v| (a, v)))
            .collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        (all.len() > 1 && all[0].1 < all[1].1).then(|| all[0].0)
    }

    /// `0.58 ±0.02 =*`.
    pub(crate) fn time_text(&self, work: WorkloadIndex, allocator: SubjectIndex) -> String {
        let State::Ran(cell) = self.state(work, allocator) else { return String::new() };
        let star = if self.report.best(work, Metric::Time).contains(&allocator) { "*" } else { "" };
        let same = cell.time.is_some_and(|t| t.same) && allocator != self.baseline;
        let marks = format!("{}{star}", if same { "=" } else { "" });
        let text = match cell.time.and_then(|t| t.ratio) {
            Some(r) => with_margin(&r),
            None if allocator == self.baseline && cell.time.is_some() => "1".to_owned(),
            None => format::NONE.to_owned(),
        };
        if marks.is_empty() { text } else { format!("{text} {marks}") }
    }

    /// Those of [`overall`](Self::overall) that can be ranked: who ended fewer workloads than others has a mean of others.
    pub(crate) fn ranked(&self) -> Vec<(SubjectIndex, &'a Overall, Option<Ratio>, Option<Ratio>)> {
        let mut all = self.overall();
        let most = all.iter().map(|row| row.1.workloads).max().unwrap_or(0);
        all.retain(|row| row.1.workloads == most);
        all
    }

    /// Who is shown, with time and peak over all workloads; the baseline's are 1.
    pub(crate) fn overall(&self) -> Vec<(SubjectIndex, &'a Overall, Option<Ratio>, Option<Ratio>)> {
        let one = Ratio { estimate: 1.0, low: 1.0, high: 1.0, pairs: 0 };
        let good = |r: Option<Ratio>, a: SubjectIndex| {
            r.or((a == self.baseline).then_some(one)).filter(|r| r.estimate.is_finite())
        };
        self.shown
            .iter()
            .filter_map(|&a| Some((a, self.report.overall.get(a.0)?)))
            .filter(|(_, o)| o.workloads > 0)
            .map(|(a, o)| (a, o, good(o.time, a), good(o.peak_rss, a)))
            .collect()
    }
}

/// `0.58 ±0.02`, `0.222 ±0.002`: both to the same digit. One pair has no margin.
pub(crate) fn with_margin(r: &Ratio) -> String {
    let margin = r.margin();
    if r.pairs < 2 || !margin.is_finite() || !r.estimate.is_finite() {
        return format!("{} ±?", ratio(r.estimate));
    }
    let digits = match r.estimate {
        e if e >= 99.5 => 0,
        e if e >= 9.95 => 1,
        e if e < 0.0995 || margin < 0.009_95 => 3,
        _ => 2,
    };
    format!("{:.digits$} ±{margin:.digits$}", r.estimate)
}

/// What the ends of an interval are, with a space that does not break.
pub(crate) fn kind(r: &Ratio) -> String {
    r.kind().replace(" %", "\u{a0}%")
}

fn why(short: &str, long: &str) -> Why {
    Why { short: short.to_owned(), long: long.to_owned() }
}

fn how(how: How) -> String {
    match how {
        How::Ended(Exit::Code(code)) => format!("exit code {code}"),
        How::Ended(Exit::Signal(signal)) => match signal_name(signal) {
            Some(name) => format!("crashed ({name})"),
            None => format!("crashed (signal {signal})"),
        },
        How::NotStarted(errno) => format!("not started ({errno})"),
        How::TimedOut => "timed out".to_owned(),
        How::NotEnded => "had not ended".to_owned(),
        How::OtherMalloc => "ran on another malloc".to_owned(),
        How::NotDriven => "could not be driven".to_owned(),
        How::EndedEarly => "ended by itself".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_has_the_digits_of_its_ratio() {
        let of = |estimate, low, high, pairs| with_margin(&Ratio { estimate, low, high, pairs });
        assert_eq!(of(0.487, 0.477, 0.497, 9), "0.49 ±0.01");
        assert_eq!(of(0.222, 0.220, 0.224, 9), "0.222 ±0.002");
        assert_eq!(of(12.24, 10.0, 14.0, 9), "12.2 ±2.2");
        assert_eq!(of(0.5, 0.5, 0.5, 1), "0.50 ±?");
    }
}

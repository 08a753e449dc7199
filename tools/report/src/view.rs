//! A result as people look at it: who is shown, and what a cell says in words.

use bench::allocator::HEAPWRIGHT;
use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::launch::Exit;
use bench::result::{Cell, Entry, Overall, Report};
use bench::session::{How, Role, SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use signal_hook::low_level::signal_name;

use show::number::{self, percent, with_margin};
use show::style::{Part, Style};

/// The unit of a value that says whether a sequence is what it should be.
pub(crate) const AS_EXPECTED: &str = "as-expected";

#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) report: &'a Report,
    styles: Vec<Style>,
    pub(crate) baseline: SubjectIndex,
    /// The baseline and the contenders, in their order.
    pub(crate) shown: Vec<SubjectIndex>,
}

/// An allocator over all workloads, with time and peak.
pub(crate) type Row<'a> = (SubjectIndex, &'a Overall, Option<Ratio>, Option<Ratio>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Why {
    /// Two or three words.
    pub(crate) short: String,
    pub(crate) long: String,
}

#[derive(Debug)]
pub(crate) enum State<'a> {
    Ran(&'a Cell),
    Not(Why),
}

impl<'a> View<'a> {
    pub(crate) fn of(report: &'a Report) -> Self {
        Self::beside(report, &others(report).collect::<Vec<_>>())
    }

    /// The same, in a picture of several results: each of `others` looks the same in all.
    pub(crate) fn beside(report: &'a Report, others: &[&str]) -> Self {
        let shown = report.contestants().collect();
        Self { report, styles: styles(report, others), baseline: report.baseline(), shown }
    }

    pub(crate) fn name(&self, allocator: SubjectIndex) -> &'a str {
        self.report.allocators.get(allocator.0).map_or("nobody", |e| e.name.as_str())
    }

    pub(crate) fn style(&self, allocator: SubjectIndex) -> &Style {
        &self.styles[allocator.0]
    }

    /// Whether all is about one workload, so that nothing is a mean.
    pub(crate) fn is_one(&self) -> bool {
        matches!(&self.report.workloads[..], [one] if !one.alone)
    }

    pub(crate) fn shown_and_floor(&self) -> Vec<SubjectIndex> {
        let floors = self
            .report
            .subject_indices()
            .filter(|&a| self.report.allocators[a].role == Role::Floor);
        self.shown.iter().copied().chain(floors).collect()
    }

    /// Whether there are figures to compare; a run in which allocations were refused has none.
    pub(crate) fn state(&self, work: WorkloadIndex, allocator: SubjectIndex) -> State<'a> {
        let Some(cell) = self.report.cell(work, allocator) else {
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
            let short = format!("{} refused", number::count(cell.refused as f64));
            let long = format!(
                "{} allocations were refused in one run, so its time does not count",
                cell.refused
            );
            return State::Not(Why { short, long });
        }
        if cell.runs == 0 && cell.time.is_none() && cell.counted.is_empty() {
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
        self.report.cell(work, allocator).is_some_and(|c| c.failure.is_some() || c.refused > 0)
            && matches!(self.state(work, allocator), State::Not(_))
    }

    /// A figure beside the baseline's: `0.58 ±0.02 =*`.
    pub(crate) fn text(&self, work: WorkloadIndex, who: SubjectIndex, metric: Metric) -> String {
        let State::Ran(cell) = self.state(work, who) else { return String::new() };
        if let Some(share) = cell.other_work {
            return format!("{} of the work", percent(share));
        }
        let star = if self.report.best(work, metric).contains(&who) { "*" } else { "" };
        let text = match metric.of(cell).map(|figure| figure.ratio) {
            Some(Some(r)) => with_margin(r.estimate, margin(&r)),
            Some(None) if who == self.baseline => "1".to_owned(),
            _ => number::NONE.to_owned(),
        };
        format!("{text} {}{star}", self.mark(work, who, metric)).trim_end().to_owned()
    }

    /// What stands behind a figure that is no shown difference from the baseline; of one pair `±?` says it.
    pub(crate) fn mark(
        &self,
        work: WorkloadIndex,
        who: SubjectIndex,
        metric: Metric,
    ) -> &'static str {
        let is_one = self.report.ratio(work, who, metric).is_some_and(|r| r.pairs < 2);
        let claim = self.report.claim(work, who, metric).filter(|_| !is_one);
        claim.map_or("", Claim::mark)
    }

    /// Those of [`overall`](Self::overall) that can be ranked: who ended fewer workloads than others has a mean of others.
    pub(crate) fn ranked(&self) -> Vec<Row<'a>> {
        let mut all = self.overall();
        let most = all.iter().map(|row| row.1.workloads).max().unwrap_or(0);
        all.retain(|row| row.1.workloads == most);
        all
    }

    /// Who is shown, with time and peak over all workloads; the baseline's are 1.
    pub(crate) fn overall(&self) -> Vec<Row<'a>> {
        let good = |r: Option<Ratio>, a: SubjectIndex| {
            let r = if a == self.baseline { Some(Ratio::EXACT) } else { r };
            r.filter(|r| r.estimate.is_finite())
        };
        self.shown
            .iter()
            .filter_map(|&a| Some((a, self.report.means().get(a.0)?)))
            .filter(|(_, o)| o.workloads > 0)
            .map(|(a, o)| (a, o, good(o.time, a), good(o.peak_rss, a)))
            .collect()
    }
}

/// What a ratio is off by; one pair does not say.
pub(crate) fn margin(r: &Ratio) -> Option<f64> {
    (r.pairs > 1).then(|| r.margin())
}

/// The contenders but for ours.
pub(crate) fn others(report: &Report) -> impl Iterator<Item = &str> {
    let is_other = |e: &&Entry| e.role == Role::Contender && e.name != HEAPWRIGHT;
    report.allocators.iter().filter(is_other).map(|entry| entry.name.as_str())
}

fn styles(report: &Report, others: &[&str]) -> Vec<Style> {
    let look = |(who, entry): (SubjectIndex, &Entry)| {
        let part = match entry.role {
            Role::Baseline | Role::Control => Part::Baseline,
            Role::Floor => Part::Floor,
            Role::Contender if entry.name == HEAPWRIGHT => Part::Ours,
            Role::Contender => {
                let number = others.iter().position(|name| *name == entry.name);
                Part::Other(number.unwrap_or(others.len()))
            }
        };
        Style::of(who.0, part)
    };
    report.subject_indices().zip(&report.allocators).map(look).collect()
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

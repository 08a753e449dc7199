//! What a replay adds: who is on the front of time, tail and memory, and one piece of advice with its error.
//!
//! ```text
//! memory  │ ×          a is worth a look: nobody is better in all three
//!         │    a
//!         │       b    time ►
//! ```

use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::result::{Entry, Replayed, Report, Work};
use bench::session::{Role, SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use launch::allocator::GLIBC;
use serde::Serialize;

/// A difference in an estimate that counts on the front.
const STEP: f64 = 1.01;
/// More memory than this is not recommended for time.
const DEAR: f64 = 1.10;

/// What a replay says.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// What the program was recorded on, which all is relative to.
    pub on: String,
    /// By how much the replay on that is off from the recording: 0.02 is 2 % too much memory.
    pub error: Option<f64>,
    /// The share of the program's time that its calls of malloc took, and touching what they returned.
    pub allocator_time: Option<f64>,
    /// All that were replayed.
    pub rows: Vec<Row>,
    /// What to run it on.
    pub advice: Option<Advice>,
}

/// One allocator, or one with settings.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// What is behind a name that is a label.
    pub is: Option<String>,
    /// Its time to that of the recorded one.
    pub time: Option<Ratio>,
    /// Its peak of memory, likewise.
    pub memory: Option<Ratio>,
    /// That peak in bytes.
    pub peak: Option<f64>,
    /// Nanoseconds that all but one in a thousand calls take at most.
    pub tail_ns: Option<f64>,
    /// Nobody is better in all of these.
    pub is_on_front: bool,
}

/// What to run the program on.
#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    /// Whose name in `rows`.
    pub name: String,
    /// Whether what is gained is more than the replay's own error.
    pub is_beyond_error: bool,
    /// What applies it.
    pub command: String,
}

/// What `report` says of its first workload; `None`: it is no replay's.
#[must_use]
pub fn verdict(report: &Report) -> Option<Verdict> {
    let work = report.workloads.first()?;
    let replayed = work.replayed.as_ref()?;
    let mut rows: Vec<Row> = report.contestants().map(|who| row(report, work, who)).collect();
    let fronts: Vec<bool> =
        rows.iter().map(|one| !rows.iter().any(|other| is_better(other, one))).collect();
    rows.iter_mut().zip(fronts).for_each(|(row, is_on_front)| row.is_on_front = is_on_front);
    let baseline = report.baseline();
    let time = work.cells.get(baseline.0).and_then(|cell| cell.time).map(|time| time.median);
    let share = time.map(|time| time / replayed.recorded_seconds).filter(|share| share.is_finite());
    Some(Verdict {
        on: report.allocators.get(baseline.0)?.name.clone(),
        error: replayed.error,
        allocator_time: share.map(|share| share.min(1.0)),
        advice: advice(report, replayed),
        rows,
    })
}

fn row(report: &Report, work: &Work, who: SubjectIndex) -> Row {
    let entry = &report.allocators[who.0];
    let of = |metric| report.ratio(WorkloadIndex(0), who, metric);
    let cell = work.cells.get(who.0);
    Row {
        name: entry.name.clone(),
        is: entry.is(),
        time: of(Metric::Time),
        memory: of(Metric::Memory),
        peak: cell.and_then(|cell| cell.peak_rss).map(|peak| peak.median),
        tail_ns: cell.and_then(|cell| cell.tails.iter().map(|tail| tail.p999_ns).reduce(f64::max)),
        is_on_front: false,
    }
}

/// Whether `a` is as good as `b` in all and better in one.
fn is_better(a: &Row, b: &Row) -> bool {
    let of = |row: &Row| {
        let ratio = |ratio: Option<Ratio>| ratio.map(|ratio| ratio.estimate);
        [ratio(row.time), ratio(row.memory), row.tail_ns]
    };
    let pairs: Vec<(f64, f64)> =
        of(a).into_iter().zip(of(b)).filter_map(|(a, b)| a.zip(b)).collect();
    pairs.iter().all(|(a, b)| *a <= b * STEP) && pairs.iter().any(|(a, b)| a * STEP < *b)
}

/// The least memory that takes no more time; where nobody takes less memory, the least time that takes little more of it.
fn advice(report: &Report, replayed: &Replayed) -> Option<Advice> {
    let all = report.contestants().filter(|who| report.allocators[who.0].role == Role::Contender);
    let figures = |who: SubjectIndex| {
        let of = |metric| {
            let ratio = report.ratio(WorkloadIndex(0), who, metric)?;
            Some((ratio, Claim::of(&ratio, report.mean_noise(metric))))
        };
        Some((who, of(Metric::Time)?, of(Metric::Memory)?))
    };
    let all: Vec<_> = all.filter_map(figures).collect();
    let smaller = all.iter().filter(|(_, time, memory)| {
        memory.1 == Claim::Less && matches!(time.1, Claim::Less | Claim::Level)
    });
    let faster = all.iter().filter(|(_, time, memory)| {
        time.1 == Claim::Less && (memory.1 != Claim::More || memory.0.estimate <= DEAR)
    });
    let by = |ratio: &Ratio, other: &Ratio| ratio.estimate.total_cmp(&other.estimate);
    let smallest = smaller.min_by(|a, b| by(&a.2.0, &b.2.0));
    let (who, _, memory) = smallest.or_else(|| faster.min_by(|a, b| by(&a.1.0, &b.1.0)))?;
    let gain = 1.0 - memory.0.estimate;
    let error = replayed.error.map_or(0.0, f64::abs);
    let entry = &report.allocators[who.0];
    Some(Advice {
        name: entry.name.clone(),
        is_beyond_error: smallest.is_none() || gain > error,
        command: command(entry, &replayed.command),
    })
}

/// How the program is run so: with variables in front where that is all.
fn command(entry: &Entry, program: &str) -> String {
    let base = entry.base.as_deref().unwrap_or(&entry.name);
    if base == GLIBC && !entry.settings.is_empty() {
        return format!("{} {program}", entry.settings.join(" "));
    }
    let settings: String = entry.settings.iter().map(|setting| format!(":{setting}")).collect();
    format!("heapwright run -a {base}{settings} -- {program}")
}

#[cfg(test)]
mod tests;

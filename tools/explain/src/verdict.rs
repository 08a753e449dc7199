//! What a replay adds: who is on the front of time, tail and memory, and one piece of advice with its error.

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
/// At the end memory is known of one run each: less or more of it is a difference from here on.
const TOLD: f64 = 1.02;
/// A replay whose end is further from the recorded one says nothing of the end.
const NEAR: f64 = 0.25;

/// What a replay says.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// What the program was recorded on, which all is relative to.
    pub on: String,
    /// Whether memory is told as it was after the last call, as the first finding is of memory that stays, and not at its peak.
    pub at_end: bool,
    /// By how much the replay on that is off from the recording: 0.02 is 2 % too much memory.
    pub error: Option<f64>,
    /// The share of the program's time that its calls of malloc took, and touching what they returned.
    pub allocator_time: Option<f64>,
    /// All that were replayed.
    pub rows: Vec<Row>,
    pub advice: Option<Advice>,
}

/// One allocator, or one with settings.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub name: String,
    /// What is behind a name that is a label.
    pub is: Option<String>,
    /// Its time to that of the recorded one.
    pub time: Option<Ratio>,
    /// Its peak of memory, likewise; what it had at the end, where that is told.
    pub memory: Option<Ratio>,
    pub peak: Option<f64>,
    /// What it had after the last call.
    pub end: Option<f64>,
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
    /// Variables that the recorded malloc had, and this has not.
    pub without: Vec<String>,
    /// What applies it.
    pub command: String,
}

/// What `report` says of its first workload, of memory at its peak or at the end; `None`: it is no replay's.
pub fn verdict(report: &Report, at_end: bool) -> Option<Verdict> {
    let work = report.workloads.first()?;
    let replayed = work.replayed.as_ref()?;
    // Threads that end, and free all that they keep, do so at another moment in a replay.
    let is_near = error(report, replayed, true).is_none_or(|error| error.abs() <= NEAR);
    let at_end = at_end && is_near && end_ratio(report, report.baseline()).is_some();
    let mut rows: Vec<Row> =
        report.contestants().map(|who| row(report, work, who, at_end)).collect();
    let fronts: Vec<bool> =
        rows.iter().map(|one| !rows.iter().any(|other| is_better(other, one))).collect();
    rows.iter_mut().zip(fronts).for_each(|(row, is_on_front)| row.is_on_front = is_on_front);
    let baseline = report.baseline();
    let time = work.cells.get(baseline.0).and_then(|cell| cell.time).map(|time| time.median);
    let share = time.map(|time| time / replayed.recorded_seconds).filter(|share| share.is_finite());
    Some(Verdict {
        on: report.allocators.get(baseline.0)?.name.clone(),
        at_end,
        error: error(report, replayed, at_end),
        allocator_time: share.map(|share| share.min(1.0)),
        advice: advice(report, replayed, at_end),
        rows,
    })
}

/// What it had after the last call.
fn end(report: &Report, who: SubjectIndex) -> Option<f64> {
    report.cell(WorkloadIndex(0), who).filter(|cell| cell.counts())?.end_rss
}

/// That to the recorded one's.
fn end_ratio(report: &Report, who: SubjectIndex) -> Option<Ratio> {
    let base = end(report, report.baseline()).filter(|base| *base > 0.0)?;
    let estimate = end(report, who)? / base;
    Some(Ratio { estimate, low: estimate, high: estimate, pairs: 1 })
}

/// By how much the replay is off from the recording.
fn error(report: &Report, replayed: &Replayed, at_end: bool) -> Option<f64> {
    if !at_end {
        return replayed.error;
    }
    let (own, recorded) = end(report, report.baseline()).zip(replayed.recorded_end)?;
    (recorded > 0 && replayed.error.is_some()).then(|| own / recorded as f64 - 1.0)
}

fn row(report: &Report, work: &Work, who: SubjectIndex, at_end: bool) -> Row {
    let entry = &report.allocators[who.0];
    let of = |metric| report.ratio(WorkloadIndex(0), who, metric);
    let cell = work.cells.get(who.0);
    Row {
        name: entry.name.clone(),
        is: entry.is(),
        time: of(Metric::Time),
        memory: if at_end { end_ratio(report, who) } else { of(Metric::Memory) },
        end: end(report, who),
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
fn advice(report: &Report, replayed: &Replayed, at_end: bool) -> Option<Advice> {
    let all = report.contestants().filter(|who| report.allocators[who.0].role == Role::Contender);
    let figures = |who: SubjectIndex| {
        let of = |metric| {
            let ratio = report.ratio(WorkloadIndex(0), who, metric)?;
            Some((ratio, Claim::of(&ratio, report.mean_noise(metric))))
        };
        let memory = match at_end {
            true => end_ratio(report, who).map(|ratio| (ratio, told(ratio.estimate))),
            false => of(Metric::Memory),
        };
        Some((who, of(Metric::Time)?, memory?))
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
    let error = error(report, replayed, at_end).map_or(0.0, f64::abs);
    let entry = &report.allocators[who.0];
    let without = without(entry, &report.allocators[report.baseline().0]);
    Some(Advice {
        name: entry.name.clone(),
        is_beyond_error: smallest.is_none() || gain > error,
        command: command(entry, &without, &replayed.command),
        without,
    })
}

fn told(ratio: f64) -> Claim {
    match ratio {
        less if less * TOLD < 1.0 => Claim::Less,
        more if more > TOLD => Claim::More,
        _ => Claim::Level,
    }
}

fn base(entry: &Entry) -> &str {
    entry.base.as_deref().unwrap_or(&entry.name)
}

/// Variables that were set when the program was recorded on the same malloc, and are not set for this one.
fn without(entry: &Entry, recorded: &Entry) -> Vec<String> {
    let name = |setting: &String| setting.split('=').next().unwrap_or_default().to_owned();
    let has: Vec<String> = entry.settings.iter().map(name).collect();
    let had = recorded.settings.iter().map(name);
    let is_variable = |name: &String| !name.contains(|c: char| c.is_ascii_lowercase());
    had.filter(|name| base(entry) == base(recorded) && is_variable(name) && !has.contains(name))
        .collect()
}

/// How the program is run so: with variables in front where that is all.
fn command(entry: &Entry, without: &[String], program: &str) -> String {
    let unset: String = without.iter().map(|name| format!("-u {name} ")).collect();
    let unset = if unset.is_empty() { unset } else { format!("env {unset}") };
    let base = base(entry);
    if base == GLIBC && !(entry.settings.is_empty() && without.is_empty()) {
        let set: String = entry.settings.iter().map(|setting| format!("{setting} ")).collect();
        return format!("{unset}{set}{program}");
    }
    let settings: String = entry.settings.iter().map(|setting| format!(":{setting}")).collect();
    format!("{unset}heapwright run -a {base}{settings} -- {program}")
}

#[cfg(test)]
mod tests;

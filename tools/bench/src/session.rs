//! A whole measurement: every workload under every subject, round after round, until it is known well enough.
//!
//! ```text
//! Pass::Memory   one round, thrown away for time: fills the page cache, and looks at memory over time
//! Pass::Tail     one round of those whose calls can be timed one by one
//! Pass::Time     rounds: each workload that is not yet known well enough, in random order;
//!                within it every subject once, in random order, one right after the other;
//!                with a budget, once all have ten, all get the same time and not the same rounds
//! ```
//!
//! Runs of one workload in one round happened next to each other and are compared in pairs. The baseline runs twice in
//! each under two names; what those two differ by is noise (the A/A control). A subject that fails a workload is a result,
//! and does not run it again.

pub mod counted;
mod index;
mod pace;
mod runner;
mod share;

use core::time::Duration;
use std::ffi::OsString;

use serde::{Deserialize, Serialize};

pub use index::{SubjectIndex, WorkloadIndex};
pub use runner::run;

use launch::Exit;
use launch::allocator::{Allocator, GLIBC};
use launch::follow::Program;

use crate::measured::{Figures, Sample};
use crate::metrics::Metrics;
use crate::stats::Column;
use crate::workload::Workload;

/// No workload ends with fewer rounds because time is short, unless the whole budget is spent.
pub const LEAST_ROUNDS: u32 = 3;

/// Rounds before precision is asked about: an interval from fewer is luck.
pub const ROUNDS_BEFORE_PRECISE: u32 = 10;

/// More rounds than this make nothing clearer.
pub const MOST_ROUNDS: u32 = 200;

/// Precise enough: every interval of the time ratio is within 1 % of its estimate.
pub const PRECISE: f64 = 0.01;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Baseline,
    /// The baseline once more.
    Control,
    Contender,
    /// The null allocator: what a workload costs without one.
    Floor,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub name: String,
    pub allocator: Allocator,
    pub role: Role,
    pub environment: Vec<(OsString, OsString)>,
}

/// Makes subjects of `allocators`: glibc, or else the first, is the baseline and gets its control beside it. With `floor`
/// the null allocator takes part too.
pub fn line_up(allocators: Vec<Allocator>, floor: bool) -> Vec<Subject> {
    let baseline = allocators.iter().position(|a| a.name == GLIBC).unwrap_or(0);
    line_up_beside(baseline, allocators, floor)
}

/// The same, where the baseline is the one at this place.
pub fn line_up_beside(baseline: usize, allocators: Vec<Allocator>, floor: bool) -> Vec<Subject> {
    let subject =
        |name: String, allocator, role| Subject { name, allocator, role, environment: Vec::new() };
    let mut subjects = Vec::new();
    for (i, allocator) in allocators.into_iter().enumerate() {
        let role = if i == baseline { Role::Baseline } else { Role::Contender };
        let control = (i == baseline).then(|| {
            subject(format!("{} again", allocator.name), allocator.clone(), Role::Control)
        });
        subjects.push(subject(allocator.name.clone(), allocator, role));
        subjects.extend(control);
    }
    if floor {
        subjects.push(subject("null".to_owned(), Allocator::in_process("null"), Role::Floor));
    }
    subjects
}

#[derive(Debug, Clone)]
pub struct Options {
    /// Rounds that are thrown away; memory over time is looked at in the first of them.
    pub warmup: u32,
    /// The measured rounds of each workload, time permitting; none: as many as precision needs.
    pub rounds: Option<u32>,
    pub budget: Option<Duration>,
    pub seed: u64,
    /// Warms the machine's memory before each run.
    pub warm: bool,
    /// Times single calls, in a pass of its own.
    pub tails: bool,
    pub ignore_failure: bool,
    /// Let the program's output through.
    pub show_output: bool,
    /// A run that takes longer has failed.
    pub timeout: Option<Duration>,
    /// A run on another malloc than its column is named for counts all the same.
    pub any_malloc: bool,
}

/// Why a subject dropped out of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub how: How,
    /// In which round; the passes before the first are round 0.
    pub round: u32,
    /// The end of what the program said on standard error.
    pub stderr: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Ended(Exit),
    NotStarted(i32),
    TimedOut,
    /// A program of the user's own had not ended after twice the time for everything.
    NotEnded,
    /// It computed on another malloc than its column is named for.
    OtherMalloc,
    /// A server's driver did not end well in time.
    NotDriven,
    EndedEarly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    Memory,
    /// Its calls are timed one by one.
    Tail,
    /// Nothing is done but to wait for its end.
    Time,
    Count,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub workload: WorkloadIndex,
    pub allocator: SubjectIndex,
    /// The round, from 1; 0 does not count for time.
    pub round: u32,
    pub pass: Pass,
    /// Its place in the order of that workload's round.
    pub place: usize,
    /// It did not get its processors, and does not count.
    pub starved: bool,
    /// Calls of malloc and free, as the workload counts them.
    pub ops: Option<u64>,
    /// Nanoseconds of the workload's measured part.
    pub ns: Option<u64>,
    pub refused: u64,
    #[serde(flatten)]
    pub figures: Figures,
}

#[derive(Debug, Clone, Default)]
pub struct Details {
    /// When the run began whose memory was looked at, by the monotonic clock.
    pub began_ns: u64,
    pub samples: Vec<Sample>,
    /// What that run printed.
    pub memory: Option<Metrics>,
    /// What the run printed whose calls were timed.
    pub tail: Option<Metrics>,
    pub time: Vec<Metrics>,
    /// The programs of all runs, and how long each was seen to compute.
    pub programs: Vec<Program>,
}

/// Why a workload was not measured any longer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    #[default]
    Rounds,
    Precise,
    Budget,
    /// The user interrupted, or heapwright itself could not go on.
    Interrupted,
    /// Nothing is left to run: every subject failed.
    Failed,
}

#[derive(Debug, Clone)]
pub struct Session {
    pub subjects: Vec<Subject>,
    pub workloads: Vec<Workload>,
    /// Why a subject dropped out, by workload and subject.
    pub failures: Vec<Vec<Option<Failure>>>,
    /// What single passes know, by workload and subject.
    pub details: Vec<Vec<Details>>,
    pub runs: Vec<Run>,
    pub counts: Vec<Vec<counted::Counts>>,
    /// Measured rounds, by workload; the last one perhaps incomplete.
    pub rounds: Vec<u32>,
    pub stops: Vec<Stop>,
    /// What heapwright itself could not do, if that is why it ended.
    pub broken: Option<String>,
    pub elapsed: Duration,
}

#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    pub pass: Pass,
    /// The round, from 1; 0 in the passes before.
    pub round: u32,
    pub workload: &'a str,
    pub subject: &'a str,
    /// The share of the work that is done, as far as one can tell.
    pub share: f64,
    /// Half the width of the control's interval in this workload so far.
    pub noise: Option<f64>,
}

/// Hears of each run, to draw a progress bar.
pub trait Observer {
    fn running(&mut self, step: &Step<'_>);
    fn failed(&mut self, workload: &str, subject: &str, failure: &Failure);
}

impl Session {
    pub(crate) fn new(workloads: Vec<Workload>, subjects: Vec<Subject>) -> Self {
        let (works, names) = (workloads.len(), subjects.len());
        Self {
            failures: vec![vec![None; names]; works],
            details: vec![vec![Details::default(); names]; works],
            counts: vec![vec![counted::Counts::new(); names]; works],
            rounds: vec![0; works],
            stops: vec![Stop::Rounds; works],
            broken: None,
            workloads,
            subjects,
            runs: Vec::new(),
            elapsed: Duration::ZERO,
        }
    }

    pub fn workload_indices(&self) -> impl Iterator<Item = WorkloadIndex> + use<> {
        (0..self.workloads.len()).map(WorkloadIndex)
    }

    pub fn subject_indices(&self) -> impl Iterator<Item = SubjectIndex> + use<> {
        (0..self.subjects.len()).map(SubjectIndex)
    }

    pub fn baseline(&self) -> SubjectIndex {
        self.first_of(Role::Baseline).unwrap_or(SubjectIndex(0))
    }

    pub fn control(&self) -> Option<SubjectIndex> {
        self.first_of(Role::Control)
    }

    fn first_of(&self, role: Role) -> Option<SubjectIndex> {
        self.subjects.iter().position(|s| s.role == role).map(SubjectIndex)
    }

    /// Why it ended as a whole: interrupted if anything was, else the reason of the workload that ended least well.
    pub fn stop(&self) -> Stop {
        let order = [Stop::Interrupted, Stop::Budget, Stop::Rounds, Stop::Precise];
        let all = |stop| self.stops.contains(&stop);
        order.into_iter().find(|stop| all(*stop)).unwrap_or(Stop::Failed)
    }

    pub fn timed(
        &self,
        workload: WorkloadIndex,
        subject: SubjectIndex,
    ) -> impl Iterator<Item = &Run> {
        timed(&self.runs, workload, subject)
    }

    pub fn has_run(&self, workload: WorkloadIndex, subject: SubjectIndex) -> bool {
        self.timed(workload, subject).next().is_some() || !self.counts[workload][subject].is_empty()
    }

    /// Whether starved runs of this workload count after all: too few others are left.
    pub fn counts_starved(&self, workload: WorkloadIndex) -> bool {
        counts_starved(&self.runs, workload, self.subject_indices())
    }

    /// A figure of one cell, by measured round; `None` where it has no run that counts.
    pub fn column(
        &self,
        workload: WorkloadIndex,
        subject: SubjectIndex,
        figure: impl Fn(&Run) -> Option<f64>,
    ) -> Column {
        column(self.timed(workload, subject), self.counts_starved(workload), figure)
    }

    /// The figure that decides about time. Where most runs did not get their processors the wall clock shows how busy the
    /// machine was; how long they computed is known all the same.
    pub fn seconds(&self, workload: WorkloadIndex) -> fn(&Run) -> Option<f64> {
        if self.workloads[workload].is_only_watched() {
            |_| None
        } else if self.workloads[workload].is_by_part() {
            reported_seconds
        } else if self.is_by_cpu(workload) {
            cpu_seconds
        } else {
            wall_seconds
        }
    }

    /// Whether that figure is processor time.
    pub fn is_by_cpu(&self, workload: WorkloadIndex) -> bool {
        let work = &self.workloads[workload];
        !work.is_by_part() && !work.is_only_watched() && self.counts_starved(workload)
    }

    /// Whether any run was made to be timed, or counted; else there is nothing to show.
    pub fn has_times(&self) -> bool {
        self.runs.iter().any(|r| r.pass == Pass::Time && r.round > 0)
            || self.counts.iter().flatten().any(|counts| !counts.is_empty())
    }

    /// Whether nobody ran this workload to its end.
    pub fn failed_everywhere(&self, workload: WorkloadIndex) -> bool {
        let w = &self.workloads[workload];
        let mut taking_part = self
            .subject_indices()
            .filter(|s| w.skips(&self.subjects[*s]).is_none())
            .map(|s| self.failures[workload][s].is_some())
            .peekable();
        taking_part.peek().is_some() && taking_part.all(|failed| failed)
    }
}

/// The runs of a workload on a subject that were made to be timed.
pub(crate) fn timed(
    runs: &[Run],
    workload: WorkloadIndex,
    subject: SubjectIndex,
) -> impl Iterator<Item = &Run> {
    runs.iter().filter(move |r| {
        r.workload == workload && r.allocator == subject && r.pass == Pass::Time && r.round > 0
    })
}

/// Whether starved runs of a workload count after all: of one of the subjects too few others are left.
pub(crate) fn counts_starved(
    runs: &[Run],
    workload: WorkloadIndex,
    mut subjects: impl Iterator<Item = SubjectIndex>,
) -> bool {
    subjects.any(|s| {
        let clean = timed(runs, workload, s).filter(|r| !r.starved).count();
        2 * clean < timed(runs, workload, s).count()
    })
}

/// A figure of timed runs, by round; `None` where there is no run that counts.
pub(crate) fn column<'a>(
    timed: impl Iterator<Item = &'a Run>,
    starved_too: bool,
    figure: impl Fn(&Run) -> Option<f64>,
) -> Column {
    let mut column = Column::new();
    for run in timed.filter(|r| starved_too || !r.starved) {
        let place = usize::try_from(run.round - 1).unwrap_or(0);
        column.resize(column.len().max(place + 1), None);
        column[place] = figure(run);
    }
    column
}

/// How long a run took, start and end included.
pub(crate) fn wall_seconds(run: &Run) -> Option<f64> {
    Some(run.figures.wall_ns as f64 / 1e9)
}

/// How long all its threads and children computed, the kernel's part included.
pub(crate) fn cpu_seconds(run: &Run) -> Option<f64> {
    Some((run.figures.user_us + run.figures.system_us) as f64 / 1e6)
}

/// How long its measured part took, if it said so; else the whole.
pub(crate) fn reported_seconds(run: &Run) -> Option<f64> {
    run.ns.map(|ns| ns as f64 / 1e9).or_else(|| wall_seconds(run))
}

#[cfg(test)]
mod tests;

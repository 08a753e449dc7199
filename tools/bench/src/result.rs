//! The result of a measurement, as `result.json` holds it.
//!
//! `schema` is "heapwright-bench", `version` is [`VERSION`]; later versions only add fields. Times are in seconds and sizes
//! in bytes unless a field's name says its unit. Ratios are to the baseline, below 1 is better.

mod claims;
mod counted;
mod lines;
mod names;
mod replayed;
mod write;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::definition::{Curve, Group};
use crate::fail_if::Metric;
use crate::machine::Machine;
use crate::session::{Failure, Role, Run, Stop, SubjectIndex, WorkloadIndex};
use crate::stats::Ratio;

pub use counted::{AGREEMENT, Count};
pub use names::without_folders;
pub use replayed::Replayed;

pub const SCHEMA: &str = "heapwright-bench";

pub const VERSION: u32 = 2;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    pub schema: String,
    pub version: u32,
    pub heapwright: String,
    /// When it began: `2026-03-01T12:10:05Z`.
    pub started: String,
    /// The command line that makes it again; files by their names, as everywhere in a result.
    pub command_line: Vec<String>,
    pub seed: u64,
    pub scale: f64,
    /// Whether memory was warmed before each run.
    pub warm: bool,
    pub pinned: bool,
    pub stop: Stop,
    pub elapsed: f64,
    pub machine: Machine,
    /// What counted, where nothing was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// What `--prepare` set, and could not set.
    pub prepared: Vec<Prepared>,
    /// The share of processor time that a hypervisor took.
    pub steal: f64,
    pub warnings: Vec<String>,
    /// Who took part: the baseline, its control, all others, the null allocator.
    pub allocators: Vec<Entry>,
    pub workloads: Vec<Work>,
    /// Workloads that were asked for and had no place in the time.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// By allocator: over all workloads.
    pub overall: Vec<Overall>,
    /// Every run, those that were thrown away or flagged included.
    pub runs: Vec<Run>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepared {
    pub what: String,
    pub before: Option<String>,
    /// Its value while measuring; `None`: it could not be set.
    pub after: Option<String>,
    pub problem: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    /// What it is called without the label that is its name here; none: so, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What was set for it, each as `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
    pub library: Option<PathBuf>,
    pub version: Option<String>,
    pub role: Role,
}

impl Entry {
    /// What is behind its name, where that is a label or has settings: `glibc with MALLOC_ARENA_MAX=2`.
    pub fn is(&self) -> Option<String> {
        let base = self.base.as_deref();
        if self.settings.is_empty() {
            return base.map(str::to_owned);
        }
        Some(format!("{} with {}", base.unwrap_or(&self.name), self.settings.join(" ")))
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Work {
    pub name: String,
    pub group: Group,
    pub about: String,
    pub source: String,
    pub command: Vec<String>,
    pub threads: u32,
    pub rounds: u32,
    /// Whether it was measured until the intervals were narrow.
    pub precise: bool,
    /// Whether its time is processor time, because most runs did not get their processors.
    #[serde(default)]
    pub by_cpu: bool,
    /// Whether its time is that of the part it measures, because what it does around that differs between allocators.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub by_part: bool,
    /// It is a recorded program, done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replayed: Option<Replayed>,
    /// Whether it says nothing of time or memory, but shows what one kind of allocator does.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub alone: bool,
    /// The baseline against itself: half the width of its interval, or how far the interval is from 1, whichever is more.
    pub noise_floor: Option<f64>,
    pub curve: Option<Curve>,
    /// What those of one series mean that are something else.
    #[serde(default)]
    pub curves: BTreeMap<String, Curve>,
    /// Seconds that the text has which it is from, by allocator.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub text: BTreeMap<String, f64>,
    /// By allocator, in the order of `allocators`.
    pub cells: Vec<Cell>,
}

impl Work {
    /// Whether its time is that of the part it measures: it waits most of the time, or does other things for each allocator.
    pub fn is_by_part(&self) -> bool {
        self.by_part || self.threads == 0 && self.group.is_in_process()
    }

    /// What the points of a series mean: those of its own name, or of what stands before `=` in it, or of the workload.
    pub fn curve_of(&self, series: &str) -> Option<&Curve> {
        let of = |name: &str| self.curves.get(name);
        of(series).or_else(|| of(series.split_once('=')?.0)).or(self.curve.as_ref())
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Cell {
    pub runs: usize,
    /// Runs that do not, because they did not get their processors.
    pub flagged: usize,
    pub failure: Option<Failure>,
    pub skipped: Option<String>,
    /// Allocations that were refused, in one run.
    pub refused: u64,
    /// The share of the baseline's work that it did, by the calls that it counted, where that is not the same; then nothing is
    /// compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_work: Option<f64>,
    /// Wall-clock time; processor time where [`Work::by_cpu`] says so.
    pub time: Option<Compared>,
    /// User and system time of all processes.
    pub cpu: Option<Compared>,
    pub ns: Option<Compared>,
    /// The peak resident set: of all processes together where it was sampled, else of the largest.
    pub peak_rss: Option<Compared>,
    pub faults: Option<Compared>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counted: BTreeMap<Metric, Count>,
    /// Resident bytes of all processes, over time: the mean.
    pub mean_rss: Option<f64>,
    /// The same at the end.
    pub end_rss: Option<f64>,
    /// The peak over the most that was asked for at one time.
    pub rss_per_live: Option<f64>,
    /// How long single calls took, by call.
    pub tails: Vec<Tail>,
    pub rss: Vec<(f64, f64)>,
    /// Seconds and bytes asked for.
    pub live: Vec<(f64, f64)>,
    /// The curves, by name; medians of the runs.
    pub series: Vec<Series>,
    /// Other figures: medians of the runs.
    pub values: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<Computed>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    pub name: String,
    /// The malloc that it had, if that is not the one that the column is named for.
    pub malloc: Option<String>,
    pub share: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The median of the runs that count.
    pub median: f64,
    /// The paired ratio to the baseline; the baseline itself has none.
    pub ratio: Option<Ratio>,
    /// Whether no difference from the baseline is shown, by the rule of [`crate::claim`].
    pub same: bool,
}

/// How long single calls of one function took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// `malloc` or `free`.
    pub call: String,
    pub calls: u64,
    /// Nanoseconds that half of them took at most.
    pub p50_ns: f64,
    /// That all but one in a hundred took at most.
    #[serde(default)]
    pub p99_ns: f64,
    /// That all but one in a thousand took at most.
    pub p999_ns: f64,
    /// That all took at most.
    pub max_ns: f64,
    /// About how many calls were before the slowest, where a recorded program is done again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowest_after: Option<u64>,
    /// Nanoseconds, and the share of calls that took longer.
    pub curve: Vec<(f64, f64)>,
    /// Nanoseconds that each should take at most, where that is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_ns: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What its points have in common.
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Value {
    pub name: String,
    pub value: f64,
    pub unit: String,
}

/// One allocator over all workloads that it and the baseline ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Overall {
    /// How many workloads those are.
    pub workloads: usize,
    /// The geometric mean of the ratios of time.
    pub time: Option<Ratio>,
    /// The geometric mean of the ratios of the peak.
    pub peak_rss: Option<Ratio>,
    /// The geometric mean of the ratios of processor time.
    #[serde(default)]
    pub cpu: Option<Ratio>,
    /// The geometric mean of the ratios of a call's time, over the workloads whose calls are counted.
    #[serde(default)]
    pub ns: Option<Ratio>,
    /// The geometric means of the ratios of what was counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counted: BTreeMap<Metric, Ratio>,
    /// Nobody is better in both time and peak.
    pub is_pareto: bool,
}

impl Overall {
    /// Marks those of `who` that nobody of them beats in both time and memory.
    pub fn mark_pareto(all: &mut [Self], who: impl Iterator<Item = usize>) {
        let point = |at: usize| {
            let one = all.get(at)?;
            Some((at, one.time?.estimate, one.peak_rss?.estimate))
        };
        let points: Vec<(usize, f64, f64)> = who.filter_map(point).collect();
        for &(at, time, peak) in &points {
            let beats = |&(other, t, p): &(usize, f64, f64)| {
                other != at && t <= time && p <= peak && (t, p) != (time, peak)
            };
            all[at].is_pareto = !points.iter().any(beats);
        }
    }
}

impl Report {
    pub fn workload_indices(&self) -> impl Iterator<Item = WorkloadIndex> + use<> {
        (0..self.workloads.len()).map(WorkloadIndex)
    }

    pub fn subject_indices(&self) -> impl Iterator<Item = SubjectIndex> + use<> {
        (0..self.allocators.len()).map(SubjectIndex)
    }

    /// The place of the baseline; 0 where there is none.
    pub fn baseline(&self) -> SubjectIndex {
        let place = self.allocators.iter().position(|e| e.role == Role::Baseline);
        SubjectIndex(place.unwrap_or(0))
    }

    pub fn cell(&self, workload: WorkloadIndex, allocator: SubjectIndex) -> Option<&Cell> {
        self.workloads.get(workload.0)?.cells.get(allocator.0)
    }

    /// Of a workload of this result, what the allocator of that name did. Behind the baseline stands its control: a place by
    /// itself says nothing.
    pub fn cell_of<'a>(&self, work: &'a Work, allocator: &str) -> Option<&'a Cell> {
        work.cells.get(self.allocators.iter().position(|entry| entry.name == allocator)?)
    }

    pub fn some_failed(&self) -> bool {
        self.workloads.iter().flat_map(|w| &w.cells).any(|c| c.failure.is_some())
    }
}

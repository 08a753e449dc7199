//! What a comparison says, and what can be asked of it.

use serde::Serialize;

use crate::claim::Claim;
use crate::fail_if::{Metric, Named};
use crate::session::Role;
use crate::stats::Ratio;

pub const COMPARE_SCHEMA: &str = "heapwright-compare";

pub const COMPARE_VERSION: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// New ÷ old.
    Plain,
    /// The same of the ratios to the baseline.
    Relative,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The workload; `None`: the geometric mean over all.
    pub workload: Option<String>,
    pub allocator: String,
    pub role: Role,
    pub metric: Metric,
    pub judged: Judged,
    /// New ÷ old; `pairs` is the number of runs in the result that has fewer.
    pub plain: Ratio,
    /// The same of the ratios to the baseline, if both results have the same one.
    pub relative: Option<Ratio>,
    pub change: Claim,
    pub other: Option<Claim>,
}

impl Line {
    pub fn ratio(&self) -> Ratio {
        match (self.judged, self.relative) {
            (Judged::Relative, Some(relative)) => relative,
            _ => self.plain,
        }
    }

    /// The ratio that is not judged, where it says something else.
    pub fn dissent(&self) -> Option<(Ratio, Claim)> {
        let other = self.other.filter(|other| *other != self.change)?;
        Some((if self.judged == Judged::Relative { self.plain } else { self.relative? }, other))
    }
}

/// What one of the results says about itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Origin {
    pub started: String,
    pub heapwright: String,
    pub seed: u64,
    pub scale: f64,
    pub workloads_only_here: Vec<String>,
    pub allocators_only_here: Vec<String>,
}

/// Two results beside each other.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    pub schema: &'static str,
    pub version: u32,
    /// The one that is divided by.
    pub old: Origin,
    pub new: Origin,
    /// The baseline of both, if it is the same and did not change.
    pub baseline: Option<String>,
    /// Allocators in both, with their versions where those changed.
    pub allocators: Vec<Subject>,
    /// What fails in one of the two only, or was refused memory, and is not compared for that.
    pub not_compared: Vec<String>,
    pub warnings: Vec<String>,
    /// Figures by allocator, what they are of, and workload; the geometric mean last.
    pub lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    pub name: String,
    pub role: Role,
    /// Its version in the old and in the new result.
    pub versions: [Option<String>; 2],
}

impl Comparison {
    /// The judged ratios, for rules: not those of the control; the baseline's own only where it is what may have changed.
    pub fn named(&self) -> Vec<Named> {
        self.lines
            .iter()
            .filter(|l| match l.role {
                Role::Contender => true,
                Role::Baseline => self.baseline.is_none() || l.metric == Metric::Memory,
                Role::Control | Role::Floor => false,
            })
            .map(|l| Named {
                workload: l.workload.clone(),
                allocator: l.allocator.clone(),
                metric: l.metric,
                ratio: l.ratio(),
            })
            .collect()
    }

    /// Whether it is of results without times.
    pub fn is_counted(&self) -> bool {
        self.lines.iter().all(|line| Metric::COUNTED.contains(&line.metric))
    }

    /// The names that rules may use: workloads, then allocators.
    pub fn names(&self) -> (Vec<&str>, Vec<&str>) {
        let mut workloads: Vec<&str> = Vec::new();
        for name in self.lines.iter().filter_map(|l| l.workload.as_deref()) {
            if !workloads.contains(&name) {
                workloads.push(name);
            }
        }
        let judged = |s: &&Subject| matches!(s.role, Role::Contender | Role::Baseline);
        let allocators = self.allocators.iter().filter(judged).map(|s| s.name.as_str()).collect();
        (workloads, allocators)
    }

    pub fn overall(&self, role: Role, metric: Metric) -> Option<&Line> {
        self.lines.iter().find(|l| l.workload.is_none() && l.role == role && l.metric == metric)
    }
}

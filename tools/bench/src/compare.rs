//! Two results of `heapwright bench` beside each other: what became slower, what takes more memory.
//!
//! ```text
//! plain     = new ÷ old                                  a figure against the same figure of the other day
//! relative  = (new ÷ new's glibc) ÷ (old ÷ old's glibc)  what happened to the machine and to glibc alike cancels out
//! ```
//!
//! The two were measured at different times: a machine that became slower in between shows in `plain` as if the allocator had,
//! and no number of rounds tells. So times are judged by `relative` where both results have the same baseline,
//! and it did not change itself; its own plain ratio is printed as the drift, and its control's relative ratio, which should be 1,
//! as the noise of the comparison. Memory does not drift: it is judged by `plain`, unless the machines differ. Where the
//! other of the two says something else, both are shown.
//!
//! Intervals are of 95 %: the runs of each result are resampled by themselves, rounds whole, so that pairs stay pairs.
//! They hold what varied from run to run; for what varied from day to day two results are two samples.
//! Cost: [`figures::DRAWS`] medians for each figure; a second or two for forty workloads on ten allocators.

mod circumstances;
pub mod figures;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::fail_if::{Metric, Named};
use crate::result::{Report, SCHEMA, VERSION};
use crate::rng::Rng;
use crate::session::Role;
use crate::stats::Ratio;
use figures::{Drawn, Side};

/// What `schema` says.
pub const COMPARE_SCHEMA: &str = "heapwright-compare";

/// The version of that schema.
pub const COMPARE_VERSION: u32 = 1;

/// The file in a folder of results.
const FILE: &str = "result.json";

/// The oldest version of results that can be read.
const OLDEST: u64 = 2;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be read.
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    /// It is no result, or one of another version.
    #[error("{0} {1}")]
    Schema(PathBuf, String),
    /// The two have nothing that can be compared.
    #[error("{0}")]
    Nothing(String),
}

/// Which of the two ratios is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judged {
    /// New ÷ old.
    Plain,
    /// The same of the ratios to the baseline.
    Relative,
}

/// What a ratio says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// The new one takes more: the whole interval is above 1, and the estimate beyond the noise.
    More,
    /// The new one takes less.
    Less,
    /// No difference is shown.
    Same,
    /// There are too few runs for an interval.
    Unknown,
}

impl Change {
    fn of(ratio: &Ratio, noise: Option<f64>) -> Self {
        let beyond = (ratio.estimate - 1.0).abs() > noise.unwrap_or(0.0);
        match ratio {
            r if r.pairs < 2 => Self::Unknown,
            r if r.low > 1.0 && beyond => Self::More,
            r if r.high < 1.0 && beyond => Self::Less,
            _ => Self::Same,
        }
    }
}

/// One figure in both results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The workload; `None`: the geometric mean over all.
    pub workload: Option<String>,
    /// The allocator.
    pub allocator: String,
    /// Its part.
    pub role: Role,
    /// What it is of.
    pub metric: Metric,
    /// Which ratio is judged.
    pub judged: Judged,
    /// New ÷ old; `pairs` is the number of runs in the result that has fewer.
    pub plain: Ratio,
    /// The same of the ratios to the baseline, if both results have the same one.
    pub relative: Option<Ratio>,
    /// What the judged ratio says.
    pub change: Change,
    /// What the other ratio says, if there is one.
    pub other: Option<Change>,
}

impl Line {
    /// The ratio that is judged.
    #[must_use]
    pub fn ratio(&self) -> Ratio {
        match (self.judged, self.relative) {
            (Judged::Relative, Some(relative)) => relative,
            _ => self.plain,
        }
    }

    /// The ratio that is not judged, where it says something else.
    #[must_use]
    pub fn dissent(&self) -> Option<(Ratio, Change)> {
        let other = self.other.filter(|other| *other != self.change)?;
        Some((if self.judged == Judged::Relative { self.plain } else { self.relative? }, other))
    }
}

/// What one of the results says about itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Origin {
    /// When it was measured.
    pub started: String,
    /// The version of heapwright that measured.
    pub heapwright: String,
    /// The seed.
    pub seed: u64,
    /// The scale.
    pub scale: f64,
    /// Workloads that the other lacks.
    pub workloads_only_here: Vec<String>,
    /// Allocators that the other lacks.
    pub allocators_only_here: Vec<String>,
}

/// Two results beside each other.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// [`COMPARE_SCHEMA`].
    pub schema: &'static str,
    /// [`COMPARE_VERSION`].
    pub version: u32,
    /// The one that is divided by.
    pub old: Origin,
    /// The other.
    pub new: Origin,
    /// The baseline of both, if it is the same and did not change.
    pub baseline: Option<String>,
    /// Allocators in both, with their versions where those changed.
    pub allocators: Vec<Subject>,
    /// What fails in one of the two only, or was refused memory, and is not compared for that.
    pub not_compared: Vec<String>,
    /// What a reader should know.
    pub warnings: Vec<String>,
    /// Figures by allocator, what they are of, and workload; the geometric mean last.
    pub lines: Vec<Line>,
}

/// An allocator in both results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its part.
    pub role: Role,
    /// Its version in the old and in the new result.
    pub versions: [Option<String>; 2],
}

/// Reads a result, from its file or from the folder that holds it.
///
/// # Errors
///
/// The file cannot be read, or is no result of a version that is known.
pub fn load(path: &Path) -> Result<Report, Error> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    let text = fs::read(&file).map_err(|e| Error::Read(file.clone(), e))?;
    let fault = |what: String| Error::Schema(file.clone(), what);
    let json: serde_json::Value =
        serde_json::from_slice(&text).map_err(|e| fault(format!("is no JSON: {e}")))?;
    match json.get("schema").and_then(|s| s.as_str()) {
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(fault(format!("has the schema {other:?}; expected {SCHEMA:?}")));
        }
        None => return Err(fault(format!("has no \"schema\"; expected {SCHEMA:?}"))),
    }
    match json.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version >= OLDEST => {}
        found => {
            let found = found.map_or_else(|| "none".to_owned(), |v| v.to_string());
            return Err(fault(format!(
                "has version {found} of {SCHEMA}; this heapwright reads {OLDEST} to {VERSION} and later ones that only \
                 add fields: measure again"
            )));
        }
    }
    serde_json::from_value(json).map_err(|e| fault(format!("says it is {SCHEMA}, but: {e}")))
}

/// Compares `new` with `old`.
///
/// # Errors
///
/// No workload and allocator are in both, or all that is in both was measured at another scale.
pub fn of(old: &Report, new: &Report) -> Result<Comparison, Error> {
    let (before, after) = (Side::new(old), Side::new(new));
    let baseline = circumstances::common_baseline(old, new);
    let allocators: Vec<Subject> = new
        .allocators
        .iter()
        .filter(|entry| entry.role != Role::Floor && before.allocator(&entry.name).is_some())
        .map(|entry| Subject {
            name: entry.name.clone(),
            role: entry.role,
            versions: [before.version(&entry.name), entry.version.clone()],
        })
        .collect();
    let mut comparison = Comparison {
        schema: COMPARE_SCHEMA,
        version: COMPARE_VERSION,
        old: origin(old, new),
        new: origin(new, old),
        baseline: baseline.clone(),
        allocators,
        not_compared: Vec::new(),
        warnings: circumstances::warnings(old, new, baseline.as_deref()),
        lines: Vec::new(),
    };
    let workloads = shared_workloads(old, new, &mut comparison.not_compared);
    let rule = Rules {
        workloads: &workloads,
        baseline: baseline.as_deref(),
        same_scale: circumstances::same(old.scale, new.scale),
        same_machine: circumstances::same_machine(old, new),
    };
    let mut rng = Rng::new(new.seed);
    for metric in Metric::ALL {
        rule.lines(metric, &before, &after, &mut rng, &mut comparison);
    }
    comparison
        .lines
        .sort_by_key(|l| comparison.allocators.iter().position(|a| a.name == l.allocator));
    if comparison.lines.is_empty() {
        return Err(Error::Nothing(nothing(old, new, &comparison)));
    }
    Ok(comparison)
}

impl Comparison {
    /// The judged ratios, for rules: not those of the control; the baseline's own only where it is what may have changed.
    #[must_use]
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

    /// The names that rules may use: workloads, then allocators.
    #[must_use]
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

    /// The line over all workloads.
    #[must_use]
    pub fn overall(&self, role: Role, metric: Metric) -> Option<&Line> {
        self.lines.iter().find(|l| l.workload.is_none() && l.role == role && l.metric == metric)
    }
}

/// What holds for all figures of a comparison.
struct Rules<'a> {
    workloads: &'a [String],
    baseline: Option<&'a str>,
    same_scale: bool,
    same_machine: bool,
}

impl Rules<'_> {
    /// Adds the lines of one kind of figure.
    fn lines(&self, metric: Metric, old: &Side, new: &Side, rng: &mut Rng, to: &mut Comparison) {
        if !self.same_scale && metric != Metric::Ns {
            return;
        }
        // The control first: what it differs by is the noise of the others.
        let mut subjects = to.allocators.clone();
        subjects.sort_by_key(|s| s.role != Role::Control);
        let mut noise: Vec<(Option<String>, f64)> = Vec::new();
        for subject in &subjects {
            let mut all: Vec<(Option<String>, Drawn, Option<Drawn>)> = Vec::new();
            for name in self.workloads {
                if metric == Metric::Time {
                    to.not_compared.extend(figures::obstacle(old, new, name, &subject.name));
                }
                if metric != Metric::Memory && figures::refused(old, new, name, &subject.name) {
                    continue;
                }
                let Some(plain) = figures::plain(old, new, name, &subject.name, metric, rng) else {
                    continue;
                };
                let relative = self.baseline.filter(|b| *b != subject.name).and_then(|baseline| {
                    figures::relative(old, new, name, &subject.name, baseline, metric, rng)
                });
                all.push((Some(name.clone()), plain, relative));
            }
            if all.is_empty() {
                continue;
            }
            let plain = Drawn::mean(all.iter().map(|(_, plain, _)| plain));
            let relative = Drawn::mean(all.iter().filter_map(|(_, _, relative)| relative.as_ref()));
            all.extend(plain.map(|plain| (None, plain, relative)));
            for (workload, plain, relative) in &all {
                let line = self.line(subject, metric, workload, plain, relative.as_ref(), &noise);
                if subject.role == Role::Control {
                    let r = line.relative.unwrap_or(line.plain);
                    noise.push((workload.clone(), (r.high - 1.0).abs().max((1.0 - r.low).abs())));
                }
                to.lines.push(line);
            }
        }
    }

    fn line(
        &self,
        subject: &Subject,
        metric: Metric,
        workload: &Option<String>,
        plain: &Drawn,
        relative: Option<&Drawn>,
        noise: &[(Option<String>, f64)],
    ) -> Line {
        let drifts = metric != Metric::Memory || !self.same_machine;
        let judged = if drifts && relative.is_some() { Judged::Relative } else { Judged::Plain };
        // The control was compared with the baseline: that noise is the relative ratio's.
        let noise = noise.iter().find(|(w, _)| w == workload).map(|(_, noise)| *noise);
        let (plain, relative) = (plain.ratio(), relative.map(Drawn::ratio));
        let of_plain = Change::of(&plain, None);
        let of_relative = relative.map(|r| Change::of(&r, noise));
        let (change, other) = match (judged, of_relative) {
            (Judged::Relative, Some(of_relative)) => (of_relative, Some(of_plain)),
            (_, of_relative) => (of_plain, of_relative),
        };
        Line {
            workload: workload.clone(),
            allocator: subject.name.clone(),
            role: subject.role,
            metric,
            judged,
            plain,
            relative,
            change,
            other,
        }
    }
}

fn origin(report: &Report, other: &Report) -> Origin {
    let only = |mine: Vec<&String>, others: Vec<&String>| -> Vec<String> {
        mine.into_iter().filter(|name| !others.contains(name)).cloned().collect()
    };
    let works = |r: &'_ Report| r.workloads.iter().map(|w| w.name.clone()).collect::<Vec<_>>();
    let names = |r: &'_ Report| {
        r.allocators
            .iter()
            .filter(|e| matches!(e.role, Role::Baseline | Role::Contender))
            .map(|e| e.name.clone())
            .collect::<Vec<_>>()
    };
    Origin {
        started: report.started.clone(),
        heapwright: report.heapwright.clone(),
        seed: report.seed,
        scale: report.scale,
        workloads_only_here: only(works(report).iter().collect(), works(other).iter().collect()),
        allocators_only_here: only(names(report).iter().collect(), names(other).iter().collect()),
    }
}

/// The workloads in both, in the new one's order, without those that do other work now.
fn shared_workloads(old: &Report, new: &Report, not_compared: &mut Vec<String>) -> Vec<String> {
    let mut shared = Vec::new();
    for work in &new.workloads {
        let Some(before) = old.workloads.iter().find(|w| w.name == work.name) else { continue };
        match circumstances::other_work(before, work) {
            None => shared.push(work.name.clone()),
            Some(why) => not_compared.push(format!("{}: {why}", work.name)),
        }
    }
    shared
}

/// Why nothing could be compared.
fn nothing(old: &Report, new: &Report, comparison: &Comparison) -> String {
    if !circumstances::same(old.scale, new.scale) {
        return format!(
            "the two were measured at different scales, {} and {}: their times cannot be compared, and no workload \
             in both counts its calls",
            old.scale, new.scale
        );
    }
    let mut text = "nothing was measured in both".to_owned();
    for (name, origin) in [("old", &comparison.old), ("new", &comparison.new)] {
        text.push_str(&format!(
            "\n  only in {name}: workloads {}; allocators {}",
            list(&origin.workloads_only_here),
            list(&origin.allocators_only_here)
        ));
    }
    text
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;

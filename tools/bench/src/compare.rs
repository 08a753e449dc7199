//! Two results of `heapwright bench` beside each other: what became slower, what takes more memory.
//!
//! ```text
//! plain     = new ÷ old                                  a figure against the same figure of the other day
//! relative  = (new ÷ new's glibc) ÷ (old ÷ old's glibc)  what happened to the machine and to glibc alike cancels out
//! ```
//!
//! The two were measured at different times: a machine that became slower in between shows in `plain` as if the allocator had,
//! and no number of rounds shows it. So times are judged by `relative` where both results have the same baseline,
//! and it did not change itself; its own plain ratio is printed as the drift, and its control's relative ratio, which should be 1,
//! as the noise of the comparison. Memory does not drift: it is judged by `plain`, unless the machines differ. Where the
//! other of the two says something else, both are shown.
//!
//! Intervals are of 95 %: the runs of each result are resampled by themselves, rounds whole, so that pairs stay pairs.
//! They hold what varied from run to run; for what varied from day to day two results are two samples.
//! Cost: [`figures::DRAWS`] medians for each figure; a second or two for forty workloads on ten allocators.

mod circumstances;
mod comparison;
pub mod figures;
mod judge;

pub use comparison::{COMPARE_SCHEMA, COMPARE_VERSION, Comparison, Judged, Line, Origin, Subject};

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::fail_if::Metric;
use crate::result::Report;
use crate::session::Role;
use figures::Side;
use judge::Rules;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {0}")]
    Read(PathBuf, #[source] io::Error),
    #[error("{0} {1}")]
    Schema(PathBuf, String),
    #[error("{0}")]
    Nothing(String),
}

/// Reads a result, from its file or from the folder that holds it.
/// Errors: the file cannot be read, or is no result of a version that is known.
pub fn load(path: &Path) -> Result<Report, Error> {
    let file = if path.is_dir() { path.join("result.json") } else { path.to_owned() };
    let text = fs::read(&file).map_err(|e| Error::Read(file.clone(), e))?;
    let report = Report::from_json(&String::from_utf8_lossy(&text));
    report.map_err(|why| Error::Schema(file, why))
}

/// Compares `new` with `old`.
/// Errors: no workload and allocator are in both, or all that is in both was measured at another scale.
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
    let starved = workloads.iter().filter(|w| before.is_starved(w) || after.is_starved(w));
    let starved: Vec<&str> = starved.map(String::as_str).collect();
    if !starved.is_empty() {
        comparison.warnings.push(format!(
            "most runs of old or new did not get their processors, so processor time is compared: {}",
            starved.join(", ")
        ));
    }
    let rules = Rules {
        workloads: &workloads,
        baseline: baseline.as_deref(),
        same_scale: circumstances::same(old.scale, new.scale),
        same_machine: circumstances::same_machine(old, new),
    };
    let mut rng = fastrand::Rng::with_seed(new.seed);
    for metric in Metric::all() {
        rules.lines(metric, &before, &after, &mut rng, &mut comparison);
    }
    comparison
        .lines
        .sort_by_key(|l| comparison.allocators.iter().position(|a| a.name == l.allocator));
    if comparison.lines.is_empty() {
        return Err(Error::Nothing(nothing(old, new, &comparison)));
    }
    Ok(comparison)
}

fn origin(report: &Report, other: &Report) -> Origin {
    let only = |names: fn(&Report) -> Vec<String>| -> Vec<String> {
        let others = names(other);
        names(report).into_iter().filter(|name| !others.contains(name)).collect()
    };
    Origin {
        started: report.started.clone(),
        heapwright: report.heapwright.clone(),
        seed: report.seed,
        scale: report.scale,
        workloads_only_here: only(|r| r.workloads.iter().map(|w| w.name.clone()).collect()),
        allocators_only_here: only(|r| {
            r.contestants().map(|who| r.allocators[who].name.clone()).collect()
        }),
    }
}

/// The workloads in both, in the new one's order, without those that do other work now.
fn shared_workloads(old: &Report, new: &Report, not_compared: &mut Vec<String>) -> Vec<String> {
    let mut shared = Vec::new();
    let same_scale = circumstances::same(old.scale, new.scale);
    for work in &new.workloads {
        let Some(before) = old.workloads.iter().find(|w| w.name == work.name) else { continue };
        match circumstances::other_work(before, work, same_scale) {
            None => shared.push(work.name.clone()),
            Some(why) => not_compared.push(format!("{}: {why}", work.name)),
        }
    }
    shared
}

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

//! The bounds as data, and what a result of `heapwright bench` says of them.

use std::path::Path;

use bench::result::{Cell, Report};
use bench::session::Role;
use serde::Deserialize;

use crate::figures;
use crate::files;
use crate::judge::{Line, Verdict};

pub(super) const SUBJECT: &str = "heapwright";
pub(super) const GLIBC: &str = "glibc";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    entry: Vec<Entry>,
}

/// Something that is measured; the fields are explained in the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) name: String,
    #[serde(default)]
    pub(super) run: Vec<String>,
    pub(super) quick: Option<Vec<String>>,
    #[serde(default)]
    pub(super) workloads: Vec<String>,
    pub(super) about: String,
    #[serde(rename = "bound")]
    bounds: Vec<Bound>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    says: String,
    value: String,
    against: Against,
    at_most: f64,
    #[serde(default = "one")]
    divide: f64,
    #[serde(default)]
    unit: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
enum Against {
    #[serde(rename = "best peer")]
    BestPeer,
    #[serde(rename = "glibc")]
    Glibc,
    #[serde(rename = "above glibc")]
    AboveGlibc,
    #[serde(rename = "nothing")]
    Nothing,
}

fn one() -> f64 {
    1.0
}

pub(super) fn load(file: &Path) -> Result<Vec<Entry>, String> {
    let read: File =
        toml::from_str(&files::read(file)?).map_err(|e| format!("{}: {e}", file.display()))?;
    match read.entry.iter().find(|e| e.run.is_empty() == e.workloads.is_empty()) {
        Some(e) => Err(format!("{}: {}: either run or workloads", file.display(), e.name)),
        None => Ok(read.entry),
    }
}

/// Every bound of `entry` in what was measured of it. What has no figure does not hold.
pub(super) fn judge(entry: &Entry, report: &Report) -> Vec<Line> {
    entry.bounds.iter().map(|bound| line(bound, report)).collect()
}

fn line(bound: &Bound, report: &Report) -> Line {
    let number = |v: f64| format!("{v:.0$} {1}", if v < 10.0 { 2 } else { 0 }, bound.unit);
    let of = |name: &str| value(report, name, &bound.value).map(|v| v / bound.divide);
    let base = match bound.against {
        Against::Nothing => Some((String::new(), 0.0)),
        Against::AboveGlibc | Against::Glibc => of(GLIBC).map(|v| (GLIBC.to_owned(), v)),
        Against::BestPeer => best_peer(report, of),
    };
    let (figure, limit, holds) = match (of(SUBJECT), base) {
        (None, _) => ("did not run".to_owned(), number(bound.at_most), false),
        (_, None) => ("nothing to compare with".to_owned(), number(bound.at_most), false),
        (Some(own), Some((base, other))) => match bound.against {
            Against::Nothing | Against::AboveGlibc => {
                (number(own - other), number(bound.at_most), own - other <= bound.at_most)
            }
            Against::BestPeer | Against::Glibc => {
                let ratio = own / other;
                let limit = format!("{:.2}", bound.at_most);
                (format!("{ratio:.3} × {base}"), limit, ratio <= bound.at_most)
            }
        },
    };
    let (says, verdict) = (bound.says.clone(), Verdict::of(holds));
    Line { says, figure, bound: format!("≤ {}", limit.trim_end()), verdict }
}

/// The allocator with the least value, of all that heapwright is compared with.
fn best_peer(report: &Report, of: impl Fn(&str) -> Option<f64>) -> Option<(String, f64)> {
    let peers = report.allocators.iter();
    let peers = peers.filter(|e| matches!(e.role, Role::Baseline | Role::Contender));
    let others = peers.filter(|e| e.name != SUBJECT);
    let values = others.filter_map(|e| Some((e.name.clone(), of(&e.name)?)));
    values.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// An allocator's value: the geometric mean over the workloads, each of which must have it.
fn value(report: &Report, allocator: &str, value: &str) -> Option<f64> {
    let each = report.workloads.iter().map(|w| of_cell(report.cell_of(w, allocator)?, value));
    let each: Vec<f64> = each.collect::<Option<_>>()?;
    figures::geometric_mean(&each)
}

fn of_cell(cell: &Cell, value: &str) -> Option<f64> {
    if cell.failure.is_some() {
        return None;
    }
    match value {
        "cpu" => cell.cpu.map(|c| c.median),
        "peak_rss" => cell.peak_rss.map(|c| c.median),
        name => cell.values.iter().find(|v| v.name == name).map(|v| v.value),
    }
}

#[cfg(test)]
mod tests;

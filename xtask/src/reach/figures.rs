//! From samples to the lines of the table of bounds.

use super::definition::{Against, Definition, Figure};
use super::plan::{Samples, median};
use crate::golden::{self, Counts};
use std::collections::BTreeMap;

/// The names the subject and the baseline have in samples.
#[derive(Debug)]
pub(super) struct Names<'a> {
    /// Whose figures these are.
    pub(super) subject: &'a str,
    /// Everyone it is compared with, glibc among them.
    pub(super) peers: Vec<&'a str>,
}

pub(super) const GLIBC: &str = "glibc";

/// One line: what it is about, the figure, its spread, the bound and whether it holds.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) says: String,
    pub(super) figure: String,
    pub(super) spread: String,
    pub(super) bound: String,
    pub(super) holds: bool,
}

/// A line about real programs, whose geometric mean is compared.
struct Mean {
    says: &'static str,
    key: &'static str,
    against: Against,
    at_most: f64,
}

const MEANS: [Mean; 2] = [
    Mean {
        says: "real programs, CPU time",
        key: "cpu_us",
        against: Against::BestPeer,
        at_most: 1.02,
    },
    Mean {
        says: "real programs, peak RSS",
        key: "peak_kib",
        against: Against::Glibc,
        at_most: 1.05,
    },
];

/// The lines about instructions.
pub(super) fn instructions(counts: &BTreeMap<String, Counts>) -> Vec<Line> {
    let line = |bound: &golden::Bound| {
        let Some(found) = counts.get(bound.entry) else {
            return missing(bound.says, "not offered");
        };
        let figure = format!(
            "{} instructions, {} branches, {} atomics",
            found.instructions, found.branches, found.atomics
        );
        let also =
            |n: Option<u32>, what: &str| n.map_or_else(String::new, |n| format!(", {n} {what}"));
        Line {
            says: bound.says.to_owned(),
            figure,
            spread: "exact".to_owned(),
            bound: format!(
                "≤ {}{}{}",
                bound.instructions,
                also(bound.branches, "branches"),
                also(bound.atomics, "atomics")
            ),
            holds: golden::over(bound, found).is_empty(),
        }
    };
    golden::BOUNDS.iter().map(line).collect()
}

/// The lines a workload asks for.
pub(super) fn of(definition: &Definition, samples: &Samples, names: &Names<'_>) -> Vec<Line> {
    definition.figures.iter().map(|f| line(f, &definition.name, samples, names)).collect()
}

/// The lines about the real programs together.
pub(super) fn means(real: &[&Definition], samples: &Samples, names: &Names<'_>) -> Vec<Line> {
    MEANS.iter().map(|m| mean_line(m, real, samples, names)).collect()
}

fn line(figure: &Figure, workload: &str, samples: &Samples, names: &Names<'_>) -> Line {
    let median_of = |who: &str| samples.median(workload, who, &figure.key);
    let Some(subject) = median_of(names.subject) else {
        return missing(&figure.says, "did not run");
    };
    let mine = samples.values(workload, names.subject, &figure.key);
    let number = |value: f64| format!("{:.*} {}", digits(value), value, figure.unit);
    let bound = |text: String| format!("≤ {text}");
    match figure.against {
        Against::Nothing | Against::AboveGlibc => {
            let base =
                if figure.against == Against::Nothing { Some(0.0) } else { median_of(GLIBC) };
            let Some(base) = base else { return missing(&figure.says, "glibc did not run") };
            let value = (subject - base) / figure.divide;
            let all: Vec<f64> = mine.iter().map(|v| (v - base) / figure.divide).collect();
            Line {
                says: figure.says.clone(),
                figure: number(value),
                spread: spread(&all),
                bound: bound(number(figure.at_most)),
                holds: value <= figure.at_most,
            }
        }
        Against::BestPeer | Against::Glibc => {
            let base = if figure.against == Against::Glibc {
                median_of(GLIBC).map(|v| (GLIBC, v))
            } else {
                best(names, median_of)
            };
            let Some((who, base)) = base else { return missing(&figure.says, "no peer ran") };
            let ratios = paired(&mine, &samples.values(workload, who, &figure.key));
            ratio_line(&figure.says, subject / base, &ratios, who, figure.at_most)
        }
    }
}

fn mean_line(mean: &Mean, real: &[&Definition], samples: &Samples, names: &Names<'_>) -> Line {
    let of = |who: &str| geometric(real.iter().map(|d| samples.median(&d.name, who, mean.key)));
    let Some(subject) = of(names.subject) else {
        return missing(mean.says, "not every program ran");
    };
    let base = match mean.against {
        Against::Glibc => of(GLIBC).map(|v| (GLIBC, v)),
        _ => best(names, of),
    };
    let Some((who, base)) = base else { return missing(mean.says, "no peer ran every program") };
    // Round by round: the geometric mean over the programs of the paired ratios.
    let per_program: Vec<Vec<f64>> = real
        .iter()
        .map(|d| {
            let values = |name: &str| samples.values(&d.name, name, mean.key);
            paired(&values(names.subject), &values(who))
        })
        .collect();
    let rounds = per_program.iter().map(Vec::len).min().unwrap_or(0);
    let ratios: Vec<f64> = (0..rounds)
        .filter_map(|round| geometric(per_program.iter().map(|ratios| ratios.get(round).copied())))
        .collect();
    let says = format!("{} (geometric mean of {})", mean.says, real.len());
    ratio_line(&says, subject / base, &ratios, who, mean.at_most)
}

fn ratio_line(says: &str, ratio: f64, ratios: &[f64], base: &str, at_most: f64) -> Line {
    Line {
        says: says.to_owned(),
        figure: format!("{ratio:.3} × {base}"),
        spread: spread(ratios),
        bound: format!("≤ {at_most:.2}"),
        holds: ratio <= at_most,
    }
}

fn missing(says: &str, why: &str) -> Line {
    Line {
        says: says.to_owned(),
        figure: why.to_owned(),
        spread: String::new(),
        bound: String::new(),
        holds: false,
    }
}

/// The peer with the lowest value.
fn best<'a>(names: &Names<'a>, value: impl Fn(&str) -> Option<f64>) -> Option<(&'a str, f64)> {
    let ran = names.peers.iter().filter_map(|&name| Some((name, value(name)?)));
    ran.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Ratios of the values of the same round.
fn paired(mine: &[f64], theirs: &[f64]) -> Vec<f64> {
    mine.iter().zip(theirs).map(|(a, b)| a / b).collect()
}

/// The geometric mean, if every value is there and positive.
pub(super) fn geometric(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let logs: Option<Vec<f64>> = values.map(|v| v.filter(|&v| v > 0.0).map(f64::ln)).collect();
    let logs = logs.filter(|logs| !logs.is_empty())?;
    Some((logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

/// The least and the greatest of several rounds.
fn spread(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match median(values.to_vec()) {
        Some(middle) if values.len() > 1 => {
            let digits = if middle < 10.0 { 3 } else { digits(middle) };
            format!("{least:.digits$} – {most:.digits$}")
        }
        _ => String::new(),
    }
}

fn digits(value: f64) -> usize {
    match value.abs() {
        v if v < 10.0 => 2,
        v if v < 1000.0 => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;

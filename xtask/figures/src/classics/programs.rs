//! Two programs of `bench/programs`: what small objects cost, and whether memory piles up between threads.

use std::path::Path;

use bench::result::Report;

use super::{Line, designs};
use crate::{command, programs};

/// The most bytes that an object of 8 may cost, in thousandths: 8.1.
const MOST: f64 = 8100.0;
/// What memory may grow by after the first ten seconds and be called flat: a twentieth, and never less than a mebibyte.
const FLAT: f64 = 1.05;
const FLAT_KIB: f64 = 1024.0;

/// One program's result on all designs.
fn measure(heapwright: &Path, words: &[&str]) -> Result<Report, String> {
    let program = programs::build(words[0])?.display().to_string();
    let allocators = ["glibc"].into_iter().chain(designs()).collect::<Vec<_>>().join(",");
    let mut all = ["-a", &allocators, "--no-tails", "--rounds", "1", "--cold", "--"]
        .map(str::to_owned)
        .to_vec();
    all.push(program);
    all.extend(words[1..].iter().map(|word| (*word).to_owned()));
    command::bench(heapwright, &all)
}

/// What the program printed under a name, on a design.
fn value(report: &Report, design: &str, name: &str) -> Option<f64> {
    let at = report.allocators.iter().position(|entry| entry.name == design)?;
    let cell = report.workloads.first()?.cells.get(at)?;
    cell.values.iter().find(|value| value.name == name).map(|value| value.value)
}

/// 10 million objects of 8 bytes.
pub(super) fn objects(heapwright: &Path) -> Result<Vec<Line>, String> {
    eprintln!("classics: objects of 8 bytes");
    let report = measure(heapwright, &["objects", "10000000", "8"])?;
    let line = |design: &&str| {
        let says = format!("{design}: bytes for each of 10 million objects of 8 bytes");
        let is_bound = *design == "thread-caching";
        let bound = if is_bound { "at most 8.1" } else { "none" };
        match value(&report, design, "millibytes_per_object") {
            Some(milli) => {
                Line::new(says, format!("{:.3}", milli / 1e3), bound, !is_bound || milli <= MOST)
            }
            None => Line::missing(says, bound),
        }
    };
    Ok(designs().iter().map(line).collect())
}

/// Five minutes of handing objects over.
pub(super) fn handover(heapwright: &Path, quick: bool) -> Result<Vec<Line>, String> {
    let seconds = if quick { "30" } else { "300" };
    eprintln!("classics: handing over for {seconds} seconds on each design");
    let report = measure(heapwright, &["handover", seconds])?;
    let line = |design: &&str| {
        let says =
            format!("{design}: memory in {seconds} s of handing over ÷ that of the first ten");
        let bound = "at most 1.05, or 1 MiB more";
        let get = |name| value(&report, design, name);
        match get("warm_kib").zip(get("most_kib")) {
            Some((warm, most)) => {
                let holds = most <= (warm * FLAT).max(warm + FLAT_KIB);
                let figure = format!("{:.3} ({warm:.0} to {most:.0} KiB)", most / warm);
                Line::new(says, figure, bound, holds)
            }
            None => Line::missing(says, bound),
        }
    };
    Ok(designs().iter().map(line).collect())
}

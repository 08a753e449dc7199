//! Two programs of `bench/programs`: what small objects cost, and whether memory piles up between threads.

use std::path::Path;

use bench::result::Report;

use super::designs;
use crate::judge::{Bounds, Figure, Line};
use crate::{command, programs};

/// Growth below a mebibyte is none, whatever it is a part of.
const LEAST_KIB: f64 = 20.0 * 1024.0;

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

fn value(report: &Report, design: &str, name: &str) -> Option<f64> {
    let cell = report.cell_of(report.workloads.first()?, design)?;
    cell.values.iter().find(|value| value.name == name).map(|value| value.value)
}

pub(super) fn objects(bounds: &Bounds, heapwright: &Path) -> Result<Vec<Line>, String> {
    eprintln!("classics: objects of 8 bytes");
    let report = measure(heapwright, &["objects", "10000000", "8"])?;
    let line = |design: &&str| {
        let bytes = value(&report, design, "millibytes_per_object").map(|milli| milli / 1e3);
        let of = |name: &str| bounds.part("objects").iter().find(|bound| bound.figure == name);
        of(design).or(of("any")).map(|bound| bound.judge(bytes, false).of(design))
    };
    Ok(designs().iter().filter_map(line).collect())
}

/// Five minutes of handing objects over.
pub(super) fn handover(
    bounds: &Bounds,
    heapwright: &Path,
    quick: bool,
) -> Result<Vec<Line>, String> {
    let seconds = if quick { "30" } else { "300" };
    eprintln!("classics: handing over for {seconds} seconds on each design");
    let report = measure(heapwright, &["handover", seconds])?;
    let line = |design: &&str| {
        let get = |name| value(&report, design, name);
        let both = get("warm_kib").zip(get("most_kib"));
        let growth = |(warm, most): (f64, f64)| 1.0 + (most - warm) / warm.max(LEAST_KIB);
        let shown = |(warm, most)| format!("{:.3} ({warm:.0} to {most:.0} KiB)", most / warm);
        let figure =
            |_: &str| Figure { value: both.map(growth), shown: both.map(shown), is_untold: false };
        let judged = bounds.judge("handover", quick, figure);
        judged.into_iter().map(|line| line.of(design)).collect::<Vec<_>>()
    };
    Ok(designs().iter().flat_map(line).collect())
}

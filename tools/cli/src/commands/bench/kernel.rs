//! The experiments of the texts on the kernel's allocators, by their words.
//!
//! ```text
//! kernel-sweep   the sweep over sizes, and the wide ranges that the text has beside it
//! kmem-stack     sequences of objects, which are printed, and are the same every time
//! chain          is like any other workload
//! ```

use bench::result::{Cell, Report, Series};
use bench::session::Options;
use bench::stats::median;
use bench::workload::Workload;

use crate::flags::workload::WorkloadArg;

/// The sweep over sizes, and what belongs to it.
const SWEEP: &str = "kernel-sweep";
const WIDE: &str = "kernel-wide";
/// The order in which objects go out.
const STACK: &str = "kmem-stack";
/// What the letters of the sequences stand for.
const POLICIES: [&str; 3] = [
    "A: Linux up to 6.17, a stack in the present slab; a fresh slab goes upward",
    "B: Linux since 7.0, a stack in a magazine over slabs; a fresh magazine goes downward",
    "C: distributions' kernels, as A, but a fresh slab is shuffled",
];
/// Numbers of a sequence that are printed.
const SHOWN: usize = 20;

/// What the words mean: the sweep by itself is the text's whole experiment.
pub(super) fn words(mut words: Vec<WorkloadArg>) -> Vec<WorkloadArg> {
    let is_whole = matches!(&words[..], [only] if only.name == SWEEP && only.parameters.is_empty());
    if is_whole {
        words.push(WorkloadArg { name: WIDE.to_owned(), parameters: Vec::new() });
    }
    words
}

/// Of sequences alone one round says all.
pub(super) fn limit(options: &mut Options, workloads: &[Workload]) {
    if workloads.iter().all(|work| work.alone) {
        options.rounds = options.rounds.or(Some(1));
        options.warmup = options.warmup.min(1);
    }
}

/// The sequences of `kmem-stack`, and whether each is the one that is expected; nothing if it was not run.
pub(super) fn sequences(report: &Report) -> String {
    let works = report.workloads.iter().filter(|work| work.name.split(':').next() == Some(STACK));
    let cells = works.flat_map(|work| &work.cells).filter(|cell| !cell.series.is_empty());
    let Some(cell) = cells.into_iter().next() else { return String::new() };
    let (apart, orders): (Vec<&Series>, Vec<&Series>) =
        cell.series.iter().partition(|series| series.name.starts_with("distance/"));
    let mut text = String::from("numbers of objects, in the order in which they are handed out\n");
    for policy in POLICIES {
        text += &format!("  {policy}\n");
    }
    let mut right = 0;
    for series in &orders {
        let holds = is_expected(cell, series);
        right += usize::from(holds);
        let verdict = if holds { "as expected" } else { "NOT as expected" };
        text += &format!("  {:<20} {}  {verdict}\n", series.name, numbers(series));
    }
    text += &format!("  {right} of {} sequences are as expected\n", orders.len());
    text += "bytes from each of 20 items to the one before\n";
    for series in apart {
        let heights: Vec<f64> = series.points.iter().map(|point| point.1).collect();
        let middle = median(&heights).unwrap_or(0.0);
        text += &format!("  {:<20} {}  median {middle:.0}\n", series.name, numbers(series));
    }
    text
}

fn is_expected(cell: &Cell, series: &Series) -> bool {
    cell.values.iter().any(|value| value.name == series.name && value.value > 0.5)
}

fn numbers(series: &Series) -> String {
    let shown: Vec<String> =
        series.points.iter().take(SHOWN).map(|point| format!("{:.0}", point.1)).collect();
    let more = if series.points.len() > SHOWN { " …" } else { "" };
    shown.join(" ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sweep_by_itself_is_the_whole_experiment() {
        let of = |text: &str| -> Vec<String> {
            let parsed = text.split(' ').map(|word| word.parse().unwrap()).collect();
            words(parsed).into_iter().map(|word| word.name).collect()
        };
        assert_eq!(of("kernel-sweep"), [SWEEP, WIDE]);
        assert_eq!(of("kernel-sweep:slots=10"), [SWEEP]);
        assert_eq!(of("kernel-wide"), [WIDE]);
        assert_eq!(of("kernel-sweep larson"), [SWEEP, "larson"]);
    }

    #[test]
    fn sequences_are_printed_with_what_they_should_be() {
        let mut report = bench::testing::rounds(&[STACK], 1, |_, _| 0.001);
        assert_eq!(sequences(&report), "");
        let cell = &mut report.workloads[0].cells[0];
        let series = |name: &str| Series {
            name: name.to_owned(),
            points: (0..30).map(|i| (f64::from(i), f64::from(i))).collect(),
        };
        cell.series = ["A/first", "A/batch", "distance/cache-40"].map(series).to_vec();
        let value = |name: &str, value| bench::result::Value {
            name: name.to_owned(),
            value,
            unit: "as-expected".to_owned(),
        };
        cell.values = vec![value("A/first", 1.0), value("A/batch", 0.0)];
        let text = sequences(&report);
        assert!(text.contains("17 18 19 …  as expected\n"), "{text}");
        assert!(text.contains("NOT as expected") && text.contains("1 of 2"), "{text}");
    }
}

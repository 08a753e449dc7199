//! Figures that one run of each cell gave: without an interval, so nobody is the best in them.

use bench::result::{Cell, Report};

use super::{absent, contestants, markdown, number};

/// A title, and the figure as it is shown.
type Figure = (&'static str, fn(&Cell) -> Option<f64>);

const MIB: f64 = 1_048_576.0;

const FIGURES: [Figure; 3] = [
    ("mean memory, MiB", |cell| Some(cell.mean_rss? / MIB)),
    ("p99.9 of malloc, ns", |cell| p999(cell, "malloc")),
    ("p99.9 of free, ns", |cell| p999(cell, "free")),
];

fn p999(cell: &Cell, call: &str) -> Option<f64> {
    Some(cell.tails.iter().find(|tail| tail.call == call)?.p999_ns)
}

/// A table for each of them.
pub(super) fn tables(report: &Report) -> String {
    let mut text =
        "## Figures of one run\n\nThey have no interval: a small difference means nothing."
            .to_owned();
    for (title, figure) in FIGURES {
        let names = contestants(report).map(|(_, entry)| entry.name.clone());
        let mut table = markdown(core::iter::once(title.to_owned()).chain(names));
        for work in &report.workloads {
            let value =
                |at: usize| work.cells.get(at).filter(|cell| cell.counts()).and_then(figure);
            let shown = |at: usize| match (value(at), work.cells.get(at)) {
                (Some(value), _) => number(value),
                (None, Some(cell)) => absent(cell),
                (None, None) => String::new(),
            };
            if contestants(report).any(|(at, _)| value(at).is_some()) {
                let row = contestants(report).map(|(at, _)| shown(at));
                table.add_row(core::iter::once(work.name.clone()).chain(row));
            }
        }
        text.push_str(&format!("\n\n{table}"));
    }
    text
}

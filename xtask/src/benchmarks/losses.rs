//! Every figure of every workload in which heapwright is not the best, the worst first.

use bench::result::{Cell, Compared, Report, Work};
use bench::session::Role;

use super::tables::{contestants, counts, markdown, number};

/// Whose losses.
const SUBJECT: &str = "heapwright";

/// A figure: its name, its value, how it compares with the baseline, and what it is divided by to be shown.
struct Figure {
    name: &'static str,
    unit: &'static str,
    divide: f64,
    value: fn(&Cell) -> Option<f64>,
    compared: fn(&Cell) -> Option<Compared>,
}

const MIB: f64 = 1_048_576.0;

const FIGURES: [Figure; 6] = [
    Figure {
        name: "time",
        unit: "s",
        divide: 1.0,
        value: |cell| Some(cell.time?.median),
        compared: |cell| cell.time,
    },
    Figure {
        name: "peak memory",
        unit: "MiB",
        divide: MIB,
        value: |cell| Some(cell.peak_rss?.median),
        compared: |cell| cell.peak_rss,
    },
    Figure {
        name: "mean memory",
        unit: "MiB",
        divide: MIB,
        value: |cell| cell.mean_rss,
        compared: |_| None,
    },
    Figure {
        name: "memory at the end",
        unit: "MiB",
        divide: MIB,
        value: |cell| cell.end_rss,
        compared: |_| None,
    },
    Figure {
        name: "p99.9 of malloc",
        unit: "ns",
        divide: 1.0,
        value: |cell| p999(cell, "malloc"),
        compared: |_| None,
    },
    Figure {
        name: "p99.9 of free",
        unit: "ns",
        divide: 1.0,
        value: |cell| p999(cell, "free"),
        compared: |_| None,
    },
];

fn p999(cell: &Cell, call: &str) -> Option<f64> {
    Some(cell.tails.iter().find(|tail| tail.call == call)?.p999_ns)
}

/// One line.
struct Loss {
    factor: f64,
    row: [String; 6],
}

/// The table, and how many figures it is of.
pub(super) fn table(report: &Report) -> String {
    let Some(subject) = report.allocators.iter().position(|e| e.name == SUBJECT) else {
        return "heapwright took no part.".to_owned();
    };
    let mut all = 0;
    let mut losses = Vec::new();
    for work in &report.workloads {
        for figure in &FIGURES {
            let Some(ours) = work.cells.get(subject).filter(|c| counts(c)).and_then(figure.value)
            else {
                continue;
            };
            all += 1;
            losses.extend(loss(report, work, figure, subject, ours));
        }
    }
    losses.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    let header = ["workload", "figure", "heapwright", "best", "factor", "beyond noise"];
    let mut table = markdown(header.map(str::to_owned));
    let count = losses.len();
    for loss in losses {
        table.add_row(loss.row);
    }
    if count == 0 {
        return format!("Nowhere, of {all} figures.");
    }
    format!(
        "Of {all} figures heapwright is not the best in these {count}. Beyond noise: the 95 % intervals of the two ratios to \
         the baseline do not overlap; figures of one run have none.\n\n{table}"
    )
}

fn loss(report: &Report, work: &Work, figure: &Figure, subject: usize, ours: f64) -> Option<Loss> {
    let others = contestants(report).filter(|(at, _)| *at != subject).filter_map(|(at, entry)| {
        let cell = work.cells.get(at).filter(|cell| counts(cell))?;
        Some((at, entry, (figure.value)(cell)?))
    });
    let (at, best, theirs) = others.min_by(|a, b| a.2.total_cmp(&b.2))?;
    if theirs >= ours || theirs <= 0.0 {
        return None;
    }
    let factor = ours / theirs;
    let interval = |at: usize| {
        let compared = (figure.compared)(work.cells.get(at)?)?;
        if report.allocators.get(at)?.role == Role::Baseline {
            return Some((1.0, 1.0));
        }
        compared.ratio.filter(|r| r.pairs > 1).map(|r| (r.low, r.high))
    };
    let beyond = match (interval(subject), interval(at)) {
        (Some(mine), Some(other)) if mine.0 > other.1 => "yes",
        (Some(_), Some(_)) => "no",
        _ => "one run",
    };
    let shown = |value: f64| format!("{} {}", number(value / figure.divide), figure.unit);
    Some(Loss {
        factor,
        row: [
            work.name.clone(),
            figure.name.to_owned(),
            shown(ours),
            format!("{}, {}", shown(theirs), best.name),
            format!("{factor:.3}"),
            beyond.to_owned(),
        ],
    })
}

//! One program: a line an allocator.

use bench::fail_if::Metric;
use bench::result::{Cell, Compared, Entry, Report, Work};
use bench::session::{Role, WorkloadIndex};

use super::model::Table;
use crate::format;

/// How a figure is written.
type Form = fn(f64) -> String;

const HEAD: [&str; 5] = ["allocator", "wall", "CPU", "peak RSS", "minor faults"];

pub(super) fn table(report: &Report, work: &Work) -> Table {
    let best = report.best(WorkloadIndex(0), Metric::Time);
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    let cells = report.allocators.iter().zip(&work.cells);
    for (at, (entry, cell)) in report.subject_indices().zip(cells) {
        rows.push(row(entry, cell, best.contains(&at)));
    }
    Table { title: None, fixed: 1, rows }
}

fn row(entry: &Entry, cell: &Cell, best: bool) -> Vec<String> {
    let first = match &entry.version {
        Some(version) if entry.role != Role::Control => format!("{}\n  {version}", entry.name),
        _ => entry.name.clone(),
    };
    if let Some(failure) = &cell.failure {
        let blank = core::iter::repeat_n(String::new(), HEAD.len() - 2);
        return [first, failure.how.words()].into_iter().chain(blank).collect();
    }
    let figures: [(Option<Compared>, Form); 4] = [
        (cell.time, format::seconds),
        (cell.cpu, format::seconds),
        (cell.peak_rss, format::bytes),
        (cell.faults, format::count),
    ];
    let mut row = vec![first];
    for (i, (compared, form)) in figures.into_iter().enumerate() {
        row.push(match compared {
            Some(compared) => figure(entry, &compared, form, best && i == 0),
            None => "-".to_owned(),
        });
    }
    row
}

fn figure(entry: &Entry, compared: &Compared, form: Form, best: bool) -> String {
    let mut ratio = match &compared.ratio {
        Some(ratio) => format::ratio(ratio),
        None if entry.role == Role::Baseline => "1".to_owned(),
        None => "-".to_owned(),
    };
    if compared.same {
        ratio.push_str(" =");
    }
    if best {
        ratio.push_str(" *");
    }
    format!("{}\n{ratio}", form(compared.median))
}

//! One program: a line an allocator.

use bench::fail_if::Metric;
use bench::result::{Cell, Compared, Entry, Report, Work};
use bench::session::Role;
use comfy_table::{CellAlignment, Table, presets};

use crate::format;

/// How a figure is written.
type Form = fn(f64) -> String;

pub(super) fn lines(report: &Report, work: &Work) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["allocator", "wall", "CPU", "peak RSS", "minor faults"]);
    let best = report.best(0, Metric::Time);
    for (at, (entry, cell)) in report.allocators.iter().zip(&work.cells).enumerate() {
        table.add_row(row(entry, cell, best.contains(&at)));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    table.to_string().lines().map(|l| l.trim_end().to_owned()).collect()
}

fn row(entry: &Entry, cell: &Cell, best: bool) -> Vec<String> {
    let first = match &entry.version {
        Some(version) if entry.role != Role::Control => format!("{}\n  {version}", entry.name),
        _ => entry.name.clone(),
    };
    if let Some(failure) = &cell.failure {
        return vec![first, failure.how.words()];
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

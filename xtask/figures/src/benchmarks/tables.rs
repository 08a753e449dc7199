//! Tables of a record for the pages: ratios by workload and over all, with what may be the least in bold.

use bench::allocator::HEAPWRIGHT;
use bench::fail_if::Metric;
use bench::result::{Cell, Entry, Report};
use bench::session::{Role, SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use comfy_table::{Table, presets};

/// Ratios to the baseline; those who may have the least are bold.
pub(super) fn ratios(
    report: &Report,
    works: &[WorkloadIndex],
    title: &str,
    metric: Metric,
) -> Table {
    let columns: Vec<(usize, &Entry)> = shown(report).collect();
    let names = columns.iter().map(|(_, entry)| entry.name.clone());
    let mut table = markdown(core::iter::once(title.to_owned()).chain(names));
    for &work in works {
        let best = report.best(work, metric);
        let text = |(at, entry): &(usize, &Entry)| {
            let who = SubjectIndex(*at);
            let Some(cell) = report.cell(work, who) else { return String::new() };
            let Some(ratio) = report.ratio(work, who, metric) else { return absent(cell) };
            let number = match (entry.role, ratio.pairs) {
                (Role::Baseline, _) => "1".to_owned(),
                (_, 0 | 1) => format!("{:.3}", ratio.estimate),
                _ => format!("{:.3} ±{:.3}", ratio.estimate, ratio.margin()),
            };
            if best.contains(&who) { format!("**{number}**") } else { number }
        };
        let name = report.workloads[work.0].name.clone();
        table.add_row(core::iter::once(name).chain(columns.iter().map(text)));
    }
    table
}

/// A row of means over all workloads of another result, under the columns of [`ratios`]; whom it lacks has none.
pub(super) fn mean_row(
    report: &Report,
    other: &Report,
    title: String,
    metric: Metric,
) -> Vec<String> {
    let text = |(_, entry): (usize, &Entry)| {
        let at = other.allocators.iter().position(|one| one.name == entry.name);
        let ratio = at.and_then(|at| metric.mean(other.overall.get(at)?));
        match (entry.role, ratio) {
            (Role::Baseline, _) => "1".to_owned(),
            (_, Some(ratio)) => format!("{:.3} ±{:.3}", ratio.estimate, ratio.margin()),
            (_, None) => "–".to_owned(),
        }
    };
    core::iter::once(title).chain(shown(report).map(text)).collect()
}

/// Those who are compared: without the control and the null allocator.
pub(super) fn contestants(report: &Report) -> impl Iterator<Item = (usize, &Entry)> {
    let takes_part = |(_, e): &(usize, &Entry)| matches!(e.role, Role::Baseline | Role::Contender);
    report.allocators.iter().enumerate().filter(takes_part)
}

/// heapwright, with its settings or without.
pub(super) fn is_ours(entry: &Entry) -> bool {
    entry.base.as_deref().unwrap_or(&entry.name) == HEAPWRIGHT
}

/// Those and the control.
fn shown(report: &Report) -> impl Iterator<Item = (usize, &Entry)> {
    report.allocators.iter().enumerate().filter(|(_, e)| e.role != Role::Floor)
}

fn absent(cell: &Cell) -> String {
    match (&cell.failure, cell.refused, cell.other_work) {
        (Some(failure), ..) => failure.how.words(),
        (None, 0, Some(share)) => format!("{:.0} % of the work", 100.0 * share),
        (None, 0, None) => "–".to_owned(),
        (None, refused, _) => format!("{refused} refused"),
    }
}

pub(super) fn interval(ratio: &Ratio) -> String {
    format!("{:.3} [{:.3}, {:.3}]", ratio.estimate, ratio.low, ratio.high)
}

pub(super) fn markdown(header: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header.into_iter().collect::<Vec<_>>());
    table
}

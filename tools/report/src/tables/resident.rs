//! The memory of a replayed program: a line an allocator.

use bench::definition::Group;
use bench::fail_if::Metric;
use bench::session::{SubjectIndex, WorkloadIndex};
use show::number::{bytes, short};
use show::{Cell as Entry, Table};

use super::{absent, none};
use crate::view::View;

/// What there is when all is freed, as the replay prints it.
const FREED: &str = "resident.freed";

pub(crate) fn resident(view: &View<'_>) -> Table {
    let heads = ["allocator", "peak", "÷ live", "mean", "end", "freed"];
    let mut table = Table { id: "resident", sortable: true, ..Table::new(heads) };
    let w = WorkloadIndex(0);
    if view.report.workloads.first().is_none_or(|work| work.group != Group::Trace) {
        return table;
    }
    for &a in &view.shown {
        let name = Entry { who: Some(a.0), ..view.name(a).into() };
        if absent(view, w, a).is_none() {
            table.row(core::iter::once(name).chain(figures(view, w, a)));
        }
    }
    table
}

fn figures(view: &View<'_>, w: WorkloadIndex, a: SubjectIndex) -> Vec<Entry> {
    let Some(cell) = view.cell(w, a) else { return Vec::new() };
    let size = |figure: Option<f64>| {
        figure.map_or_else(none, |figure| Entry {
            sort: figure.to_string(),
            ..Entry::from(bytes(figure))
        })
    };
    let peak = Metric::Memory.of(cell).map(|figure| figure.median);
    let per_live = cell.rss_per_live.map_or_else(none, |share| Entry::from(short(share)));
    let freed = cell.values.iter().find(|value| value.name == FREED).map(|value| value.value);
    vec![size(peak), per_live, size(cell.mean_rss), size(cell.end_rss), size(freed)]
}

//! The memory of a replayed program: a line an allocator.

use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::Replayed;
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
    if let Some(row) = view.report.workloads[0].replayed.as_ref().and_then(recorded) {
        table.row(row);
    }
    for &a in &view.shown {
        let name = Entry { who: Some(a.0), ..view.name(a).into() };
        if absent(view, w, a).is_none() {
            table.row(core::iter::once(name).chain(figures(view, w, a)));
        }
    }
    table
}

/// What the recorded program took on the malloc that it had.
fn recorded(replayed: &Replayed) -> Option<Vec<Entry>> {
    let peak = replayed.recorded_peak? as f64;
    let size = |figure: f64| Entry { sort: figure.to_string(), ..Entry::from(bytes(figure)) };
    let per_live = short(peak / (replayed.peak_live as f64).max(1.0));
    Some(vec![
        "recorded".into(),
        size(peak),
        per_live.into(),
        replayed.recorded_mean.map_or_else(none, size),
        replayed.recorded_end.map_or_else(none, |end| size(end as f64)),
        none(),
    ])
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

//! The sequences of workloads that show what one kind of allocator does: a line each, its numbers in a row.

use bench::result::{Cell, Series, Work};
use show::number::short;
use show::{Cell as Entry, Group, Table};

use crate::view::{AS_EXPECTED, View};

const SHOWN: usize = 20;

pub(crate) fn sequences(view: &View<'_>) -> Table {
    let mut groups = Vec::new();
    for (w, work) in view.report.workload_indices().zip(&view.report.workloads) {
        let cells =
            view.shown.iter().filter_map(|&a| view.report.cell(w, a)).filter(|_| work.alone);
        let rows: Vec<Vec<Entry>> = cells
            .flat_map(|cell| cell.series.iter().map(|series| row(work, cell, series)))
            .collect();
        if !rows.is_empty() {
            groups.push(Group { title: work.name.clone(), rows });
        }
    }
    let heads =
        ["sequence", "what the numbers are", "median", "as expected", "in the order of the steps"];
    Table { id: "sequences", groups, ..Table::new(heads) }
}

fn row(work: &Work, cell: &Cell, series: &Series) -> Vec<Entry> {
    let curve = work.curve_of(&series.name);
    let mut heights: Vec<f64> = series.points.iter().map(|point| point.1).collect();
    let shown = heights.iter().take(SHOWN).map(|y| short(*y)).collect::<Vec<_>>().join(" ");
    let more = if heights.len() > SHOWN { " …" } else { "" };
    heights.sort_by(f64::total_cmp);
    // Numbers of objects have an order, and no middle.
    let is_judged = |v: &&bench::result::Value| v.name == series.name && v.unit == AS_EXPECTED;
    let judged = cell.values.iter().find(is_judged);
    let middle = heights.get(heights.len() / 2).filter(|_| judged.is_none());
    let words = |text: String| Entry { class: "sequence", ..text.into() };
    vec![
        series.name.as_str().into(),
        words(curve.map_or(String::new(), |curve| curve.y.clone())),
        middle.map_or(String::new(), |y| short(*y)).into(),
        judged.map_or("", |v| if v.value > 0.5 { "yes" } else { "NO" }).into(),
        words(shown + more),
    ]
}

//! The curves whose definition names columns: a table each, a line an allocator.

use bench::definition::Curve;
use bench::result::{Cell, Report, Work};
use bench::session::Role;

use super::model::Table;
use crate::format;

/// What stands where a curve has no point: nothing was granted there.
const NONE: &str = "–";

pub(super) fn tables(report: &Report) -> Vec<Table> {
    report.workloads.iter().flat_map(|work| of(report, work)).collect()
}

fn of(report: &Report, work: &Work) -> Vec<Table> {
    let mut names: Vec<&str> = Vec::new();
    for series in work.cells.iter().flat_map(|cell| &cell.series) {
        if !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    let table = |name: &&str| {
        let curve = work.curves.get(*name).or(work.curve.as_ref())?;
        (!curve.columns.is_empty()).then(|| one(report, work, name, curve))
    };
    names.iter().filter_map(table).collect()
}

fn one(report: &Report, work: &Work, name: &str, curve: &Curve) -> Table {
    let head = curve.columns.iter().map(|x| format::count(*x));
    let mut rows: Vec<Vec<String>> = vec![core::iter::once(curve.x.clone()).chain(head).collect()];
    for (cell, entry) in work.cells.iter().zip(&report.allocators) {
        let figures: Vec<Option<f64>> = curve.columns.iter().map(|x| at(cell, name, *x)).collect();
        if entry.role == Role::Control || figures.iter().all(Option::is_none) {
            continue;
        }
        let shown = figures.into_iter().map(|y| y.map_or(NONE.to_owned(), figure));
        rows.push(core::iter::once(entry.name.clone()).chain(shown).collect());
    }
    Table { title: Some(format!("{}: {name}: {}", work.name, curve.y)), fixed: 1, rows }
}

/// The curve's height there.
fn at(cell: &Cell, name: &str, x: f64) -> Option<f64> {
    let series = cell.series.iter().find(|series| series.name == name)?;
    series.points.iter().find(|point| (point.0 - x).abs() < 1e-9).map(|point| point.1)
}

fn figure(y: f64) -> String {
    if y.abs() < 99.95 { format!("{y:.1}") } else { format::count(y) }
}

#[cfg(test)]
mod tests {
    use bench::result::Series;
    use bench::testing;

    use super::*;

    #[test]
    fn a_curve_with_columns_has_a_line_for_each_allocator_that_has_points() {
        let mut report = testing::rounds(&["sweep"], 2, |_, _| 0.001);
        assert!(tables(&report).is_empty());
        let work = &mut report.workloads[0];
        let curve = |columns: &[f64]| Curve {
            x: "bytes".to_owned(),
            y: "ns a pair".to_owned(),
            x_log: false,
            y_log: false,
            columns: columns.to_vec(),
        };
        work.curve = Some(curve(&[64.0, 4096.0]));
        work.curves.insert("other".to_owned(), curve(&[]));
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.to_owned(),
            points: points.to_vec(),
        };
        work.cells[0].series =
            vec![series("pair", &[(64.0, 17.25), (128.0, 1.0)]), series("other", &[(64.0, 1.0)])];
        let all = tables(&report);
        assert_eq!(all.len(), 1, "one has no columns");
        let name = report.allocators[0].name.clone();
        let line = |words: [&str; 3]| words.map(str::to_owned).to_vec();
        assert_eq!(all[0].rows, [line(["bytes", "64", "4,096"]), line([&name, "17.2", NONE])]);
    }
}

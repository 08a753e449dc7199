//! Curves of one allocator in one picture: those that are called the same but for what stands behind `=`.
//!
//! ```text
//! threads=1 of glibc, of ours      a picture for each series: who is faster          plot::lines
//! threads=1, threads=2, …          a picture for each allocator: what more threads do to it
//! ```

use bench::session::{SubjectIndex, WorkloadIndex};
use show::number::Unit;
use show::style::{Part as StylePart, Style};
use show::{Ask, Chart, Kind, Line};

use super::{Part, Placed, file_name, lines};
use crate::tables::once_each;
use crate::view::View;

/// A picture for each allocator and each family of the workload.
pub(super) fn curves(view: &View<'_>, work: WorkloadIndex, points: usize) -> Vec<Placed> {
    let w = &view.report.workloads[work];
    let names = w.cells.iter().flat_map(|cell| &cell.series).map(|series| series.name.as_str());
    let is_family = |name: &&str| w.curve_of(name).is_some_and(|curve| curve.family);
    let prefixes = names.filter(is_family).filter_map(|name| Some(name.split_once('=')?.0));
    let prefixes = once_each(prefixes);
    let all = view.shown.iter().flat_map(|&who| prefixes.iter().map(move |prefix| (who, prefix)));
    all.filter_map(|(who, prefix)| one(view, (work, who), prefix, points)).collect()
}

fn one(
    view: &View<'_>,
    (work, who): (WorkloadIndex, SubjectIndex),
    prefix: &str,
    points: usize,
) -> Option<Placed> {
    let w = &view.report.workloads[work];
    let curve = w.curve_of(prefix)?;
    let series = view.report.cell(work, who)?.series.iter();
    let ends = series.filter_map(|s| {
        let (head, end) = s.name.split_once('=')?;
        (head == prefix).then_some((end, &s.points))
    });
    let kind = |log| if log { Kind::Doublings } else { Kind::Even };
    let ask =
        |label: &String, log| Ask { label: label.clone(), kind: kind(log), unit: Unit::Number };
    let lines = ends.enumerate().map(|(i, (name, points))| {
        let style = Style { who: view.style(who).who, ..Style::of(i, StylePart::Other(i)) };
        Line { name, style, points }
    });
    let chart = Chart {
        title: format!("{} on {}, by {prefix}", w.name, view.name(who)),
        x: ask(&curve.x, curve.x_log),
        y: ask(&curve.y, curve.y_log),
        lines: lines.collect(),
        ..Chart::default()
    };
    let data = ("family", format!("{} {prefix}", who.0));
    let file = format!(
        "family-{}-{}-{}",
        file_name(&w.name),
        file_name(prefix),
        file_name(view.name(who))
    );
    lines::placed(Part::Curves, work, (data.0, &data.1), &file, (chart, points))
}

#[cfg(test)]
mod tests {
    use bench::definition::Curve;

    use super::*;

    #[test]
    fn each_allocator_has_a_picture_with_a_line_for_each_of_its_curves() {
        let mut report = bench::testing::rounds(&["sweep"], 2, |_, _| 0.001);
        let work = &mut report.workloads[0];
        let curve = Curve { x_log: true, family: true, ..Curve::default() };
        work.curves.insert("threads".to_owned(), curve);
        for cell in &mut work.cells {
            let of = |name| bench::testing::series(name, &[(1.0, 3.0), (2.0, 4.0)]);
            cell.series = vec![of("threads=1"), of("threads=20"), of("other=1"), of("plain")];
        }
        let view = View::of(&report);
        let placed = curves(&view, WorkloadIndex(0), 100);
        assert_eq!(placed.len(), view.shown.len());
        let svg = &placed[0].plot.svg;
        assert!(svg.contains(">1</text>") && svg.contains(">20</text>"), "{svg}");
        assert!(!svg.contains("other") && !svg.contains("plain"));
        assert_eq!(placed[0].data, ("family", "0 threads".to_owned()));
    }
}

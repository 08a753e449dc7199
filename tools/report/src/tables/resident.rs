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
    let Some(cell) = view.report.cell(w, a) else { return Vec::new() };
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

#[cfg(test)]
mod tests {
    use bench::testing::series;

    use super::*;

    fn replayed(order: &str) -> bench::result::Report {
        let mut report = bench::testing::rounds(&["server"], 3, |_, _| 0.25);
        let work = &mut report.workloads[0];
        work.group = Group::Trace;
        work.replayed = Some(Replayed {
            order: order.to_owned(),
            on: Some("glibc".to_owned()),
            peak_live: 50 << 20,
            recorded_peak: Some(100 << 20),
            recorded_end: Some(30 << 20),
            recorded_points: vec![(0.0, 0.0), (10.0, 1e8)],
            recorded_seconds: 30.0,
            paused_seconds: 12.0,
            error: Some(0.025),
            ..Replayed::default()
        });
        for cell in &mut work.cells {
            let points = [(0.0, 1e6), (5.0, 9e7), (10.0, 8e7)];
            cell.series = vec![series("live", &points), series("resident", &points)];
        }
        report
    }

    #[test]
    fn the_recorded_program_has_a_row_and_a_line_and_the_error_comes_first() {
        let report = replayed("causal");
        let text = crate::terminal::text(&report, Some(80));
        let head: String = text.lines().take(8).collect::<Vec<_>>().join(" ");
        let said = "recorded 100 MiB above the start on glibc; the replay takes 2.5 % more";
        assert!(head.contains(said), "{text}");
        assert!(text.contains("  recorded   100 MiB  2 "), "{text}");
        let page = crate::page::html(&report);
        assert!(page.contains("Recorded 100 MiB above the start"));
        let svg: Vec<String> = crate::plots(&report).into_iter().map(|plot| plot.svg).collect();
        let resident = svg.iter().find(|svg| svg.contains("server: resident")).unwrap();
        assert!(resident.contains(">recorded<") && resident.contains("grey: live"));
        assert!(!svg.iter().any(|svg| svg.contains("server: live")), "it is in the other");
    }

    #[test]
    fn pauses_are_said_where_the_order_leaves_them_out() {
        let note = |order| crate::terminal::text(&replayed(order), None);
        let said = "the program made no call for 12.0 s of its 30.0 s";
        assert!(note("causal").contains(said) && note("causal").contains("--order timed"));
        assert!(!note("timed").contains(said));
        let mut short = replayed("causal");
        short.workloads[0].replayed.as_mut().unwrap().paused_seconds = 1.0;
        assert!(!crate::terminal::text(&short, None).contains("made no call"));
    }
}

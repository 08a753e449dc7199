//! One workload: a line an allocator.

use bench::fail_if::Metric;
use bench::result::{Cell, Compared};
use bench::session::{Role, SubjectIndex, WorkloadIndex};
use show::number::{self, bytes, count, nanoseconds, seconds, with_margin};
use show::{Cell as Entry, Table};

use super::{absent, class, none, once_each, readable, star, timed_calls};
use crate::view::{View, margin};

/// A column: its head, the figure, whose claim goes with it, and how it is written.
type Figure =
    (&'static str, fn(&Cell, bool) -> Option<Compared>, Option<Metric>, fn(f64) -> String);

/// Where most runs did not get their processors `cell.time` is processor time, and the wall clock says nothing.
const FIGURES: [Figure; 5] = [
    ("wall", |cell, by_cpu| cell.time.filter(|_| !by_cpu), Some(Metric::Time), seconds),
    ("CPU", |cell, _| cell.cpu, Some(Metric::Cpu), seconds),
    ("peak RSS", |cell, _| cell.peak_rss, Some(Metric::Memory), bytes),
    ("ns a call", |cell, _| cell.ns, Some(Metric::Ns), nanoseconds),
    ("minor faults", |cell, _| cell.faults, None, count),
];

/// How the names of those values begin that are columns: what was missed, the worst, what stayed resident, a second phase to the first.
const TOLD: [&str; 4] = ["missed_", "worst_", "rss_", "second_to_"];

/// What is no ratio: the longest single calls, and those of a workload's values that say what it is about.
struct More<'a> {
    calls: Vec<&'a str>,
    values: Vec<&'a str>,
}

impl<'a> More<'a> {
    fn of(view: &View<'a>, w: WorkloadIndex) -> Self {
        let values = view.report.workloads.first().map_or(&[][..], |work| &work.cells);
        let values = values.iter().flat_map(|cell| &cell.values).map(|value| value.name.as_str());
        let is_told = |name: &&str| TOLD.iter().any(|begin| name.starts_with(begin));
        let mut calls = timed_calls(view, w);
        calls.retain(|call| matches!(*call, "malloc" | "free"));
        Self { calls, values: once_each(values.filter(is_told)) }
    }

    fn heads(&self) -> impl Iterator<Item = String> {
        let calls = self.calls.iter().map(|call| format!("longest {call}"));
        calls.chain(self.values.iter().map(|name| readable(name)))
    }

    fn cells(&self, cell: Option<&Cell>) -> impl Iterator<Item = Entry> {
        let call = move |call: &&str| {
            let tail = cell?.tails.iter().find(|tail| tail.call == *call)?;
            Some((nanoseconds(tail.max_ns), tail.max_ns))
        };
        let value = move |name: &&str| {
            let value = cell?.values.iter().find(|value| value.name == *name)?;
            Some((number::in_unit(value.value, &value.unit), value.value))
        };
        let entry = |figure: Option<(String, f64)>| match figure {
            Some((text, by)) => Entry { sort: by.to_string(), ..Entry::from(text) },
            None => none(),
        };
        let calls: Vec<Entry> = self.calls.iter().map(call).map(entry).collect();
        calls.into_iter().chain(self.values.iter().map(value).map(entry).collect::<Vec<_>>())
    }
}

/// All that is compared of the result's only workload.
pub(crate) fn program(view: &View<'_>) -> Table {
    let (w, report) = (WorkloadIndex(0), view.report);
    let by_cpu = report.workloads.first().is_some_and(|work| work.by_cpu);
    let best = report.best(w, Metric::Time);
    let starred = if by_cpu { Metric::Cpu } else { Metric::Time };
    // Of the null allocator a call's time is worth knowing.
    let is_shown = |a: &SubjectIndex| {
        let is_timed = view.report.cell(w, *a).is_some_and(|cell| cell.ns.is_some());
        report.allocators[*a].role != Role::Floor || is_timed
    };
    let shown: Vec<SubjectIndex> = report.subject_indices().filter(is_shown).collect();
    let has = |figure: &&Figure| {
        shown
            .iter()
            .filter_map(|&a| view.report.cell(w, a))
            .any(|cell| figure.1(cell, by_cpu).is_some())
    };
    // The wall clock's column says by its dashes that it says nothing.
    let figures: Vec<&Figure> = FIGURES.iter().filter(|f| f.0 == "wall" || has(f)).collect();
    let more = More::of(view, w);
    let heads = figures.iter().map(|figure| figure.0.to_owned()).chain(more.heads());
    let heads = core::iter::once("allocator".to_owned()).chain(heads);
    let mut table = Table { id: "overall", sortable: true, ..Table::new(heads) };
    for a in shown {
        let entry = &report.allocators[a];
        let version = entry.version.as_ref().filter(|_| entry.role != Role::Control);
        let name = Entry::from(entry.name.as_str());
        let name = name.over(version.map_or(String::new(), |version| format!("  {version}")));
        let name = Entry { who: Some(a.0), ..name };
        if let Some(why) = absent(view, w, a) {
            let others = figures.len() - 1 + more.heads().count();
            let blank = core::iter::repeat_n(Entry::default(), others);
            table.row([name, why].into_iter().chain(blank));
            continue;
        }
        let cells = figures.iter().map(|(_, of, metric, form)| {
            let is_told = entry.role != Role::Floor || *metric == Some(Metric::Ns);
            let cell = view.report.cell(w, a).filter(|_| is_told);
            let Some(figure) = cell.and_then(|cell| of(cell, by_cpu)) else {
                return none();
            };
            let ratio = match &figure.ratio {
                Some(ratio) => with_margin(ratio.estimate, margin(ratio)),
                None if entry.role == Role::Baseline => "1".to_owned(),
                None => number::NONE.to_owned(),
            };
            let mark = metric.map_or("", |metric| view.mark(w, a, metric));
            let small = star(
                format!("{ratio} {mark}").trim_end().into(),
                best.contains(&a) && *metric == Some(starred),
            );
            Entry {
                sort: figure.median.to_string(),
                class: metric.map_or("", |metric| class(view, w, a, metric)),
                ..Entry::from(form(figure.median)).over(small.text)
            }
        });
        let is_told = entry.role != Role::Floor;
        let more = more.cells(view.report.cell(w, a).filter(|_| is_told));
        table.row(core::iter::once(name).chain(cells).chain(more));
    }
    table
}

#[cfg(test)]
mod tests {
    use bench::testing;

    use super::*;

    #[test]
    fn what_was_missed_and_the_longest_calls_are_columns() {
        let mut report = testing::rounds(&["game"], 8, |_, _| 0.25);
        let value = |name: &str, value, unit: &str| bench::result::Value {
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
        };
        report.workloads[0].cells[0].runs = 8;
        report.workloads[0].cells[0].values = vec![
            value("missed_callbacks", 3.0, "count"),
            value("worst_callback_us", 250.0, "us"),
            value("median_callback_us", 9.0, "us"),
            value("second_to_first", 2.0, "x"),
        ];
        let table = program(&View::of(&report));
        let heads: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let told = ["missed callbacks", "worst callback", "second to first"];
        assert_eq!(heads[heads.len() - 3..], told);
        let row = table.rows().next().unwrap();
        let cells: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
        assert_eq!(cells[cells.len() - 3..], ["3", "250 µs", "2.00 x"]);
    }

    #[test]
    fn processor_time_is_not_shown_as_the_wall_clocks() {
        let mut report = testing::rounds(&["own"], 8, |_, _| 0.25);
        let time = Some(Compared { median: 0.25, ratio: None, same: false });
        report.workloads[0].cells[0].time = time;
        report.workloads[0].cells[0].cpu = time;
        let wall = |report: &bench::result::Report| {
            program(&View::of(report)).rows().next().unwrap()[1].text.clone()
        };
        assert_eq!(wall(&report), "250 ms");
        report.workloads[0].by_cpu = true;
        assert_eq!(wall(&report), number::NONE);
    }
}

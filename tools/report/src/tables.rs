//! The tables of a result: time, memory, nanoseconds a call, tails, and what single workloads count besides.

mod beside;
mod counted;
mod overall;
mod program;
mod resident;
mod sequences;

use bench::definition::{Curve, Group as Kind};
use bench::fail_if::Metric;
use bench::result::{Cell, Tail};
use bench::session::{SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use show::number::{self, bytes, nanoseconds, percent, ratio, seconds, with_margin};
use show::text::{cut, many};
use show::{Cell as Entry, Column, Group, Table};

use crate::view::{State, View, margin};

pub(crate) use beside::{beside, beside_text};
pub(crate) use counted::counted;
pub(crate) use overall::{mean_row, overall};
pub(crate) use program::program;
pub(crate) use resident::resident;
pub(crate) use sequences::sequences;

fn group_title(group: Kind) -> &'static str {
    match group {
        Kind::Texts => "from published reports on allocators",
        Kind::Community => "known benchmarks of the community",
        Kind::Ours => "heapwright's own",
        Kind::Real => "real programs",
        Kind::Own | Kind::Trace => "",
    }
}

fn none() -> Entry {
    Entry { text: number::NONE.to_owned(), class: "none", ..Entry::default() }
}

fn star(mut entry: Entry, is_best: bool) -> Entry {
    if is_best {
        entry.text.push_str(" *");
    }
    entry
}

/// The names of a row, then a column for each allocator.
fn columns(view: &View<'_>, lead: &[&str], who: &[SubjectIndex]) -> Vec<Column> {
    let lead = lead.iter().map(|name| Column::from(*name));
    let of = |&a: &SubjectIndex| Column {
        who: Some(a.0),
        is_ours: view.style(a).is_ours,
        name: view.name(a).to_owned(),
        colour: view.style(a).colour,
        note: view.report.allocators[a].version.clone().unwrap_or_default(),
    };
    lead.chain(who.iter().map(of)).collect()
}

/// A table of workloads, in groups in the order in which these first appear.
fn table(
    view: &View<'_>,
    id: &'static str,
    lead: &[&str],
    who: &[SubjectIndex],
    mut rows: impl FnMut(WorkloadIndex) -> Vec<Vec<Entry>>,
) -> Table {
    let mut groups: Vec<Group> = Vec::new();
    for (w, work) in view.report.workload_indices().zip(&view.report.workloads) {
        // What it shows are its sequences.
        if work.alone {
            continue;
        }
        let more = rows(w);
        if more.is_empty() {
            continue;
        }
        let title = group_title(work.group);
        match groups.iter_mut().find(|g| g.title == title) {
            Some(group) => group.rows.extend(more),
            None => groups.push(Group { title: title.to_owned(), rows: more }),
        }
    }
    let columns = columns(view, lead, who);
    Table { id, lead: lead.len(), columns, groups, ..Table::default() }
}

fn absent(view: &View<'_>, work: WorkloadIndex, a: SubjectIndex) -> Option<Entry> {
    let State::Not(why) = view.state(work, a) else { return None };
    // The reason is in the cell itself where it adds something: not everybody can point at things.
    let small = why.long.strip_prefix("skipped: ").unwrap_or_default();
    Some(Entry {
        text: why.short.clone(),
        small: cut(small, 48),
        title: why.long,
        class: "absent",
        ..Entry::default()
    })
}

fn workload_name(view: &View<'_>, work: WorkloadIndex) -> Entry {
    let w = &view.report.workloads[work];
    let threads = match w.threads {
        0 => "waits".to_owned(),
        n => many(usize::try_from(n).unwrap_or(usize::MAX), "thread"),
    };
    let rounds = many(usize::try_from(w.rounds).unwrap_or(usize::MAX), "round");
    let precise = if w.precise { "" } else { ", not yet precise" };
    // Where not all workloads have the same, it is said whose time is the processor's.
    let mark =
        if w.by_cpu && !view.report.workloads.iter().all(|w| w.by_cpu) { " †" } else { "" };
    let name = Entry::from(format!("{}{mark}", w.name));
    Entry { title: w.about.clone(), ..name.over(format!("{threads} · {rounds}{precise}")) }
}

pub(crate) fn time(view: &View<'_>) -> Table {
    let mut table = table(view, "time", &["workload", "noise"], &view.shown, |w| {
        let noise = view.report.workloads[w].noise_floor.filter(|n| n.is_finite());
        let noise = noise.map_or_else(none, |n| Entry {
            sort: n.to_string(),
            ..Entry::from(format!("±{}", percent(n)))
        });
        let cells = view.shown.iter().map(|&a| compared(view, w, a, Metric::Time));
        vec![[workload_name(view, w), noise].into_iter().chain(cells).collect()]
    });
    table.sortable = true;
    table
}

pub(crate) fn peak(view: &View<'_>) -> Table {
    table(view, "peak", &["workload"], &view.shown, |w| {
        let cells = view.shown.iter().map(|&a| compared(view, w, a, Metric::Memory));
        vec![core::iter::once(workload_name(view, w)).chain(cells).collect()]
    })
}

/// How far from 1, in three steps each way.
fn shade(estimate: f64, same: bool) -> &'static str {
    let far = if estimate > 0.0 { estimate.ln().abs() } else { 1.0 };
    match estimate {
        _ if same || !estimate.is_finite() => "same",
        e if e < 1.0 && far < 0.1 => "better1",
        e if e < 1.0 && far < 0.4 => "better2",
        e if e < 1.0 => "better3",
        e if e > 1.0 && far < 0.1 => "worse1",
        e if e > 1.0 && far < 0.4 => "worse2",
        e if e > 1.0 => "worse3",
        _ => "",
    }
}

/// The shade of a figure: that of no difference unless one is shown.
fn class(view: &View<'_>, w: WorkloadIndex, a: SubjectIndex, metric: Metric) -> &'static str {
    let (ratio, claim) = (view.report.ratio(w, a, metric), view.report.claim(w, a, metric));
    ratio.zip(claim).map_or("", |(r, claim)| shade(r.estimate, !claim.is_difference()))
}

/// A figure relative to the baseline's, and below it the figure itself.
fn compared(view: &View<'_>, w: WorkloadIndex, a: SubjectIndex, metric: Metric) -> Entry {
    if let Some(entry) = absent(view, w, a) {
        return entry;
    }
    let State::Ran(cell) = view.state(w, a) else { return none() };
    let Some(figure) = metric.of(cell) else { return none() };
    let interval = figure.ratio.map_or(String::new(), |r| {
        format!("{} {} to {} from {} pairs; ", r.kind(), ratio(r.low), ratio(r.high), r.pairs)
    });
    Entry {
        text: view.text(w, a, metric),
        small: if metric == Metric::Memory { bytes(figure.median) } else { seconds(figure.median) },
        title: format!("{interval}{} runs, {} flagged", cell.runs, cell.flagged),
        sort: view.report.ratio(w, a, metric).map_or(String::new(), |r| r.estimate.to_string()),
        class: class(view, w, a, metric),
        who: None,
    }
}

/// One row of figures; the least gets a star.
fn figures(
    view: &View<'_>,
    w: WorkloadIndex,
    who: &[SubjectIndex],
    lead: Vec<Entry>,
    value: impl Fn(&Cell) -> Option<f64>,
    form: fn(f64) -> String,
    metric: Option<Metric>,
) -> Option<Vec<Entry>> {
    let of = |a: SubjectIndex| match view.state(w, a) {
        State::Ran(cell) => value(cell).filter(|v| v.is_finite()),
        State::Not(_) => None,
    };
    if who.iter().all(|&a| of(a).is_none()) {
        return None;
    }
    // What one run alone says has no least.
    let best = metric.map_or_else(Vec::new, |metric| view.report.best(w, metric));
    let cells = who.iter().map(|&a| {
        let Some(v) = of(a) else { return missing(view, w, a) };
        let is_base = a == view.baseline;
        let r = metric.filter(|_| !is_base).and_then(|metric| view.report.ratio(w, a, metric));
        let mark = metric.map_or("", |metric| view.mark(w, a, metric));
        let beside = |r: Ratio| {
            format!("{} {mark}", with_margin(r.estimate, margin(&r))).trim_end().to_owned()
        };
        let entry = Entry {
            text: form(v),
            small: r.map_or(String::new(), beside),
            title: r.map_or(String::new(), |r| {
                format!("{} {} to {} of the baseline's", r.kind(), ratio(r.low), ratio(r.high))
            }),
            sort: v.to_string(),
            class: metric.map_or("", |metric| class(view, w, a, metric)),
            who: None,
        };
        star(entry, best.contains(&a))
    });
    Some(lead.into_iter().chain(cells).collect())
}

/// Why there is no figure, without more words.
fn missing(view: &View<'_>, w: WorkloadIndex, a: SubjectIndex) -> Entry {
    absent(view, w, a).map_or_else(none, |entry| entry.over(""))
}

/// Peak, mean and end of resident memory, and the peak against what was asked for.
pub(crate) fn memory(view: &View<'_>) -> Table {
    type Figure = (&'static str, fn(&Cell) -> Option<f64>, fn(f64) -> String);
    const FIGURES: [Figure; 4] = [
        ("peak", |c| c.peak_rss.map(|p| p.median), bytes),
        ("mean", |c| c.mean_rss, bytes),
        ("end", |c| c.end_rss, bytes),
        ("RSS/live", |c| c.rss_per_live, ratio),
    ];
    table(view, "memory", &["workload", "figure"], &view.shown, |w| {
        let rows = FIGURES.iter().filter_map(|(name, value, form)| {
            let lead = vec![workload_name(view, w), (*name).into()];
            let metric = (*name == "peak").then_some(Metric::Memory);
            figures(view, w, &view.shown, lead, value, *form, metric)
        });
        named_once(rows.collect())
    })
}

/// Nanoseconds a call, the null allocator's beside the others.
pub(crate) fn calls(view: &View<'_>) -> Table {
    let who = view.shown_and_floor();
    let mut table = table(view, "calls", &["workload"], &who, |w| {
        let lead = vec![workload_name(view, w)];
        let ns = |c: &Cell| c.ns.map(|n| n.median);
        figures(view, w, &who, lead, ns, nanoseconds, Some(Metric::Ns)).into_iter().collect()
    });
    table.sortable = true;
    table
}

pub(crate) fn timed_calls<'a>(view: &View<'a>, w: WorkloadIndex) -> Vec<&'a str> {
    let tails = view.report.workloads[w].cells.iter().flat_map(|c| &c.tails);
    once_each(tails.map(|tail| tail.call.as_str()))
}

/// Names in their order, without those that were there before.
pub(crate) fn once_each<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// What single calls took.
pub(crate) fn tails(view: &View<'_>) -> Table {
    type Figure = (&'static str, fn(&Tail) -> f64);
    const FIGURES: [Figure; 3] =
        [("p50", |t| t.p50_ns), ("p99.9", |t| t.p999_ns), ("max", |t| t.max_ns)];
    let who = with_tails(view);
    table(view, "tails", &["workload", "call"], &who, |w| {
        let calls = timed_calls(view, w);
        let rows = calls.iter().flat_map(|call| FIGURES.iter().map(move |f| (call, f)));
        let rows = rows.filter_map(|(call, (name, value))| {
            let lead = vec![workload_name(view, w), format!("{call} {name}").into()];
            let of = |c: &Cell| c.tails.iter().find(|t| t.call == *call).map(value);
            figures(view, w, &who, lead, of, nanoseconds, None)
        });
        named_once(rows.collect())
    })
}

/// The null allocator's calls are not timed, unless a result has them.
fn with_tails(view: &View<'_>) -> Vec<SubjectIndex> {
    let has_any = |a: SubjectIndex| {
        view.report
            .workload_indices()
            .any(|w| view.report.cell(w, a).is_some_and(|c| !c.tails.is_empty()))
    };
    let mut who = view.shown_and_floor();
    who.retain(|&a| has_any(a));
    who
}

/// The slow calls of malloc in a line a workload.
pub(crate) fn slowest(view: &View<'_>) -> Table {
    let who = with_tails(view);
    table(view, "slowest", &["workload"], &who, |w| {
        let of =
            |a: SubjectIndex| view.report.cell(w, a)?.tails.iter().find(|t| t.call == "malloc");
        if who.iter().all(|&a| of(a).is_none()) {
            return Vec::new();
        }
        let both = |t: &Tail| format!("{} / {}", nanoseconds(t.p999_ns), nanoseconds(t.max_ns));
        let cells =
            who.iter().map(|&a| of(a).map_or_else(|| missing(view, w, a), |t| both(t).into()));
        vec![core::iter::once(workload_name(view, w)).chain(cells).collect()]
    })
}

/// What single workloads count besides.
pub(crate) fn values(view: &View<'_>) -> Table {
    table(view, "others", &["workload", "figure"], &view.shown, |w| {
        let values = view.report.workloads[w].cells.iter().flat_map(|c| &c.values);
        let row = |name: &&str| {
            let of =
                |a: SubjectIndex| view.report.cell(w, a)?.values.iter().find(|v| v.name == *name);
            let cells = view.shown.iter().map(|&a| match of(a) {
                Some(v) => number::in_unit(v.value, &v.unit).into(),
                None => missing(view, w, a),
            });
            let name = Entry { title: (*name).to_owned(), ..readable(name).into() };
            [workload_name(view, w), name].into_iter().chain(cells).collect()
        };
        named_once(once_each(values.map(|v| v.name.as_str())).iter().map(row).collect())
    })
}

/// A program prints `worst_callback_us 146 us`: words instead, without the unit, which the figure has.
fn readable(name: &str) -> String {
    let units = ["_us", "_ms", "_ns", "_s", "_kib", "_bytes", "_count"];
    let name = units.into_iter().find_map(|unit| name.strip_suffix(unit)).unwrap_or(name);
    name.replace(['_', '-'], " ")
}

/// The curves whose definition names columns: a table each, a line an allocator.
pub(crate) fn curves(view: &View<'_>) -> Vec<Table> {
    let mut all = Vec::new();
    for (w, work) in view.report.workload_indices().zip(&view.report.workloads) {
        for name in curve_names(view, w) {
            let curve = work.curve_of(name);
            all.extend(
                curve.filter(|c| !c.columns.is_empty()).map(|c| curve_table(view, w, name, c)),
            );
        }
    }
    all
}

/// The curves of a workload that somebody beside the null allocator has points on.
pub(crate) fn curve_names<'a>(view: &View<'a>, w: WorkloadIndex) -> Vec<&'a str> {
    let cells = view.shown.iter().filter_map(|&a| view.report.cell(w, a));
    once_each(cells.flat_map(|c| &c.series).map(|s| s.name.as_str()))
}

fn curve_table(view: &View<'_>, w: WorkloadIndex, name: &str, curve: &Curve) -> Table {
    let heads = curve.columns.iter().map(|x| number::count(*x));
    let mut table = Table::new(core::iter::once(curve.x.clone()).chain(heads));
    table.title = format!("{}: {name}: {}", view.report.workloads[w].name, curve.y);
    for a in view.shown_and_floor() {
        let series = view.report.cell(w, a).and_then(|c| c.series.iter().find(|s| s.name == name));
        let at = |x: &f64| {
            let is_it = |point: &&(f64, f64)| (point.0 - x).abs() < 1e-9;
            series?.points.iter().find(is_it).map(|point| point.1)
        };
        let heights: Vec<Option<f64>> = curve.columns.iter().map(at).collect();
        if heights.iter().any(Option::is_some) {
            let shown = heights.iter().map(|y| y.map_or_else(none, |y| number::number(y).into()));
            table.row(core::iter::once(view.name(a).into()).chain(shown));
        }
    }
    table
}

/// Only the first of a workload's rows has its name, and says why there is no figure.
fn named_once(mut rows: Vec<Vec<Entry>>) -> Vec<Vec<Entry>> {
    for row in rows.iter_mut().skip(1) {
        if let Some(name) = row.first_mut() {
            *name = Entry { class: "again", ..Entry::default() };
        }
        for cell in row.iter_mut().filter(|c| c.class == "absent") {
            *cell = none();
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use bench::testing::{self, series};

    use super::*;

    #[test]
    fn a_curve_with_columns_has_a_line_for_each_allocator_that_has_points() {
        let mut report = testing::rounds(&["sweep"], 2, |_, _| 0.001);
        assert!(curves(&View::of(&report)).is_empty());
        let work = &mut report.workloads[0];
        let curve = |columns: &[f64]| Curve {
            x: "bytes".to_owned(),
            y: "ns a pair".to_owned(),
            columns: columns.to_vec(),
            ..Curve::default()
        };
        work.curve = Some(curve(&[64.0, 4096.0]));
        work.curves.insert("other".to_owned(), curve(&[]));
        work.cells[0].series =
            vec![series("pair", &[(64.0, 17.25), (128.0, 1.0)]), series("other", &[(64.0, 1.0)])];
        let all = curves(&View::of(&report));
        assert_eq!(all.len(), 1, "one has no columns");
        let name = report.allocators[0].name.clone();
        let cells: Vec<&str> = all[0].rows().flatten().map(|cell| cell.text.as_str()).collect();
        assert_eq!(cells, [&name, "17.2", number::NONE]);
        assert_eq!(all[0].columns[2].name, "4,096");
        // What only the null allocator has points on is nobody's curve.
        let null = report.allocators.len() - 1;
        report.workloads[0].cells[null].series = vec![series("wide", &[(64.0, 1.0)])];
        assert_eq!(curve_names(&View::of(&report), WorkloadIndex(0)), ["pair", "other"]);
    }

    #[test]
    fn figures_have_names_that_can_be_read() {
        let names = ["worst_callback_us", "missed_deadlines", "warm_kib", "cpu/a", "bus"];
        assert_eq!(
            names.map(readable),
            ["worst callback", "missed deadlines", "warm", "cpu/a", "bus"]
        );
    }
}

//! The tables of the page: time, memory, nanoseconds a call, tails.

mod overall;

use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::{Cell, Series, Tail, Value, Work};
use bench::session::{SubjectIndex, WorkloadIndex};
use serde::Serialize;

use crate::format::{self, bytes, nanoseconds, number, percent, ratio, seconds, short};
use crate::view::{AS_EXPECTED, State, View, kind, with_margin};

pub(crate) use overall::overall;

/// One table; its columns are allocators.
#[derive(Debug, Serialize)]
pub(crate) struct Table {
    /// What its CSV file is called.
    pub(crate) id: &'static str,
    /// The columns before the allocators'.
    pub(crate) lead: Vec<&'static str>,
    pub(crate) columns: Vec<Column>,
    pub(crate) groups: Vec<Rows>,
    pub(crate) sortable: bool,
}

/// The head of an allocator's column.
#[derive(Debug, Serialize)]
pub(crate) struct Column {
    /// The allocator's place; none: it is no allocator's.
    pub(crate) who: Option<SubjectIndex>,
    pub(crate) name: String,
    /// Its colour's number.
    pub(crate) colour: usize,
    pub(crate) note: String,
    pub(crate) is_ours: bool,
}

/// Rows under one heading.
#[derive(Debug, Serialize)]
pub(crate) struct Rows {
    pub(crate) title: String,
    pub(crate) rows: Vec<Row>,
}

/// One row.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) lead: Vec<Entry>,
    pub(crate) cells: Vec<Entry>,
}

/// One cell.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Entry {
    pub(crate) text: String,
    /// Below it, in small letters.
    pub(crate) small: String,
    /// Where pointed at.
    pub(crate) title: String,
    /// The allocator that the row is about.
    pub(crate) who: Option<SubjectIndex>,
    /// What it is sorted by; nothing comes last.
    pub(crate) sort: String,
    pub(crate) class: &'static str,
}

impl Entry {
    fn words(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { sort: text.to_lowercase(), text, ..Self::default() }
    }

    fn none() -> Self {
        Self { text: format::NONE.to_owned(), class: "none", ..Self::default() }
    }

    fn star(mut self, is_best: bool) -> Self {
        if is_best {
            self.text.push_str(" *");
        }
        self
    }
}

fn group_title(group: Group) -> &'static str {
    match group {
        Group::Texts => "from published reports on allocators",
        Group::Community => "known benchmarks of the community",
        Group::Ours => "heapwright's own",
        Group::Real => "real programs",
        Group::Own => "the command that was given",
    }
}

fn columns(view: &View<'_>, who: &[SubjectIndex]) -> Vec<Column> {
    who.iter()
        .map(|&a| Column {
            who: Some(a),
            is_ours: view.style(a).is_ours,
            name: view.name(a).to_owned(),
            colour: view.style(a).colour,
            note: view.report.allocators[a].version.clone().unwrap_or_default(),
        })
        .collect()
}

/// Rows by group, in the order in which the groups first appear.
fn grouped(view: &View<'_>, mut rows: impl FnMut(WorkloadIndex) -> Vec<Row>) -> Vec<Rows> {
    let mut groups: Vec<Rows> = Vec::new();
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
            None => groups.push(Rows { title: title.to_owned(), rows: more }),
        }
    }
    groups
}

fn absent(view: &View<'_>, work: WorkloadIndex, a: SubjectIndex) -> Option<Entry> {
    let State::Not(why) = view.state(work, a) else { return None };
    // The reason is in the cell itself where it adds something: not everybody can point at things.
    let small = why.long.strip_prefix("skipped: ").unwrap_or_default();
    Some(Entry {
        text: why.short.clone(),
        small: format::cut(small, 48),
        title: why.long,
        class: "absent",
        ..Entry::default()
    })
}

fn workload_name(view: &View<'_>, work: WorkloadIndex) -> Entry {
    let w = &view.report.workloads[work];
    let threads = match w.threads {
        0 => "waits".to_owned(),
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    };
    let small = format!(
        "{threads} · {} round{}{}",
        w.rounds,
        if w.rounds == 1 { "" } else { "s" },
        if w.precise { "" } else { ", not yet precise" }
    );
    Entry { title: w.about.clone(), small, ..Entry::words(w.name.clone()) }
}

/// Time relative to the baseline.
pub(crate) fn time(view: &View<'_>) -> Table {
    let groups = grouped(view, |w| {
        let noise = view.report.workloads[w].noise_floor.filter(|n| n.is_finite());
        let noise = noise.map_or_else(Entry::none, |n| Entry {
            text: format!("±{}", percent(n)),
            sort: n.to_string(),
            ..Entry::default()
        });
        let cells = view.shown.iter().map(|&a| time_cell(view, w, a)).collect();
        vec![Row { lead: vec![workload_name(view, w), noise], cells }]
    });
    Table {
        id: "time",
        lead: vec!["workload", "noise"],
        columns: columns(view, &view.shown),
        groups,
        sortable: true,
    }
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

fn time_cell(view: &View<'_>, w: WorkloadIndex, a: SubjectIndex) -> Entry {
    if let Some(entry) = absent(view, w, a) {
        return entry;
    }
    let State::Ran(cell) = view.state(w, a) else { return Entry::none() };
    let Some(time) = cell.time else { return Entry::none() };
    let interval = time.ratio.map_or(String::new(), |r| {
        format!("{} {} to {} from {} pairs; ", kind(&r), ratio(r.low), ratio(r.high), r.pairs)
    });
    Entry {
        text: view.time_text(w, a),
        small: seconds(time.median),
        title: format!("{interval}{} runs, {} flagged", cell.runs, cell.flagged),
        sort: view.time(w, a).map_or(String::new(), |r| r.to_string()),
        class: class(view, w, a, Metric::Time),
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
    show: fn(f64) -> String,
    metric: Option<Metric>,
) -> Option<Row> {
    let of = |a: SubjectIndex| match view.state(w, a) {
        State::Ran(cell) => value(cell).filter(|v| v.is_finite()),
        State::Not(_) => None,
    };
    if who.iter().all(|&a| of(a).is_none()) {
        return None;
    }
    // What one run alone says has no least.
    let best = metric.map_or_else(Vec::new, |metric| view.report.best(w, metric));
    let cells = who
        .iter()
        .map(|&a| {
            let Some(v) = of(a) else {
                return absent(view, w, a)
                    .map_or_else(Entry::none, |e| Entry { small: String::new(), ..e });
            };
            let is_base = a == view.baseline;
            let r = metric.filter(|_| !is_base).and_then(|metric| view.report.ratio(w, a, metric));
            let mark = metric.map_or("", |metric| view.mark(w, a, metric));
            Entry {
                text: show(v),
                small: r.map_or(String::new(), |r| {
                    format!("{} {mark}", with_margin(&r)).trim_end().to_owned()
                }),
                title: r.map_or(String::new(), |r| {
                    format!("{} {} to {} of the baseline's", kind(&r), ratio(r.low), ratio(r.high))
                }),
                sort: v.to_string(),
                class: metric.map_or("", |metric| class(view, w, a, metric)),
                who: None,
            }
            .star(best.contains(&a))
        })
        .collect();
    Some(Row { lead, cells })
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
    let groups = grouped(view, |w| {
        let rows = FIGURES.iter().filter_map(|(name, value, show)| {
            let lead = vec![workload_name(view, w), Entry::words(*name)];
            let metric = (*name == "peak").then_some(Metric::Memory);
            figures(view, w, &view.shown, lead, value, *show, metric)
        });
        named_once(rows.collect())
    });
    Table {
        id: "memory",
        lead: vec!["workload", "figure"],
        columns: columns(view, &view.shown),
        groups,
        sortable: false,
    }
}

/// Nanoseconds a call, the null allocator's beside the others.
pub(crate) fn calls(view: &View<'_>) -> Table {
    let who = view.shown_and_floor();
    let groups = grouped(view, |w| {
        let lead = vec![workload_name(view, w)];
        let show = |v| format!("{} ns", number(v));
        figures(view, w, &who, lead, |c| c.ns.map(|n| n.median), show, Some(Metric::Ns))
            .into_iter()
            .collect()
    });
    Table {
        id: "calls",
        lead: vec!["workload"],
        columns: columns(view, &who),
        groups,
        sortable: true,
    }
}

/// What single calls took.
pub(crate) fn tails(view: &View<'_>) -> Table {
    type Figure = (&'static str, fn(&Tail) -> f64);
    const FIGURES: [Figure; 3] =
        [("p50", |t| t.p50_ns), ("p99.9", |t| t.p999_ns), ("max", |t| t.max_ns)];
    // The null allocator's calls are not timed, unless a result has them.
    let has_any = |a: SubjectIndex| {
        view.report.workload_indices().any(|w| view.cell(w, a).is_some_and(|c| !c.tails.is_empty()))
    };
    let mut who = view.shown_and_floor();
    who.retain(|&a| view.shown.contains(&a) || has_any(a));
    let groups = grouped(view, |w| {
        let mut calls: Vec<&str> = Vec::new();
        for tail in view.report.workloads[w].cells.iter().flat_map(|c| &c.tails) {
            if !calls.contains(&tail.call.as_str()) {
                calls.push(&tail.call);
            }
        }
        let rows = calls.iter().flat_map(|call| FIGURES.iter().map(move |f| (call, f)));
        let rows = rows.filter_map(|(call, (name, value))| {
            let lead = vec![workload_name(view, w), Entry::words(format!("{call} {name}"))];
            let of = |c: &Cell| c.tails.iter().find(|t| t.call == *call).map(value);
            figures(view, w, &who, lead, of, nanoseconds, None)
        });
        named_once(rows.collect())
    });
    Table {
        id: "tails",
        lead: vec!["workload", "call"],
        columns: columns(view, &who),
        groups,
        sortable: false,
    }
}

/// What single workloads count besides.
pub(crate) fn values(view: &View<'_>) -> Table {
    let groups = grouped(view, |w| {
        let mut names: Vec<&str> = Vec::new();
        for value in view.report.workloads[w].cells.iter().flat_map(|c| &c.values) {
            if !names.contains(&value.name.as_str()) {
                names.push(&value.name);
            }
        }
        let rows = names.iter().map(|name| value_row(view, w, name)).collect();
        named_once(rows)
    });
    Table {
        id: "others",
        lead: vec!["workload", "figure"],
        columns: columns(view, &view.shown),
        groups,
        sortable: false,
    }
}

fn value_row(view: &View<'_>, w: WorkloadIndex, name: &str) -> Row {
    let of = |a: SubjectIndex| view.cell(w, a)?.values.iter().find(|v| v.name == name);
    let cells = view
        .shown
        .iter()
        .map(|&a| {
            let Some(v) = of(a) else {
                return absent(view, w, a)
                    .map_or_else(Entry::none, |e| Entry { small: String::new(), ..e });
            };
            let text = match v.unit.as_str() {
                "bytes" => bytes(v.value),
                "ns" => nanoseconds(v.value),
                "s" | "seconds" => seconds(v.value),
                unit => format!("{} {unit}", number(v.value)).trim_end().to_owned(),
            };
            Entry { text, ..Entry::default() }
        })
        .collect();
    Row { lead: vec![workload_name(view, w), Entry::words(name)], cells }
}

/// The sequences of workloads that show what one kind of allocator does: a line each, its numbers in a row.
pub(crate) fn sequences(view: &View<'_>) -> Table {
    let mut groups = Vec::new();
    for (w, work) in view.report.workload_indices().zip(&view.report.workloads) {
        let cells = view.shown.iter().filter_map(|&a| view.cell(w, a)).filter(|_| work.alone);
        let rows: Vec<Row> = cells
            .flat_map(|cell| cell.series.iter().map(|series| sequence(work, cell, series)))
            .collect();
        if !rows.is_empty() {
            groups.push(Rows { title: work.name.clone(), rows });
        }
    }
    let heads = ["what the numbers are", "median", "as expected", "in the order of the steps"];
    let column = |name: &str| Column {
        who: None,
        name: name.to_owned(),
        colour: 0,
        note: String::new(),
        is_ours: false,
    };
    let columns = heads.map(column).into();
    Table { id: "sequences", lead: vec!["sequence"], columns, groups, sortable: false }
}

/// Numbers of a sequence that are shown.
const SHOWN: usize = 20;

fn sequence(work: &Work, cell: &Cell, series: &Series) -> Row {
    let curve = work.curves.get(&series.name).or(work.curve.as_ref());
    let mut heights: Vec<f64> = series.points.iter().map(|point| point.1).collect();
    let shown = heights.iter().take(SHOWN).map(|y| short(*y)).collect::<Vec<_>>().join(" ");
    let more = if heights.len() > SHOWN { " …" } else { "" };
    heights.sort_by(f64::total_cmp);
    // Numbers of objects have an order, and no middle.
    let is_judged = |v: &&Value| v.name == series.name && v.unit == AS_EXPECTED;
    let judged = cell.values.iter().find(is_judged);
    let middle = heights.get(heights.len() / 2).filter(|_| judged.is_none());
    let verdict = judged.map_or("", |v| if v.value > 0.5 { "yes" } else { "NO" });
    Row {
        lead: vec![Entry::words(&series.name)],
        cells: vec![
            Entry { class: "sequence", ..Entry::words(curve.map_or("", |curve| curve.y.as_str())) },
            Entry::words(middle.map_or(String::new(), |y| short(*y))),
            Entry::words(verdict),
            Entry { class: "sequence", ..Entry::words(shown + more) },
        ],
    }
}

/// Only the first of a workload's rows has its name, and says why there is no figure.
fn named_once(mut rows: Vec<Row>) -> Vec<Row> {
    for row in rows.iter_mut().skip(1) {
        if let Some(name) = row.lead.first_mut() {
            *name = Entry { class: "again", ..Entry::default() };
        }
        for cell in row.cells.iter_mut().filter(|c| c.class == "absent") {
            *cell = Entry::none();
        }
    }
    rows
}

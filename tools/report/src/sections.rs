//! The sections of the page between the verdict and the machine: a title, a sentence on how to read it, pictures and a
//! table.

use bench::stats::ENOUGH_PAIRS;
use serde::Serialize;

use crate::format::list;
use crate::plot::{self, Part};
use crate::tables::{self, Table};
use crate::view::View;

/// One section.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    /// Where links point.
    pub(crate) id: &'static str,
    title: &'static str,
    about: String,
    /// Said where there is neither a picture nor a row.
    empty: &'static str,
    table: Option<Table>,
    /// The table comes before the pictures.
    table_first: bool,
    /// One picture beside its table.
    is_single: bool,
    figures: Vec<Figure>,
}

/// A picture, and what its CSV file is made of.
#[derive(Debug, Serialize)]
struct Figure {
    svg: String,
    kind: &'static str,
    workload: String,
    name: String,
    file: String,
}

/// All sections, in their order. `points` is the most of one line.
pub(crate) fn all(view: &View<'_>, points: usize) -> Vec<Section> {
    let mut placed = plot::placed(view, points);
    let mut figures = |part: Part, id: &str| -> Vec<Figure> {
        let (mine, rest) = placed.drain(..).partition(|p: &plot::Placed| p.part == part);
        placed = rest;
        let mine: Vec<plot::Placed> = mine;
        mine.into_iter().enumerate().map(|(i, p)| figure(p, id, i)).collect()
    };
    let mut all = vec![
        overall(view, figures(Part::Pareto, "overall")),
        time(view, figures(Part::Time, "time")),
        memory(view, figures(Part::Memory, "memory")),
        calls(view),
        slow(view, figures(Part::Latency, "slow")),
        sequences(view),
        sweeps(figures(Part::Curves, "sweeps")),
    ];
    let others = tables::values(view);
    if !others.groups.is_empty() {
        all.push(Section {
            id: "others",
            title: "Other figures",
            about: "What single workloads count besides, as medians of their runs.".to_owned(),
            empty: "",
            table: Some(others),
            table_first: true,
            is_single: false,
            figures: Vec::new(),
        });
    }
    let is_filled = |s: &Section| {
        !s.figures.is_empty() || s.table.as_ref().is_some_and(|table| !table.groups.is_empty())
    };
    if all.iter().any(is_filled) {
        // Why there is no mean is worth a word.
        let is_said = |s: &Section| s.id == "overall" && !view.report.left_out.is_empty();
        all.retain(|section| is_filled(section) || is_said(section));
    }
    all
}

fn overall(view: &View<'_>, figures: Vec<Figure>) -> Section {
    let base = view.name(view.baseline);
    Section {
        id: "overall",
        title: "All workloads together",
        about: format!(
            "Geometric means of the ratios to {base}, with 95\u{a0}% intervals: 0.80 is 20\u{a0}% less than {base}, 1.25 is 25\u{a0}% more. \
             Only workloads that both ended count. In the picture, further left is faster and further down needs less \
             memory; the crosses are the intervals."
        ),
        empty: if view.report.left_out.is_empty() {
            "There are no two allocators that can be compared over all workloads."
        } else {
            "Some workloads had no place in the time: a mean over the others would not be one over what was asked for."
        },
        table: Some(tables::overall(view)).filter(|t| !t.groups.is_empty()),
        table_first: false,
        is_single: true,
        figures,
    }
}

fn time(view: &View<'_>, figures: Vec<Figure>) -> Section {
    let base = view.name(view.baseline);
    Section {
        id: "time",
        title: "Time, by workload",
        about: format!(
            "{} relative to {base}: below 1 is faster, ± is the 95\u{a0}% interval (of fewer than {ENOUGH_PAIRS} \
             rounds their range), and below it stands the median. \
             A difference from {base} is shown by at least {ENOUGH_PAIRS} rounds, an interval without 1 and more than the \
             noise; = is level, which means that 5\u{a0}% would have shown; ? cannot be told. \
             * marks the least of the row, and all that are not shown to have more. Noise is {base} against itself; in \
             the pictures, \
             which have a scale on which half and double are equally far from 1, it is the grey band.",
            which_time(view)
        ),
        empty: "No time was measured.",
        table: Some(tables::time(view)),
        table_first: true,
        is_single: false,
        figures,
    }
}

/// Where the machine was too busy the wall clock says nothing of the allocator.
fn which_time(view: &View<'_>) -> String {
    let works = &view.report.workloads;
    let by_cpu: Vec<String> = works.iter().filter(|w| w.by_cpu).map(|w| w.name.clone()).collect();
    match by_cpu.len() {
        0 => "Wall-clock time".to_owned(),
        n if n == works.len() => {
            "Processor time (the machine was too busy for wall-clock time)".to_owned()
        }
        _ => format!(
            "Wall-clock time (of {} processor time, as the machine was too busy)",
            list(&by_cpu)
        ),
    }
}

fn memory(view: &View<'_>, figures: Vec<Figure>) -> Section {
    Section {
        id: "memory",
        title: "Memory",
        about: "Resident memory of all processes of a run. The pictures show it over time, and in grey what the program had \
                asked for. In the table: at its peak (below it, relative to the baseline), on average and at the end; \
                RSS/live is the peak over the most that was asked for at one time, below 1 where not all of that was \
                written. The marks =, ? and * mean what they do with time; what one run alone tells shows nothing."
            .to_owned(),
        empty: "No memory was measured.",
        table: Some(tables::memory(view)),
        table_first: false,
        is_single: false,
        figures,
    }
}

fn calls(view: &View<'_>) -> Section {
    Section {
        id: "calls",
        title: "Nanoseconds a call",
        about: "Time of the measured part over its calls of malloc and free. The null allocator hands out memory and never \
                takes it back: its column is what the workload and its harness cost themselves."
            .to_owned(),
        empty: "No workload counted its calls.",
        table: Some(tables::calls(view)),
        table_first: true,
        is_single: false,
        figures: Vec::new(),
    }
}

fn slow(view: &View<'_>, figures: Vec<Figure>) -> Section {
    Section {
        id: "slow",
        title: "Slow calls",
        about: "How long single calls took, timed one by one in a pass of their own, less what reading the clock takes at \
                least; a longest call may have been interrupted. The curves show \
                which share of the calls took longer than each time: further left and lower is better. In the \
                table, half of the calls took at most p50, all but one in a thousand at most p99.9."
            .to_owned(),
        empty: "No calls were timed one by one.",
        table: Some(tables::tails(view)),
        table_first: false,
        is_single: false,
        figures,
    }
}

fn sequences(view: &View<'_>) -> Section {
    Section {
        id: "sequences",
        title: "Sequences",
        about: "Numbers in the order in which objects are handed out, the first 20 of each; of distances the median stands \
                beside them."
            .to_owned(),
        empty: "",
        table: Some(tables::sequences(view)),
        table_first: true,
        is_single: false,
        figures: Vec::new(),
    }
}

fn sweeps(figures: Vec<Figure>) -> Section {
    Section {
        id: "sweeps",
        title: "Sweeps",
        about: "What changes as a workload's parameter does; medians of the runs.".to_owned(),
        empty: "No workload has a curve.",
        table: None,
        table_first: false,
        is_single: false,
        figures,
    }
}

/// Without the colours that a file needs: here they are the page's, by class. They are a tenth of a picture.
fn uncoloured(svg: &str) -> String {
    [" fill=\"#", " stroke=\"#"].into_iter().fold(svg.to_owned(), |svg, attribute| {
        let mut parts = svg.split(attribute);
        let first = parts.next().unwrap_or_default().to_owned();
        // Six digits and a quote follow; no name has such a text in it, as quotes are escaped.
        parts.fold(first, |text, part| text + part.get(7..).unwrap_or_default())
    })
}

fn figure(placed: plot::Placed, id: &str, i: usize) -> Figure {
    // An id makes the picture a place to link to.
    let svg = uncoloured(&placed.plot.svg).replacen("<svg ", &format!("<svg id=\"{id}-{i}\" "), 1);
    let (kind, name) = placed.data;
    let kind = match (kind, placed.part) {
        ("", Part::Pareto) => "overall",
        ("", _) => "time",
        (kind, _) => kind,
    };
    Figure {
        svg,
        kind,
        workload: placed.workload.map_or(String::new(), |w| w.0.to_string()),
        name,
        file: placed.plot.name,
    }
}

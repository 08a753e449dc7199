//! The sections of the page between the verdict and the machine: a title, a sentence on how to read it, pictures and a
//! table.

use bench::stats::ENOUGH_PAIRS;
use show::text::list;
use show::{Figure, Section, Table};

use crate::plot::{self, Part};
use crate::tables;
use crate::view::View;

pub(crate) fn all(view: &View<'_>, points: usize) -> Vec<Section> {
    let mut placed = plot::placed(view, points);
    let mut figures = |part: Part, id: &str| -> Vec<Figure> {
        let (mine, rest) = placed.drain(..).partition(|p: &plot::Placed| p.part == part);
        placed = rest;
        let mine: Vec<plot::Placed> = mine;
        mine.into_iter().enumerate().map(|(i, p)| figure(p, id, i)).collect()
    };
    let mut all = if view.is_one() {
        let mut both = figures(Part::Pareto, "overall");
        both.extend(figures(Part::Time, "time"));
        vec![one(view, both)]
    } else {
        let all = figures(Part::Pareto, "overall");
        vec![overall(view, all), time(view, figures(Part::Time, "time"))]
    };
    all.extend([
        section(
            "text",
            "Beside the text",
            TEXT,
            vec![tables::beside(view)],
            figures(Part::Text, "text"),
        ),
        section(
            "memory",
            "Memory",
            MEMORY,
            vec![tables::memory(view)],
            figures(Part::Memory, "memory"),
        ),
        section("calls", "Nanoseconds a call", CALLS, vec![tables::calls(view)], Vec::new()),
        section(
            "slow",
            "Slow calls",
            SLOW,
            vec![tables::tails(view)],
            figures(Part::Latency, "slow"),
        ),
        section("sequences", "Sequences", SEQUENCES, vec![tables::sequences(view)], Vec::new()),
        curves(view, figures(Part::Curves, "sweeps")),
        section("others", "Other figures", OTHERS, vec![tables::values(view)], Vec::new()),
    ]);
    // Why there is no mean is worth a word.
    let is_said = |s: &Section| s.id == "overall" && !view.report.left_out.is_empty();
    all.retain(|section| section.has_figures() || is_said(section));
    all
}

/// The curves of workloads: those of a sweep, or of a replay's memory.
fn curves(view: &View<'_>, figures: Vec<Figure>) -> Section {
    match view.report.workloads.iter().any(|work| work.replayed.is_some()) {
        true => section(
            "sweeps",
            "Memory over the calls",
            REPLAY,
            vec![tables::resident(view)],
            figures,
        ),
        false => section("sweeps", "Sweeps", SWEEPS, Vec::new(), figures),
    }
}

fn one(view: &View<'_>, figures: Vec<Figure>) -> Section {
    Section {
        id: "overall",
        title: "Time and memory",
        about: format!(
            "{} Each figure is a median; below it stands its ratio to {}'s. In the picture of both, further left is faster and \
             further down needs less memory; the crosses are the intervals.",
            how_to_read(view),
            view.name(view.baseline)
        ),
        tables: vec![tables::program(view)],
        tables_first: true,
        figures,
        ..Section::default()
    }
}

fn overall(view: &View<'_>, figures: Vec<Figure>) -> Section {
    let base = view.name(view.baseline);
    let is_whole = view.report.left_out.is_empty();
    let missing = "Some workloads had no place in the time: a mean over the others would not be one over what was asked for.";
    let about = || {
        format!(
            "Geometric means of the ratios to {base}, with 95 % intervals: 0.80 is 20 % less than {base}, 1.25 is 25 % more. \
             Only workloads that both ended count. In the picture, further left is faster and further down needs less \
             memory; the crosses are the intervals."
        )
    };
    Section {
        id: "overall",
        title: "All workloads together",
        about: if is_whole { about() } else { missing.to_owned() },
        tables: vec![tables::overall(view)],
        is_single: true,
        figures,
        ..Section::default()
    }
}

fn how_to_read(view: &View<'_>) -> String {
    let base = view.name(view.baseline);
    format!(
        "{} relative to {base}: below 1 is faster, ± is the 95 % interval (of fewer than {ENOUGH_PAIRS} rounds their range). \
         A difference from {base} is shown by at least {ENOUGH_PAIRS} rounds, an interval without 1 and more than the \
         noise; = is level, which means that 5 % would have shown; ? cannot be told. \
         * marks the least, and all that are not shown to have more. Noise is {base} against itself; in the pictures, \
         which have a scale on which half and double are equally far from 1, it is the grey band.",
        which_time(view)
    )
}

fn time(view: &View<'_>, figures: Vec<Figure>) -> Section {
    let tables = vec![tables::time(view)];
    let section = section("time", "Time, by workload", &how_to_read(view), tables, figures);
    Section { tables_first: true, ..section }
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

const TEXT: &str = "Time relative to the baseline's, here and as the text has it from which the workload is: another machine, single runs, \
     and the same tests by their description. A bar beyond five times the baseline is cut.";
const MEMORY: &str = "Resident memory of all processes of a run. The pictures show it over time, and in grey what the program had \
     asked for. In the table: at its peak (below it, relative to the baseline), on average and at the end; \
     RSS/live is the peak over the most that was asked for at one time, below 1 where not all of that was \
     written. The marks =, ? and * mean what they do with time; what one run alone tells shows nothing.";
const CALLS: &str = "Time of the measured part over its calls of malloc and free. The null allocator hands out memory and never \
     takes it back: its column is what the workload and its harness cost themselves.";
const SLOW: &str = "How long single calls took, timed one by one in a pass of their own, less what reading the clock takes at \
                    least; a longest call may have been interrupted. The curves show \
                    which share of the calls took longer than each time: further left and lower is better. In the \
                    table, half of the calls took at most p50, all but one in a thousand at most p99.9.";
const SEQUENCES: &str = "Numbers in the order in which objects are handed out, the first 20 of each; of distances the median stands \
     beside them.";
const SWEEPS: &str = "What changes as a workload's parameter does; medians of the runs.";
const REPLAY: &str = "Resident memory above the start, in the recorded program and in its replays, by the number of calls; in grey what was \
     live. In the table: at its peak, the mean over all calls, after the last call, and with all freed.";
const OTHERS: &str = "What single workloads count besides, as medians of their runs.";

fn section(
    id: &'static str,
    title: &'static str,
    about: &str,
    tables: Vec<Table>,
    figures: Vec<Figure>,
) -> Section {
    Section { id, title, about: about.to_owned(), tables, figures, ..Section::default() }
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
        is_wide: placed.is_wide,
        kind,
        which: placed.workload.map_or(String::new(), |w| w.0.to_string()),
        name,
        file: placed.plot.name,
    }
}

//! The pictures: which there are, and what they show.

mod bars;
mod dots;
mod family;
mod front;
mod lines;
mod pareto;

use bench::result::Report;
use bench::session::WorkloadIndex;

pub use front::front;

use crate::view::View;

/// Points of one line at most, in files.
const FINE: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plot {
    /// Its file's name, without an ending: letters, digits, `-`, `_` and `.`.
    pub name: String,
    pub title: String,
    /// The picture itself: stands alone, needs no other file.
    pub svg: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Pareto,
    Time,
    Text,
    Memory,
    Latency,
    Curves,
}

#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) part: Part,
    /// The workload it is about; none: all.
    pub(crate) workload: Option<WorkloadIndex>,
    /// `rss`, `tail`, `series`, `family` or nothing, and the call's or the curve's name: what its CSV file holds.
    pub(crate) data: (&'static str, String),
    /// Whether it has the page's width to itself.
    pub(crate) is_wide: bool,
    pub(crate) plot: Plot,
}

impl Placed {
    fn new(
        part: Part,
        workload: Option<WorkloadIndex>,
        name: String,
        title: String,
        svg: String,
    ) -> Self {
        let data = ("", String::new());
        Self { part, workload, data, is_wide: false, plot: Plot { name, title, svg } }
    }
}

/// All pictures of the page, those without data left out. `points` is the most of one line.
pub(crate) fn placed(view: &View<'_>, points: usize) -> Vec<Placed> {
    let mut all: Vec<Placed> = pareto::plot(view).into_iter().collect();
    // Sequences are read, and not drawn.
    let works = || view.report.workload_indices().filter(|w| !view.report.workloads[*w].alone);
    all.extend(works().filter_map(|work| dots::panel(view, work)));
    all.extend(works().filter_map(|work| bars::bars(view, work)));
    for work in works() {
        all.extend(lines::memory(view, work, points));
    }
    for work in works() {
        all.extend(lines::latency(view, work, points));
    }
    for work in works() {
        all.extend(lines::curves(view, work, points));
        all.extend(family::curves(view, work, points));
    }
    for place in 1..all.len() {
        // Two names may become one where letters are replaced.
        let taken = |name: &str| all[..place].iter().any(|p| p.plot.name == name);
        let mut name = all[place].plot.name.clone();
        let mut n = 2;
        while taken(&name) {
            name = format!("{}-{n}", all[place].plot.name);
            n += 1;
        }
        all[place].plot.name = name;
    }
    all
}

/// Pictures of all workloads in one, and what they are called.
const TOGETHER: [(Part, &str, &str); 2] = [
    (
        Part::Time,
        "time",
        "Time by workload, relative to the baseline (less is better; 95 % intervals; band: noise)",
    ),
    (
        Part::Text,
        "text",
        "Time by workload, relative to the baseline: here, and in grey in the text",
    ),
];

/// Every picture of `report` that there is data for.
///
/// `time` has all workloads in one, and `text` those that a text has figures of; the others are `pareto`, and for each workload
/// with such data `memory-…`, `latency-…`, `curve-…` and `family-…`. Cost: some milliseconds. Never panics.
pub fn plots(report: &Report) -> Vec<Plot> {
    let view = View::of(report);
    let mut all = Vec::new();
    let placed = placed(&view, FINE);
    for (part, name, title) in TOGETHER {
        let panels: Vec<&Plot> =
            placed.iter().filter(|p| p.part == part).map(|p| &p.plot).collect();
        all.extend(dots::together(name, title, &panels));
    }
    let alone = |p: &Placed| TOGETHER.iter().all(|(part, ..)| p.part != *part);
    all.extend(placed.into_iter().filter(alone).map(|p| p.plot));
    all
}

fn file_name(text: &str) -> String {
    let name: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .take(80)
        .collect();
    name.trim_matches(['.', '-']).to_owned()
}

//! The page: the verdict, the tables, the pictures, the machine, and the result itself, in one file.

use core::fmt::Write;

use bench::result::Report;
use minijinja::value::Serde;
use minijinja::{Environment, Value};
use serde::Serialize;

use crate::embed::{self, DETAILS, Detail};
use crate::format::{bytes, escape, percent, seconds};
use crate::plot::{self, Part};
use crate::tables::{self, Table};
use crate::view::View;
use crate::{style, verdict};

/// No page is larger than this many bytes, if leaving out detail can help it.
const LARGEST: usize = 2_000_000;

const TEMPLATE: &str = include_str!("../assets/page.html");
const RULES: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");

/// What the template is filled with. Strings are escaped by the template unless it says `safe`.
#[derive(Debug, Serialize)]
struct Page {
    title: String,
    rules: String,
    script: &'static str,
    verdict: Vec<String>,
    warnings: Vec<String>,
    left_out: String,
    tables: Vec<(TableText, Table)>,
    parts: Vec<PartView>,
    facts: Vec<(String, String)>,
    allocators: Vec<Library>,
    prepared: Vec<[String; 4]>,
    workloads: Vec<About>,
    json: String,
}

#[derive(Debug, Serialize)]
struct TableText {
    title: &'static str,
    about: String,
    empty: &'static str,
}

#[derive(Debug, Serialize)]
struct PartView {
    id: &'static str,
    title: &'static str,
    about: String,
    empty: &'static str,
    is_single: bool,
    figures: Vec<Figure>,
}

#[derive(Debug, Serialize)]
struct Figure {
    svg: String,
    kind: &'static str,
    workload: String,
    name: String,
    file: String,
}

#[derive(Debug, Serialize)]
struct Library {
    name: String,
    role: &'static str,
    version: String,
    library: String,
}

#[derive(Debug, Serialize)]
struct About {
    name: String,
    about: String,
    source: String,
    command: String,
}

/// The page alone: a whole HTML file that needs nothing else, at most 2 MB where leaving out detail helps.
///
/// Cost: some 10 ms, more where detail has to be left out. Never panics.
#[must_use]
pub fn html(report: &Report) -> String {
    let view = View::of(report);
    let mut page = String::new();
    for detail in DETAILS {
        page = render(&view, detail);
        if page.len() <= LARGEST {
            break;
        }
    }
    page
}

fn render(view: &View<'_>, detail: Detail) -> String {
    let page = fill(view, detail);
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::Html);
    let rendered = environment.render_named_str("page.html", TEMPLATE, Value::from(Serde(&page)));
    rendered.unwrap_or_else(|e| {
        // Only a fault in the template itself gets here, and the tests render it.
        format!("<!doctype html><title>heapwright</title><p>{}</p>", escape(&e.to_string()))
    })
}

fn fill(view: &View<'_>, detail: Detail) -> Page {
    let report = view.report;
    Page {
        title: format!("heapwright bench, {}", report.started),
        rules: rules(),
        script: SCRIPT,
        verdict: verdict::sentences(view),
        warnings: report.warnings.clone(),
        left_out: embed::left_out(report, detail),
        tables: all_tables(view),
        parts: parts(view, detail),
        facts: facts(report),
        allocators: libraries(report),
        prepared: report.prepared.iter().map(prepared).collect(),
        workloads: report.workloads.iter().map(about).collect(),
        json: embed::json(report, detail),
    }
}

fn rules() -> String {
    let mut rules = RULES
        .replace("/*light*/", &style::variables(false))
        .replace("/*dark*/", &style::variables(true));
    rules.push_str(&style::classes());
    rules
}

fn all_tables(view: &View<'_>) -> Vec<(TableText, Table)> {
    let base = view.name(view.baseline);
    let text = |title, about: String, empty| TableText { title, about, empty };
    vec![
        (
            text(
                "Time",
                format!(
                    "Wall-clock time relative to {base}, less is better, ± the 95 % interval; below it the median. = no difference \
                     from {base} is shown, * the least of the row. Noise: {base} against itself."
                ),
                "No time was measured.",
            ),
            tables::time(view),
        ),
        (
            text(
                "Memory",
                "Resident memory of all processes of a run: at its peak (below it, relative to the baseline), on average and \
                 at the end. RSS/live: the peak over the most that was asked for at one time. * the least of the row."
                    .to_owned(),
                "No memory was measured.",
            ),
            tables::memory(view),
        ),
        (
            text(
                "Nanoseconds a call",
                "Time of the measured part over its calls of malloc and free. The null allocator does nothing: its column \
                 is what the workload and its harness cost themselves."
                    .to_owned(),
                "No workload counted its calls.",
            ),
            tables::calls(view),
        ),
        (
            text(
                "Tails",
                "How long single calls took, timed one by one in a pass of their own: half of them at most p50, all but one \
                 in a thousand at most p99.9. Reading the clock is part of each."
                    .to_owned(),
                "No calls were timed one by one.",
            ),
            tables::tails(view),
        ),
    ]
}

fn parts(view: &View<'_>, detail: Detail) -> Vec<PartView> {
    let base = view.name(view.baseline);
    let texts = [
        (
            Part::Pareto,
            "pareto",
            "Time against memory",
            format!("Geometric means over the workloads that the allocator and {base} both ended, with 95 % intervals. Lower left is better."),
            "There are no two allocators with both time and memory over all workloads, so there is nothing to draw.",
        ),
        (
            Part::Time,
            "dots",
            "Time by workload",
            format!("Relative to {base}, on a scale where half and double are equally far from 1; the grey band is the noise floor."),
            "No workload was ended by anybody, so there is nothing to draw.",
        ),
        (
            Part::Memory,
            "memory",
            "Memory over time",
            "Resident memory of all processes. Point at a chart to read it off; drag across to zoom.".to_owned(),
            "Memory over time was not looked at.",
        ),
        (
            Part::Latency,
            "latency",
            "Slow calls",
            "The share of calls that took longer than so long; both axes in powers of ten.".to_owned(),
            "No calls were timed one by one.",
        ),
        (
            Part::Curves,
            "curves",
            "Sweeps",
            "What changes as a workload's parameter does; means of the runs.".to_owned(),
            "No workload has a curve.",
        ),
    ];
    let mut placed = plot::placed(view, detail.drawn);
    texts
        .into_iter()
        .map(|(part, id, title, about, empty)| {
            let (mine, rest) = placed.drain(..).partition(|p| p.part == part);
            placed = rest;
            let figures: Vec<plot::Placed> = mine;
            PartView {
                id,
                title,
                about,
                empty,
                is_single: part == Part::Pareto,
                figures: figures.into_iter().enumerate().map(|(i, p)| figure(p, id, i)).collect(),
            }
        })
        .collect()
}

fn figure(placed: plot::Placed, id: &str, i: usize) -> Figure {
    // The colours are the page's; an id makes the picture a place to link to.
    let svg = placed.plot.svg.replacen("<svg ", &format!("<svg id=\"{id}-{i}\" "), 1);
    let (kind, name) = placed.data;
    let kind = match (kind, placed.part) {
        ("", Part::Pareto) => "overall",
        ("", _) => "time",
        (kind, _) => kind,
    };
    Figure {
        svg,
        kind,
        workload: placed.workload.map_or(String::new(), |w| w.to_string()),
        name,
        file: placed.plot.name,
    }
}

fn facts(report: &Report) -> Vec<(String, String)> {
    let machine = &report.machine;
    let yes = |yes| if yes { "yes" } else { "no" };
    let unknown = || "unknown".to_owned();
    let memory = u32::try_from(machine.memory_bytes >> 20).map_or(f64::INFINITY, f64::from);
    let fact = |what: &str, value: String| (what.to_owned(), value);
    vec![
        fact("heapwright", report.heapwright.clone()),
        fact("started", report.started.clone()),
        fact("took", seconds(report.elapsed)),
        fact("command line", words(&report.command_line)),
        fact("seed", report.seed.to_string()),
        fact("scale", report.scale.to_string()),
        fact("kernel", format!("{} {}", machine.kernel, machine.arch)),
        fact("processor", machine.cpu.clone()),
        fact("processors", machine.cores.to_string()),
        fact("virtual machine", yes(machine.virtual_machine).to_owned()),
        fact("memory", bytes(memory * 1_048_576.0)),
        fact("transparent huge pages", machine.huge_pages.clone().unwrap_or_else(unknown)),
        fact("frequency governor", machine.governor.clone().unwrap_or_else(unknown)),
        fact("glibc", machine.glibc.clone().unwrap_or_else(unknown)),
        fact("stolen processor time", percent(report.steal)),
        fact("programs pinned", yes(report.pinned).to_owned()),
        fact("memory warmed before runs", yes(report.warm).to_owned()),
        fact("schema", format!("{} {}", report.schema, report.version)),
    ]
}

fn libraries(report: &Report) -> Vec<Library> {
    use bench::session::Role;
    let role = |role| match role {
        Role::Baseline => "baseline",
        Role::Control => "the baseline once more, for the noise",
        Role::Contender => "",
        Role::Floor => "null allocator: the cost of the harness",
    };
    let entry = |e: &bench::result::Entry| Library {
        name: e.name.clone(),
        role: role(e.role),
        version: e.version.clone().unwrap_or_default(),
        library: e.library.as_ref().map_or(String::new(), |l| l.display().to_string()),
    };
    report.allocators.iter().map(entry).collect()
}

fn prepared(p: &bench::result::Prepared) -> [String; 4] {
    let or = |text: &Option<String>, other: &str| text.clone().unwrap_or_else(|| other.to_owned());
    [
        p.what.clone(),
        or(&p.before, "unknown"),
        or(&p.after, "not set"),
        p.problem.clone().unwrap_or_default(),
    ]
}

fn about(w: &bench::result::Work) -> About {
    About {
        name: w.name.clone(),
        about: w.about.clone(),
        source: w.source.clone(),
        command: words(&w.command),
    }
}

/// A command line as one would type it.
fn words(words: &[String]) -> String {
    let mut line = String::new();
    for word in words {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%{}".contains(c);
        let gap = if line.is_empty() { "" } else { " " };
        // Writing to a string does not fail.
        let _ = if !word.is_empty() && word.chars().all(plain) {
            write!(line, "{gap}{word}")
        } else {
            write!(line, "{gap}'{}'", word.replace('\'', "'\\''"))
        };
    }
    line
}

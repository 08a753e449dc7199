//! The recorded run as Markdown, for the file beside it: where it was measured, everyone over all workloads, and tables for
//! each group.

mod one_run;

use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::{Cell, Entry, Report, Work};
use bench::session::{Role, SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;
use comfy_table::{Table, presets};

/// The groups in the order of the command's sets.
const GROUPS: [(Group, &str); 5] = [
    (Group::Texts, "From the five texts of docs/texts.md"),
    (Group::Community, "The community's"),
    (Group::Ours, "Ours"),
    (Group::Real, "Real programs"),
    (Group::Own, "Commands"),
];

/// The whole file that stands beside the record.
pub(super) fn all(report: &Report, commit: &str) -> String {
    let mut parts = vec![
        "# The recorded run, in full".to_owned(),
        format!(
            "Written by `cargo xtask benchmarks --write` from `result.json` beside it. {NOTES}"
        ),
        circumstances(report, commit),
        format!("## All workloads\n\n{}", overall(report)),
    ];
    parts.extend(groups(report));
    parts.push(one_run::tables(report));
    parts.join("\n\n") + "\n"
}

const NOTES: &str = "Ratios are to glibc's figure of the same round, with 95 % intervals; less is better. **Bold** is the \
                     least and all that are not shown to have more: that takes six rounds, intervals that do not overlap, \
                     and more than glibc differs from itself. A ratio without ± is of one run, which shows nothing.";

/// Where and how it was measured.
fn circumstances(report: &Report, commit: &str) -> String {
    let m = &report.machine;
    let mut table = markdown(["measured".to_owned(), report.started.clone()]);
    let yes = |b: bool| if b { "yes" } else { "no" }.to_owned();
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value.replace('|', "\\|")]);
    };
    row("command", format!("`{}`", report.command_line.join(" ")));
    row("commit", format!("`{commit}`, the last one before the run"));
    row("took", format!("{:.0} minutes, {} runs", report.elapsed / 60.0, report.runs.len()));
    row("processor", format!("{} × {}", m.cores, m.cpu));
    row("memory", format!("{} MiB", m.memory_bytes >> 20));
    row("kernel", m.kernel.clone());
    row("huge pages", m.huge_pages.clone().unwrap_or_else(|| "unknown".to_owned()));
    row("stolen by the hypervisor", format!("{:.1} %", 100.0 * report.steal));
    row("pinned", yes(report.pinned));
    row("memory warmed before each run", yes(report.warm));
    row("length of the workloads", format!("{} × the usual", report.scale));
    for entry in contestants(report).map(|(_, entry)| entry) {
        row(&entry.name, entry.version.clone().unwrap_or_else(|| "version unknown".to_owned()));
    }
    let mut text = table.to_string();
    for warning in &report.warnings {
        text.push_str(&format!("\n\nWarning: {warning}."));
    }
    text
}

/// Everyone over all workloads.
fn overall(report: &Report) -> String {
    let header = ["geometric mean ÷ baseline", "workloads", "time", "peak memory", ""];
    let mut table = markdown(header.map(str::to_owned));
    for (at, entry) in shown(report) {
        let Some(overall) = report.overall.get(at) else { continue };
        let mean = |ratio: Option<Ratio>| ratio.map_or_else(|| "–".to_owned(), |r| interval(&r));
        let remark = match (entry.role, overall.is_fastest, overall.is_pareto) {
            (Role::Baseline, ..) => "the baseline",
            (Role::Control, ..) => "the noise floor",
            (_, true, _) => "the fastest",
            (_, _, true) => "nobody better in both",
            _ => "",
        };
        table.add_row([
            entry.name.clone(),
            overall.workloads.to_string(),
            mean(overall.time),
            mean(overall.peak_rss),
            remark.to_owned(),
        ]);
    }
    format!("{table}\n\nBelow 1 is better; 95 % intervals.")
}

/// A section for each group: time, peak memory, nanoseconds a call, and other figures.
fn groups(report: &Report) -> Vec<String> {
    let mut parts = Vec::new();
    for (group, title) in GROUPS {
        let is_of_group = |w: &WorkloadIndex| report.workloads[w.0].group == group;
        let places: Vec<WorkloadIndex> = report.workload_indices().filter(is_of_group).collect();
        let works: Vec<&Work> = places.iter().map(|w| &report.workloads[w.0]).collect();
        if works.is_empty() {
            continue;
        }
        parts.push(format!("## {title}"));
        parts.push(ratios(report, &places, "time ÷ baseline", Metric::Time).to_string());
        let memory = ratios(report, &places, "peak memory ÷ baseline", Metric::Memory);
        parts.push(memory.to_string());
        parts.extend(nanoseconds(report, &works));
        parts.extend(values(report, &works));
    }
    parts
}

/// Ratios to the baseline; those who may have the least are bold.
pub(super) fn ratios(
    report: &Report,
    works: &[WorkloadIndex],
    title: &str,
    metric: Metric,
) -> Table {
    let columns: Vec<(usize, &Entry)> = shown(report).collect();
    let names = columns.iter().map(|(_, entry)| entry.name.clone());
    let mut table = markdown(core::iter::once(title.to_owned()).chain(names));
    for &work in works {
        let best = report.best(work, metric);
        let text = |(at, entry): &(usize, &Entry)| {
            let who = SubjectIndex(*at);
            let Some(cell) = report.cell(work, who) else { return String::new() };
            let Some(ratio) = report.ratio(work, who, metric) else { return absent(cell) };
            let number = match (entry.role, ratio.pairs) {
                (Role::Baseline, _) => "1".to_owned(),
                (_, 0 | 1) => format!("{:.3}", ratio.estimate),
                _ => format!("{:.3} ±{:.3}", ratio.estimate, ratio.margin()),
            };
            if best.contains(&who) { format!("**{number}**") } else { number }
        };
        let name = report.workloads[work.0].name.clone();
        table.add_row(core::iter::once(name).chain(columns.iter().map(text)));
    }
    table
}

/// A row of means over all workloads of another result, under the columns of [`ratios`]; whom it lacks has none.
pub(super) fn mean_row(
    report: &Report,
    other: &Report,
    title: String,
    metric: Metric,
) -> Vec<String> {
    let text = |(_, entry): (usize, &Entry)| {
        let at = other.allocators.iter().position(|one| one.name == entry.name);
        let ratio = at.and_then(|at| metric.mean(other.overall.get(at)?));
        match (entry.role, ratio) {
            (Role::Baseline, _) => "1".to_owned(),
            (_, Some(ratio)) => format!("{:.3} ±{:.3}", ratio.estimate, ratio.margin()),
            (_, None) => "–".to_owned(),
        }
    };
    core::iter::once(title).chain(shown(report).map(text)).collect()
}

/// Nanoseconds a call, the null allocator's beside the others.
fn nanoseconds(report: &Report, works: &[&Work]) -> Option<String> {
    let names = report.allocators.iter().map(|entry| entry.name.clone());
    let mut table = markdown(core::iter::once("ns a call".to_owned()).chain(names));
    for work in works.iter().filter(|w| w.cells.iter().any(|c| c.ns.is_some())) {
        let text = |cell: &Cell| match cell.ns {
            Some(ns) if cell.counts() => format!("{:.1}", ns.median),
            _ => absent(cell),
        };
        table.add_row(core::iter::once(work.name.clone()).chain(work.cells.iter().map(text)));
    }
    (!table.is_empty()).then(|| table.to_string())
}

/// What workloads reported besides: medians of the runs.
fn values(report: &Report, works: &[&Work]) -> Option<String> {
    let columns: Vec<(usize, &Entry)> = contestants(report).collect();
    let names = columns.iter().map(|(_, entry)| entry.name.clone());
    let mut table = markdown(core::iter::once("other figures".to_owned()).chain(names));
    for work in works {
        let mut known: Vec<(&str, &str)> = Vec::new();
        for value in work.cells.iter().flat_map(|cell| &cell.values) {
            if !known.contains(&(&value.name, &value.unit)) {
                known.push((&value.name, &value.unit));
            }
        }
        for (name, unit) in known {
            let text = |(at, _): &(usize, &Entry)| {
                let values = work.cells.get(*at).map(|cell| &cell.values);
                let value = values.and_then(|all| all.iter().find(|v| v.name == name));
                value.map_or_else(|| "–".to_owned(), |v| number(v.value))
            };
            let title = format!("{}: {name}, {unit}", work.name);
            table.add_row(core::iter::once(title).chain(columns.iter().map(text)));
        }
    }
    (!table.is_empty()).then(|| table.to_string())
}

/// Those who are compared: without the control and the null allocator.
pub(super) fn contestants(report: &Report) -> impl Iterator<Item = (usize, &Entry)> {
    let takes_part = |(_, e): &(usize, &Entry)| matches!(e.role, Role::Baseline | Role::Contender);
    report.allocators.iter().enumerate().filter(takes_part)
}

/// Those and the control.
fn shown(report: &Report) -> impl Iterator<Item = (usize, &Entry)> {
    report.allocators.iter().enumerate().filter(|(_, e)| e.role != Role::Floor)
}

fn absent(cell: &Cell) -> String {
    match (&cell.failure, cell.refused, cell.other_work) {
        (Some(failure), ..) => failure.how.words(),
        (None, 0, Some(share)) => format!("{:.0} % of the work", 100.0 * share),
        (None, 0, None) => "–".to_owned(),
        (None, refused, _) => format!("{refused} refused"),
    }
}

pub(super) fn interval(ratio: &Ratio) -> String {
    format!("{:.3} [{:.3}, {:.3}]", ratio.estimate, ratio.low, ratio.high)
}

/// Three digits or more.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 || v == 0.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

pub(super) fn markdown(header: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header.into_iter().collect::<Vec<_>>());
    table
}

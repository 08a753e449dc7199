//! Many workloads: a line a workload, a column an allocator.

use bench::fail_if::Metric;
use bench::result::{Cell, Compared, Report, Work};
use bench::session::{Role, SubjectIndex, WorkloadIndex};
use bench::stats::Ratio;

use super::model::Table;
use super::notes;
use crate::format;

/// What a cell shows.
#[derive(Clone, Copy)]
enum Show {
    Time,
    Memory,
    Ns,
    Tail,
}

impl Show {
    /// What the least of is marked.
    fn metric(self) -> Option<Metric> {
        match self {
            Self::Time => Some(Metric::Time),
            Self::Memory => Some(Metric::Memory),
            Self::Ns => Some(Metric::Ns),
            Self::Tail => None,
        }
    }
}

/// The tables: time, memory, nanoseconds a call, the slowest calls.
pub(super) fn tables(report: &Report) -> Vec<Table> {
    let baseline = &report.allocators[report.baseline()].name;
    let mut tables = Vec::new();
    let mut section = |title: String, show: Show| {
        let works = report.workload_indices().zip(&report.workloads);
        let works: Vec<(WorkloadIndex, &Work)> = works.filter(|(_, w)| is_shown(w, show)).collect();
        if !works.is_empty() {
            tables.push(table(report, &works, title, show));
        }
    };
    section(time_title(report), Show::Time);
    section(format!("peak memory of all processes ÷ {baseline}'s"), Show::Memory);
    section(
        "nanoseconds a call of malloc or free (null: what the workload itself takes)".to_owned(),
        Show::Ns,
    );
    section(
        "malloc: nanoseconds that all but one call in a thousand took at most / the longest"
            .to_owned(),
        Show::Tail,
    );
    tables
}

/// Which time it is, and what ± is.
fn time_title(report: &Report) -> String {
    let baseline = &report.allocators[report.baseline()].name;
    let what = match report.workloads.iter().filter(|w| w.by_cpu).count() {
        0 => "time",
        n if n == report.workloads.len() => "processor time",
        _ => "time (of † processor time)",
    };
    format!(
        "{what} ÷ {baseline}'s ± {} (lower is better; * least, = no difference shown)",
        notes::margin(report)
    )
}

fn all_by_cpu(report: &Report) -> bool {
    report.workloads.iter().all(|w| w.by_cpu)
}

fn is_shown(work: &Work, show: Show) -> bool {
    match show {
        Show::Time | Show::Memory => true,
        Show::Ns => work.cells.iter().any(|c| c.ns.is_some()),
        Show::Tail => work.cells.iter().any(|c| !c.tails.is_empty()),
    }
}

fn table(report: &Report, works: &[(WorkloadIndex, &Work)], title: String, show: Show) -> Table {
    let shown: Vec<SubjectIndex> =
        report.subject_indices().filter(|&a| is_column(report, works, a, show)).collect();
    let mut head = vec!["".to_owned()];
    if matches!(show, Show::Time) {
        head.push("noise".to_owned());
    }
    head.extend(shown.iter().map(|&a| report.allocators[a].name.clone()));
    let mut rows = vec![head];
    for &(at, work) in works {
        let is_marked = matches!(show, Show::Time) && work.by_cpu && !all_by_cpu(report);
        let mut row = vec![format!("{}{}", work.name, if is_marked { " †" } else { "" })];
        if matches!(show, Show::Time) {
            row.push(
                work.noise_floor.map_or_else(|| "-".into(), |n| format!("±{:.1}%", 100.0 * n)),
            );
        }
        let best = show.metric().map_or_else(Vec::new, |metric| report.best(at, metric));
        row.extend(shown.iter().map(|&a| {
            let mut text = cell(report, &work.cells[a], a, show);
            if best.contains(&a) {
                text.push_str(" *");
            }
            text
        }));
        rows.push(row);
    }
    if matches!(show, Show::Time | Show::Memory) && works.len() > 1 {
        rows.push(overall(report, &shown, show));
    }
    let fixed = if matches!(show, Show::Time) { 2 } else { 1 };
    Table { title: Some(title), fixed, rows }
}

/// The control has its noise column; the null allocator counts nothing but nanoseconds.
fn is_column(
    report: &Report,
    works: &[(WorkloadIndex, &Work)],
    allocator: SubjectIndex,
    show: Show,
) -> bool {
    let role = report.allocators[allocator].role;
    match (role, show) {
        (Role::Control, _) => false,
        (Role::Floor, Show::Ns) => works.iter().any(|(_, w)| w.cells[allocator].ns.is_some()),
        (Role::Floor, _) => false,
        (_, Show::Tail) => works.iter().any(|(_, w)| !w.cells[allocator].tails.is_empty()),
        _ => true,
    }
}

fn cell(report: &Report, cell: &Cell, allocator: SubjectIndex, show: Show) -> String {
    if cell.failure.is_some() {
        return "FAILED".to_owned();
    }
    if cell.skipped.is_some() {
        return "n/a".to_owned();
    }
    let is_baseline = allocator == report.baseline();
    let mut text = match show {
        Show::Time => compared(cell.time, is_baseline, true),
        Show::Memory => compared(cell.peak_rss, is_baseline, false),
        Show::Ns => cell.ns.map_or_else(|| "-".to_owned(), |c| format!("{:.1}", c.median)),
        Show::Tail => match cell.tails.iter().find(|t| t.call == "malloc") {
            Some(t) => format!("{}/{}", nanos(t.p999_ns), nanos(t.max_ns)),
            None => "-".to_owned(),
        },
    };
    if cell.refused > 0 && matches!(show, Show::Time | Show::Ns) {
        text.push_str(" r");
    }
    text
}

fn compared(figure: Option<Compared>, is_baseline: bool, with_margin: bool) -> String {
    match figure {
        None => "-".to_owned(),
        Some(_) if is_baseline => "1".to_owned(),
        Some(Compared { ratio: None, .. }) => "-".to_owned(),
        Some(Compared { ratio: Some(ratio), same, .. }) if with_margin => {
            format!("{}{}", format::ratio(&ratio), if same { " =" } else { "" })
        }
        Some(Compared { ratio: Some(ratio), .. }) => format!("{:.2}", ratio.estimate),
    }
}

fn nanos(ns: f64) -> String {
    match ns {
        n if n >= 1e6 => format!("{:.1}ms", n / 1e6),
        n if n >= 1e4 => format!("{:.0}µs", n / 1e3),
        n if n >= 1e3 => format!("{:.1}µs", n / 1e3),
        n => format!("{n:.0}ns"),
    }
}

fn overall(report: &Report, shown: &[SubjectIndex], show: Show) -> Vec<String> {
    let (measured, left_out) = (report.workloads.len(), report.left_out.len());
    let mut row = vec![match left_out {
        0 => "geometric mean".to_owned(),
        _ => format!("geometric mean of {measured} of {}", measured + left_out),
    }];
    if matches!(show, Show::Time) {
        row.push(String::new());
    }
    row.extend(shown.iter().map(|&a| {
        let Some(overall) = report.overall.get(a.0) else { return "-".to_owned() };
        let (ratio, margin) = match show {
            Show::Time => (overall.time, true),
            _ => (overall.peak_rss, false),
        };
        let short = if overall.workloads < report.workloads.len() {
            format!(" of {}", overall.workloads)
        } else {
            String::new()
        };
        match ratio {
            None => "-".to_owned(),
            Some(_) if a == report.baseline() => "1".to_owned(),
            Some(Ratio { estimate, .. }) if !margin => format!("{estimate:.2}{short}"),
            Some(ratio) => format::ratio(&ratio) + &short,
        }
    }));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_the_decimals_of_its_margin_and_one_round_has_none() {
        let of = |low, high, pairs, same| {
            let ratio = Some(Ratio { estimate: 0.51, low, high, pairs });
            compared(Some(Compared { median: 1.0, ratio, same }), false, true)
        };
        assert_eq!(of(0.507, 0.512, 9, false), "0.510 ±0.003");
        assert_eq!(of(0.49, 0.52, 9, true), "0.51 ±0.02 =");
        assert_eq!(of(0.51, 0.51, 1, false), "0.51 ±?");
    }

    #[test]
    fn nanoseconds_have_a_unit() {
        assert_eq!([12.4, 1500.0, 25_000.0, 2.5e6].map(nanos), ["12ns", "1.5µs", "25µs", "2.5ms"]);
    }
}

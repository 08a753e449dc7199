//! Many workloads: a line a workload, a column an allocator.

use bench::claim::{Claim, MARKS};
use bench::fail_if::Metric;
use bench::result::{Cell, Compared, Count, Report, Work};
use bench::session::{Role, SubjectIndex, WorkloadIndex};

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
    Count(Metric),
}

impl Show {
    /// What the least of is marked.
    const fn metric(self) -> Option<Metric> {
        match self {
            Self::Time => Some(Metric::Time),
            Self::Memory => Some(Metric::Memory),
            Self::Ns => Some(Metric::Ns),
            Self::Count(metric) => Some(metric),
            Self::Tail => None,
        }
    }
}

/// The tables: time, memory, nanoseconds a call, the slowest calls.
pub(super) fn tables(report: &Report) -> Vec<Table> {
    let baseline = &report.allocators[report.baseline()].name;
    let mut tables = Vec::new();
    let mut section = |title: String, show: Show| {
        // Of sequences nothing is timed.
        let works = report.workload_indices().zip(&report.workloads).filter(|(_, w)| !w.alone);
        let works: Vec<(WorkloadIndex, &Work)> = works.filter(|(_, w)| is_shown(w, show)).collect();
        if !works.is_empty() {
            tables.push(table(report, &works, title, show));
        }
    };
    if report.counted.is_some() {
        for metric in Metric::COUNTED {
            section(
                format!("{metric} ÷ {baseline}'s, whose are shown (* least)"),
                Show::Count(metric),
            );
        }
        return tables;
    }
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
    format!("{what} ÷ {baseline}'s ± {} (lower is better; * least, {MARKS})", notes::margin(report))
}

fn all_by_cpu(report: &Report) -> bool {
    report.workloads.iter().all(|w| w.by_cpu)
}

fn is_shown(work: &Work, show: Show) -> bool {
    match show {
        Show::Time | Show::Memory => true,
        Show::Count(metric) => work.cells.iter().any(|c| c.counted.contains_key(&metric)),
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
            let claim = show.metric().and_then(|metric| report.claim(at, a, metric));
            let mut text = cell(report, &work.cells[a], a, show, claim);
            if best.contains(&a) {
                text.push_str(" *");
            }
            text
        }));
        rows.push(row);
    }
    let has_mean = works.len() > 1 && !report.means().is_empty();
    if matches!(show, Show::Time | Show::Memory | Show::Count(_)) && has_mean {
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

fn cell(
    report: &Report,
    cell: &Cell,
    allocator: SubjectIndex,
    show: Show,
    claim: Option<Claim>,
) -> String {
    if cell.failure.is_some() {
        return "FAILED".to_owned();
    }
    if cell.skipped.is_some() {
        return "n/a".to_owned();
    }
    let is_baseline = allocator == report.baseline();
    let mut text = match show {
        Show::Time => compared(cell.time, is_baseline, true, claim),
        Show::Memory => compared(cell.peak_rss, is_baseline, false, claim),
        Show::Count(metric) => counted(cell.counted.get(&metric), is_baseline),
        Show::Ns => cell.ns.map_or_else(|| "-".to_owned(), |c| format!("{:.1}", c.median)),
        Show::Tail => match cell.tails.iter().find(|t| t.call == "malloc") {
            Some(t) => format!("{}/{}", nanos(t.p999_ns), nanos(t.max_ns)),
            None => "-".to_owned(),
        },
    };
    let is_time = matches!(show, Show::Time | Show::Ns);
    if cell.refused > 0 && (is_time || cell.other_work.is_some()) {
        text.push_str(" r");
    } else if cell.other_work.is_some() {
        text.push_str(" w");
    }
    text
}

fn compared(
    figure: Option<Compared>,
    is_baseline: bool,
    with_margin: bool,
    claim: Option<Claim>,
) -> String {
    let ratio = match figure {
        Some(_) if is_baseline => return "1".to_owned(),
        Some(Compared { ratio: Some(ratio), .. }) => ratio,
        // It is shown, and not compared.
        Some(Compared { median, .. }) if with_margin => return format::seconds(median),
        Some(Compared { median, .. }) => return format::bytes(median),
        None => return "-".to_owned(),
    };
    let text = if with_margin { format::ratio(&ratio) } else { format!("{:.2}", ratio.estimate) };
    // Of one round `±?` says it.
    let mark = claim.filter(|_| ratio.pairs > 1 || !with_margin).map_or("", Claim::mark);
    format!("{text} {mark}").trim_end().to_owned()
}

/// A ratio whose digits all count; of the baseline the count itself.
fn counted(count: Option<&Count>, is_baseline: bool) -> String {
    match count {
        Some(count) if is_baseline => format::short(count.compared.median),
        Some(count) => {
            count.compared.ratio.map_or("-".to_owned(), |r| format!("{:.3}", r.estimate))
        }
        None => "-".to_owned(),
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
    let Some(metric) = show.metric() else { return row };
    let (best, noise) = (report.best_mean(metric), report.mean_noise(metric));
    row.extend(shown.iter().map(|&a| {
        let Some(overall) = report.means().get(a.0) else { return "-".to_owned() };
        let mut text = match metric.mean(overall) {
            None => return "-".to_owned(),
            Some(_) if a == report.baseline() => "1".to_owned(),
            Some(ratio) if matches!(show, Show::Count(_)) => format!("{:.3}", ratio.estimate),
            Some(ratio) => {
                let mean = Some(Compared { median: 0.0, ratio: Some(ratio), same: false });
                compared(mean, false, metric == Metric::Time, Some(Claim::of(&ratio, noise)))
            }
        };
        if overall.workloads < report.workloads.len() {
            text.push_str(&format!(" of {}", overall.workloads));
        }
        if best.contains(&a) {
            text.push_str(" *");
        }
        text
    }));
    row
}

#[cfg(test)]
mod tests {
    use bench::stats::Ratio;

    use super::*;

    #[test]
    fn a_time_has_the_decimals_of_its_margin_and_one_round_has_none() {
        let of = |low, high, pairs, claim| {
            let ratio = Some(Ratio { estimate: 0.51, low, high, pairs });
            let figure = Some(Compared { median: 1.0, ratio, same: false });
            compared(figure, false, true, Some(claim))
        };
        assert_eq!(of(0.507, 0.512, 9, Claim::Less), "0.510 ±0.003");
        assert_eq!(of(0.49, 0.52, 9, Claim::Level), "0.51 ±0.02 =");
        assert_eq!(of(0.49, 0.52, 3, Claim::Untold), "0.51 ±0.02 ?");
        assert_eq!(of(0.51, 0.51, 1, Claim::Untold), "0.51 ±?");
    }

    #[test]
    fn what_was_counted_stands_alone_with_the_baselines_counts() {
        let mut report = bench::testing::rounds(&["cfrac", "barnes"], 3, |_, _| 0.25);
        report.counted = Some("a tool".to_owned());
        let base = report.baseline();
        for work in &mut report.workloads {
            for (at, cell) in work.cells.iter_mut().enumerate() {
                let ratio = Ratio { estimate: 0.71234, low: 0.7, high: 0.8, pairs: 6 };
                let ratio = (at != base.0).then_some(ratio);
                let compared = Compared { median: 1_234_567.0, ratio, same: false };
                let count = Count { compared, least: 1_234_567.0, most: 1_234_567.0 };
                cell.counted.insert(Metric::Instructions, count);
            }
        }
        let tables = tables(&report);
        assert_eq!(tables.len(), 1, "there is none of what was not counted, such as time");
        assert!(tables[0].title.as_ref().unwrap().starts_with("instructions ÷ "));
        for text in ["1.23 M", "0.712 *"] {
            assert!(tables[0].rows[1].contains(&text.to_owned()), "{:?}", tables[0].rows);
        }
    }

    #[test]
    fn nanoseconds_have_a_unit() {
        assert_eq!([12.4, 1500.0, 25_000.0, 2.5e6].map(nanos), ["12ns", "1.5µs", "25µs", "2.5ms"]);
    }
}

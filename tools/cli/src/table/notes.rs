//! What stands below the table: noise, failures, what was refused, what to think of few rounds.

use bench::claim::MARKS;
use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::{AGREEMENT, Count, Report, Work};
use bench::session::Role;
use bench::stats::{ENOUGH_PAIRS, median};

use crate::format;

pub(super) fn lines(report: &Report) -> Vec<String> {
    let baseline = &report.allocators[report.baseline()].name;
    let mut lines = Vec::new();
    if let [own] = &report.workloads[..]
        && own.group == Group::Own
        && report.counted.is_none()
    {
        lines.push(format!(
            "medians; below each its ratio to {baseline} ± {} (lower is better)",
            margin(report)
        ));
        lines.push(format!("* least time, {MARKS}"));
    }
    lines.extend(noise(report, baseline));
    lines.extend(counted(report, baseline));
    lines.extend(few(report));
    lines.extend(early(report));
    lines.extend(unseen(report));
    for (at, entry) in report.allocators.iter().enumerate() {
        lines.extend(refused(report, at, &entry.name));
        lines.extend(other_work(report, at, &entry.name));
        for work in &report.workloads {
            lines.extend(failed(work, at, &entry.name));
        }
    }
    let flagged: usize = report.workloads.iter().flat_map(|w| &w.cells).map(|c| c.flagged).sum();
    if flagged > 0 {
        lines.push(format!(
            "flagged  {flagged} {} not get the processors {} on, and {} not count",
            if flagged == 1 { "run did" } else { "runs did" },
            if flagged == 1 { "it computes" } else { "they compute" },
            if flagged == 1 { "does" } else { "do" },
        ));
    }
    lines
}

fn noise(report: &Report, baseline: &str) -> Option<String> {
    let floors: Vec<f64> = report.workloads.iter().filter_map(|w| w.noise_floor).collect();
    let middle = 100.0 * median(&floors)?;
    Some(if floors.len() == 1 {
        format!(
            "noise    {baseline} against itself: ±{middle:.1} %; a smaller difference in time means nothing"
        )
    } else {
        let most = 100.0 * floors.iter().copied().fold(0.0, f64::max);
        format!(
            "noise    {baseline} against itself: ±{middle:.1} % in the middle workload, ±{most:.1} % at most; \
             a smaller difference in time means nothing"
        )
    })
}

/// What the baseline's two counts differ by, and where those of one program do.
fn counted(report: &Report, baseline: &str) -> Vec<String> {
    let control = report.allocators.iter().position(|entry| entry.role == Role::Control);
    let (Some(_), Some(control)) = (&report.counted, control) else { return Vec::new() };
    let far = |metric: Metric| {
        let ratios = report.workloads.iter().filter_map(|w| w.cells[control].counted.get(&metric));
        let far = ratios.filter_map(|c| Some((c.compared.ratio?.estimate - 1.0).abs()));
        far.reduce(f64::max).map(|far| format!("{metric} {:.2} %", 100.0 * far))
    };
    let fars: Vec<String> = Metric::COUNTED.into_iter().filter_map(far).collect();
    if fars.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!(
        "noise    {baseline} against itself, at most: {}; what differs by {} % may be the same",
        fars.join(", "),
        100.0 * AGREEMENT,
    )];
    for work in &report.workloads {
        let spread =
            work.cells.iter().filter_map(|c| c.counted.get(&Metric::Faults)).map(Count::spread);
        let spread = spread.reduce(f64::max).filter(|spread| *spread > AGREEMENT);
        lines.extend(spread.map(|spread| {
            let percent = 100.0 * spread;
            format!(
                "note     page faults of {} vary by up to {percent:.1} %; the median is shown",
                work.name
            )
        }));
    }
    lines
}

/// The least pairs of each workload.
fn pairs(report: &Report) -> impl Iterator<Item = usize> {
    let pairs = |w: &Work| w.cells.iter().filter_map(|c| c.time?.ratio).map(|r| r.pairs).min();
    report.workloads.iter().filter(|w| !w.alone).filter_map(pairs)
}

/// What ± is: from few rounds not yet an interval.
pub(super) fn margin(report: &Report) -> &'static str {
    let is_few = |n: usize| n < ENOUGH_PAIRS;
    if pairs(report).all(is_few) {
        "range of the rounds"
    } else if pairs(report).any(is_few) {
        "95 % interval, or the range of fewer than 6 rounds"
    } else {
        "95 % interval"
    }
}

/// Where a measurement ended because its intervals were narrow.
fn early(report: &Report) -> Option<String> {
    let early = report.workloads.iter().filter(|w| w.precise).count();
    (early > 0).then(|| {
        format!(
            "note     {early} of {} workloads ended as soon as their intervals were narrow, so these are somewhat too \
             narrow; --rounds N is decided before",
            report.workloads.len()
        )
    })
}

fn few(report: &Report) -> Option<String> {
    match pairs(report).min()? {
        0 | 1 => Some(format!(
            "note     one round says nothing of how times vary, so nothing can be told ({ENOUGH_PAIRS} would do)"
        )),
        few @ 2..ENOUGH_PAIRS => Some(format!(
            "note     {few} rounds are too few to tell anything ({ENOUGH_PAIRS} would do): ± is the range seen"
        )),
        _ => None,
    }
}

/// Peaks that the fork hides.
fn unseen(report: &Report) -> Option<String> {
    let floor = report.runs.iter().map(|r| r.figures.peak_rss_floor_bytes).max()?;
    let least = report.runs.iter().map(|r| r.figures.peak_rss_bytes).min()?;
    (least <= floor).then(|| {
        format!("note     peak RSS below {} cannot be measured", format::bytes(floor as f64))
    })
}

fn refused(report: &Report, at: usize, name: &str) -> Option<String> {
    if report.allocators[at].role == Role::Control {
        return None;
    }
    let works: Vec<String> = report
        .workloads
        .iter()
        .filter(|w| w.cells[at].refused > 0)
        .map(|w| format!("{} {}", w.name, format::count(w.cells[at].refused as f64)))
        .collect();
    (!works.is_empty()).then(|| {
        format!("refused  {name} (marked r; its times are of less work): {}", works.join(", "))
    })
}

/// Who did not the work of the others.
fn other_work(report: &Report, at: usize, name: &str) -> Option<String> {
    let share = |work: &Work| {
        let cell = &work.cells[at];
        let share = cell.other_work.filter(|_| cell.refused == 0)?;
        Some(format!("{} {:.0} %", work.name, 100.0 * share))
    };
    let works: Vec<String> = report.workloads.iter().filter_map(share).collect();
    (!works.is_empty()).then(|| {
        format!(
            "work     {name} (marked w; not compared) did of the baseline's: {}",
            works.join(", ")
        )
    })
}

fn failed(work: &Work, at: usize, name: &str) -> Vec<String> {
    let Some(failure) = &work.cells[at].failure else { return Vec::new() };
    let when = if failure.round == 0 {
        "before the first round".to_owned()
    } else {
        format!("round {}", failure.round)
    };
    let what = if work.group == Group::Own { String::new() } else { format!(" {}", work.name) };
    let mut lines = vec![format!("failed  {what} {name}, {when}: {}", failure.how.words())];
    lines.extend(last_lines(&failure.stderr, 3).map(|l| format!("         | {l}")));
    lines
}

/// The last `n` lines of what a program said.
pub(crate) fn last_lines(text: &str, n: usize) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(n);
    lines.into_iter().skip(from)
}

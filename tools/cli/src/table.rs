//! The table of a measurement.

use bench::report::{Compared, Entry, Metric, Report};
use bench::session::{Role, Stop};
use bench::stats::ENOUGH_PAIRS;
use comfy_table::{CellAlignment, Table, presets};

use crate::format;

/// The table with what belongs above and below it.
pub(crate) fn of(report: &Report) -> String {
    let mut lines = vec![report.machine.line(), summary(report), String::new()];
    lines.extend(rows(report).to_string().lines().map(|l| l.trim_end().to_owned()));
    lines.push(String::new());
    lines.extend(legend(report));
    lines.extend(report.warnings.iter().map(|w| format!("warning  {w}")));
    lines.join("\n") + "\n"
}

fn summary(report: &Report) -> String {
    let why = match report.stop {
        Stop::Rounds => "",
        Stop::Precise => ", stopped when precise",
        Stop::Budget => ", stopped at the time budget",
        Stop::Interrupted => ", interrupted",
        Stop::Failed => ", nothing left to run",
    };
    let allocators = report.allocators.iter().filter(|e| e.role != Role::Control).count();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    format!(
        "{} · {allocators} allocator{} · interleaved{} · {} round{}{why} · seed {}",
        format::shell(&report.command),
        plural(allocators),
        if report.warm { " · memory warmed" } else { "" },
        report.rounds,
        if report.rounds == 1 { "" } else { "s" },
        report.seed,
    )
}

fn rows(report: &Report) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["allocator", "wall", "CPU", "peak RSS", "minor faults"]);
    for entry in &report.allocators {
        let mut row = vec![first_cell(entry)];
        row.extend(Metric::ALL.map(|metric| match (&entry.failure, entry.get(metric)) {
            (Some(failure), _) if metric == Metric::Wall => failure.how.words(),
            (Some(_), _) => String::new(),
            (None, None) => "-".to_owned(),
            (None, Some(compared)) => cell(entry, metric, compared),
        }));
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    table
}

fn first_cell(entry: &Entry) -> String {
    match &entry.version {
        Some(version) if entry.role != Role::Control => format!("{}\n  {version}", entry.name),
        _ => entry.name.clone(),
    }
}

fn cell(entry: &Entry, metric: Metric, compared: &Compared) -> String {
    let value = match metric {
        Metric::Wall | Metric::Cpu => format::seconds(compared.median),
        Metric::Rss => format::bytes(compared.median),
        Metric::Faults => format::count(compared.median),
    };
    let mut ratio = match &compared.ratio {
        Some(ratio) => format::ratio(ratio),
        None if entry.role == Role::Baseline => "1".to_owned(),
        None => "-".to_owned(),
    };
    if compared.same {
        ratio.push_str(" =");
    }
    if entry.winner && metric == Metric::Wall {
        ratio.push_str(" *");
    }
    format!("{value}\n{ratio}")
}

fn legend(report: &Report) -> Vec<String> {
    let mut lines = vec![
        format!(
            "medians; below each its ratio to {} ± 95 % interval (lower is better)",
            report.baseline
        ),
        "* least time   = no difference shown".to_owned(),
    ];
    if let Some(noise) = report.noise_floor {
        lines.push(format!(
            "noise    {} against itself: ±{:.1} %; a smaller difference in time means nothing",
            report.baseline,
            100.0 * noise
        ));
    }
    let pairs = report.allocators.iter().filter_map(|e| e.wall?.ratio).map(|r| r.pairs).min();
    if let Some(pairs) = pairs.filter(|&n| n < ENOUGH_PAIRS) {
        lines.push(format!(
            "note     {pairs} round{} {} too few for a 95 % interval ({ENOUGH_PAIRS} would do): take ± as the range seen",
            if pairs == 1 { "" } else { "s" },
            if pairs == 1 { "is" } else { "are" },
        ));
    }
    let floor = report.runs.iter().map(|r| r.figures.peak_rss_floor_bytes).max().unwrap_or(0);
    let least = report.runs.iter().map(|r| r.figures.peak_rss_bytes).min().unwrap_or(u64::MAX);
    if least <= floor {
        lines.push(format!(
            "note     peak RSS below {} cannot be measured",
            format::bytes(floor as f64)
        ));
    }
    for entry in &report.allocators {
        let Some(failure) = &entry.failure else { continue };
        let when = if failure.round == 0 {
            "the warm-up".to_owned()
        } else {
            format!("round {}", failure.round)
        };
        lines.push(format!("failed   {} in {when}: {}", entry.name, failure.how.words()));
        lines.extend(last_lines(&failure.stderr, 3).map(|l| format!("         | {l}")));
    }
    lines
}

/// The last `n` lines of what a program said.
pub(crate) fn last_lines(text: &str, n: usize) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(n);
    lines.into_iter().skip(from)
}

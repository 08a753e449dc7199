//! A comparison as text.

use core::fmt::Write as _;

use bench::claim::MARKS;
use bench::compare::{Change, Comparison, Judged, Line, Subject};
use bench::fail_if::Metric;
use bench::result::AGREEMENT;
use bench::session::Role;
use bench::stats::Ratio;
use comfy_table::{Table, presets};

use crate::format;

/// The columns of the tables; processor time is in the other forms, and rules can be about it.
const COLUMNS: [Metric; 8] = [
    Metric::Time,
    Metric::Memory,
    Metric::Ns,
    Metric::Instructions,
    Metric::D1,
    Metric::Ll,
    Metric::Faults,
    Metric::Calls,
];

/// The table with what belongs above and below it; `names` are the old result's and the new one's.
pub(super) fn table(comparison: &Comparison, names: &[String; 2]) -> String {
    let mut lines = head(comparison, names);
    let (full, brief): (Vec<&Subject>, Vec<&Subject>) = comparison
        .allocators
        .iter()
        .filter(|s| s.role == Role::Contender || is_subject(comparison, s))
        .partition(|s| is_subject(comparison, s));
    let (full, brief) = if full.is_empty() { (brief, full) } else { (full, brief) };
    for subject in full {
        lines.push(String::new());
        lines.push(heading(subject));
        lines.extend(rows(comparison, subject));
    }
    if !brief.is_empty() {
        lines.push(String::new());
        lines.extend(others(comparison, &brief));
    }
    lines.push(String::new());
    lines.extend(legend(comparison));
    lines.extend(comparison.not_compared.iter().map(|text| format!("left out {text}")));
    lines.extend(comparison.warnings.iter().map(|text| format!("warning  {text}")));
    lines.join("\n") + "\n"
}

/// Whose change is the question: ours, and those that have another version now.
fn is_subject(comparison: &Comparison, subject: &Subject) -> bool {
    subject.role != Role::Control
        && (subject.name == "heapwright" && comparison.baseline.as_ref() != Some(&subject.name)
            || subject.versions[0] != subject.versions[1])
}

fn head(comparison: &Comparison, names: &[String; 2]) -> Vec<String> {
    let mut lines = Vec::new();
    for (what, origin, name) in
        [("old", &comparison.old, &names[0]), ("new", &comparison.new, &names[1])]
    {
        let mut line = format!(
            "{what}      {name} · {} · heapwright {} · seed {}",
            origin.started, origin.heapwright, origin.seed
        );
        for (kind, only) in [
            ("workloads", &origin.workloads_only_here),
            ("allocators", &origin.allocators_only_here),
        ] {
            if !only.is_empty() {
                let _ = write!(line, "\n         {kind} only here: {}", only.join(", "));
            }
        }
        lines.push(line);
    }
    lines
}

fn heading(subject: &Subject) -> String {
    match &subject.versions {
        [old, new] if old == new => match new {
            Some(version) => format!("{} {version}", subject.name),
            None => subject.name.clone(),
        },
        [old, new] => {
            let word = |v: &Option<String>| v.clone().unwrap_or_else(|| "unknown".to_owned());
            format!("{} {} → {}", subject.name, word(old), word(new))
        }
    }
}

/// One line for each workload, the mean last.
fn rows(comparison: &Comparison, subject: &Subject) -> Vec<String> {
    let mine: Vec<&Line> =
        comparison.lines.iter().filter(|l| l.allocator == subject.name).collect();
    let columns = columns(&mine);
    let mut workloads: Vec<Option<&str>> = Vec::new();
    for line in &mine {
        if line.workload.is_some() && !workloads.contains(&line.workload.as_deref()) {
            workloads.push(line.workload.as_deref());
        }
    }
    workloads.push(None);
    let mut table = new_table();
    let header = ["workload".to_owned()].into_iter().chain(columns.iter().map(Metric::to_string));
    table.set_header(header);
    for workload in workloads {
        let mut row = vec![workload.unwrap_or("geometric mean").to_owned()];
        row.extend(columns.iter().map(|metric| {
            mine.iter()
                .find(|l| l.workload.as_deref() == workload && l.metric == *metric)
                .map_or_else(|| "-".to_owned(), |line| cell(line))
        }));
        table.add_row(row);
    }
    text(&table)
}

/// What there are figures of.
fn columns(lines: &[&Line]) -> Vec<Metric> {
    COLUMNS.into_iter().filter(|m| lines.iter().any(|l| l.metric == *m)).collect()
}

/// Those that nobody asked about, over all workloads.
fn others(comparison: &Comparison, subjects: &[&Subject]) -> Vec<String> {
    let mut table = new_table();
    let means: Vec<&Line> = comparison.lines.iter().filter(|l| l.workload.is_none()).collect();
    let columns: Vec<Metric> =
        columns(&means).into_iter().filter(|metric| *metric != Metric::Ns).collect();
    let is_timed = columns.contains(&Metric::Time);
    let mut header = vec!["others, geometric mean".to_owned()];
    header.extend(columns.iter().map(Metric::to_string));
    header.extend(is_timed.then(|| "workloads by time".to_owned()));
    table.set_header(header);
    for subject in subjects {
        let mine = |metric: Metric| {
            comparison
                .lines
                .iter()
                .filter(move |l| l.allocator == subject.name && l.metric == metric)
        };
        let mean = |metric| {
            mine(metric).find(|l| l.workload.is_none()).map_or_else(|| "-".to_owned(), cell)
        };
        let count = |change| {
            mine(Metric::Time).filter(|l| l.workload.is_some() && l.change == change).count()
        };
        let (slower, faster) = (count(Change::More), count(Change::Less));
        let untold = count(Change::Unknown);
        let mut row = vec![heading(subject)];
        row.extend(columns.iter().map(|metric| mean(*metric)));
        let by_time = format!("{slower} slower, {faster} faster, {untold} cannot be told");
        row.extend(is_timed.then_some(by_time));
        table.add_row(row);
    }
    text(&table)
}

fn cell(line: &Line) -> String {
    if Metric::COUNTED.contains(&line.metric) {
        return format!("{:.3} {}", line.ratio().estimate, word(line.metric, line.change));
    }
    let mut text = format!("{} {}", format::ratio(&line.ratio()), word(line.metric, line.change));
    if let Some((ratio, change)) = line.dissent() {
        let which = if line.judged == Judged::Relative { "plain" } else { "relative" };
        let _ = write!(text, "\n{which} {} {}", format::ratio(&ratio), word(line.metric, change));
    }
    text
}

fn word(metric: Metric, change: Change) -> &'static str {
    match (change, metric) {
        (Change::More, counted) if Metric::COUNTED.contains(&counted) => "+",
        (Change::Less, counted) if Metric::COUNTED.contains(&counted) => "−",
        (Change::More, Metric::Memory) => "+ more",
        (Change::Less, Metric::Memory) => "− less",
        (Change::More, _) => "+ slower",
        (Change::Less, _) => "− faster",
        (Change::Same, _) => "=",
        (Change::Unknown, _) => "?",
    }
}

fn legend(comparison: &Comparison) -> Vec<String> {
    if comparison.is_counted() {
        let percent = 100.0 * AGREEMENT;
        return vec![format!(
            "ratios   new ÷ old of what was counted: + more, − less, = within {percent} %, by which two results of one \
             version may differ, ? varied by more"
        )];
    }
    let mut lines = vec![format!(
        "ratios   new ÷ old ± 95 % interval; above 1 is slower, or more memory; {MARKS}"
    )];
    if let Some(baseline) = &comparison.baseline {
        lines.push(format!(
            "relative times are divided by {baseline}'s of their own result first, because the two were measured at \
             different"
        ));
        lines.push(
            "         times; 'plain' ones, and memory, are not. Where the two say different things both stand."
                .to_owned(),
        );
        if let Some(drift) = comparison.overall(Role::Baseline, Metric::Time) {
            lines.push(format!(
                "drift    {baseline} itself, of the same version, took {} times as long in new{}",
                format::ratio(&drift.plain),
                if is_one(&drift.plain) { "" } else { ": the machine differs, or the program" },
            ));
        }
        if let Some(noise) =
            comparison.overall(Role::Control, Metric::Time).and_then(|l| l.relative)
        {
            lines.push(format!(
                "noise    {baseline} relative to itself, which should be 1: {}; a smaller difference means nothing",
                format::ratio(&noise)
            ));
        }
    }
    let judged = comparison.lines.iter().filter(|l| l.role == Role::Contender).count();
    if judged >= 20 {
        lines.push(format!(
            "note     of {judged} intervals of 95 % about {} miss the truth: look twice at a single small difference",
            judged.div_ceil(20)
        ));
    }
    lines
}

/// Whether nothing shows in two digits.
fn is_one(ratio: &Ratio) -> bool {
    (ratio.estimate - 1.0).abs() < 0.005
}

/// One line for each figure.
pub(super) fn csv(comparison: &Comparison) -> String {
    let mut text = String::from(
        "workload,allocator,role,metric,judged,change,plain,plain_low,plain_high,relative,relative_low,relative_high,runs\n",
    );
    let numbers = |ratio: Option<Ratio>| match ratio {
        Some(r) => format!("{},{},{}", r.estimate, r.low, r.high),
        None => ",,".to_owned(),
    };
    for line in &comparison.lines {
        let role = match line.role {
            Role::Baseline => "baseline",
            Role::Control => "control",
            Role::Contender | Role::Floor => "contender",
        };
        let judged = if line.judged == Judged::Plain { "plain" } else { "relative" };
        let change = match line.change {
            Change::More => "more",
            Change::Less => "less",
            Change::Same => "same",
            Change::Unknown => "unknown",
        };
        let _ = writeln!(
            text,
            "{},{},{role},{},{judged},{change},{},{},{}",
            quoted(line.workload.as_deref().unwrap_or("geomean")),
            quoted(&line.allocator),
            line.metric.word(),
            numbers(Some(line.plain)),
            numbers(line.relative),
            line.plain.pairs
        );
    }
    text
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

fn new_table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

fn text(table: &Table) -> Vec<String> {
    table.to_string().lines().map(|line| line.trim_end().to_owned()).collect()
}

//! A comparison as text.

use bench::claim::Claim;
use bench::claim::MARKS;
use bench::compare::{Comparison, Judged, Line, Subject};
use bench::fail_if::Metric;
use bench::result::AGREEMENT;
use bench::session::Role;
use bench::stats::Ratio;
use show::number::with_margin;
use show::text::wrapped;
use show::{Cell, Table};

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

const LABEL: usize = 9;

/// The table with what belongs above and below it; `names` are the old result's and the new one's.
pub(super) fn table(comparison: &Comparison, names: &[String; 2], width: Option<usize>) -> String {
    let lines = |all: Vec<(&str, String)>| -> String {
        let line = |(word, text): (&str, String)| {
            format!("{word:<LABEL$}{}\n", wrapped(&text, LABEL, width))
        };
        all.into_iter().map(line).collect()
    };
    let mut text = lines(head(comparison, names));
    let (full, brief): (Vec<&Subject>, Vec<&Subject>) = comparison
        .allocators
        .iter()
        .filter(|s| s.role == Role::Contender || is_subject(comparison, s))
        .partition(|s| is_subject(comparison, s));
    let (full, brief) = if full.is_empty() { (brief, full) } else { (full, brief) };
    let mut tables: Vec<Table> = full.into_iter().map(|one| rows(comparison, one)).collect();
    if !brief.is_empty() {
        tables.push(others(comparison, &brief));
    }
    for table in tables {
        text += &format!("\n{}", table.text(width));
    }
    text.push('\n');
    text += &lines(legend(comparison));
    let notes = comparison.not_compared.iter().map(|text| ("left out", text.clone()));
    let warnings = comparison.warnings.iter().map(|text| ("warning", text.clone()));
    text + &lines(notes.chain(warnings).collect())
}

/// Whose change is the question: ours, and those that have another version now.
fn is_subject(comparison: &Comparison, subject: &Subject) -> bool {
    subject.role != Role::Control
        && (subject.name == "heapwright" && comparison.baseline.as_ref() != Some(&subject.name)
            || subject.versions[0] != subject.versions[1])
}

fn head(comparison: &Comparison, names: &[String; 2]) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for (what, origin, name) in
        [("old", &comparison.old, &names[0]), ("new", &comparison.new, &names[1])]
    {
        let (started, version, seed) = (&origin.started, &origin.heapwright, origin.seed);
        lines.push((what, format!("{name} · {started} · heapwright {version} · seed {seed}")));
        for (kind, only) in [
            ("workloads", &origin.workloads_only_here),
            ("allocators", &origin.allocators_only_here),
        ] {
            if !only.is_empty() {
                lines.push(("", format!("{kind} only here: {}", only.join(", "))));
            }
        }
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
fn rows(comparison: &Comparison, subject: &Subject) -> Table {
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
    let heads = ["workload".to_owned()].into_iter().chain(columns.iter().map(Metric::to_string));
    let mut table = Table { title: heading(subject), ..Table::new(heads) };
    for workload in workloads {
        let cells = columns.iter().map(|metric| {
            mine.iter()
                .find(|l| l.workload.as_deref() == workload && l.metric == *metric)
                .map_or_else(|| "-".into(), |line| cell(line))
        });
        let name = Cell::from(workload.unwrap_or("geometric mean"));
        table.row(core::iter::once(name).chain(cells));
    }
    table
}

fn columns(lines: &[&Line]) -> Vec<Metric> {
    COLUMNS.into_iter().filter(|m| lines.iter().any(|l| l.metric == *m)).collect()
}

/// Those that nobody asked about, over all workloads.
fn others(comparison: &Comparison, subjects: &[&Subject]) -> Table {
    let means: Vec<&Line> = comparison.lines.iter().filter(|l| l.workload.is_none()).collect();
    let columns: Vec<Metric> =
        columns(&means).into_iter().filter(|metric| *metric != Metric::Ns).collect();
    let is_timed = columns.contains(&Metric::Time);
    let mut heads = vec!["others, geometric mean".to_owned()];
    heads.extend(columns.iter().map(Metric::to_string));
    heads.extend(is_timed.then(|| "workloads by time".to_owned()));
    let mut table = Table { has_text: is_timed, ..Table::new(heads) };
    for subject in subjects {
        let mine = |metric: Metric| {
            comparison
                .lines
                .iter()
                .filter(move |l| l.allocator == subject.name && l.metric == metric)
        };
        let mean =
            |metric| mine(metric).find(|l| l.workload.is_none()).map_or_else(|| "-".into(), cell);
        let count = |change| {
            mine(Metric::Time).filter(|l| l.workload.is_some() && l.change == change).count()
        };
        let (slower, faster) = (count(Claim::More), count(Claim::Less));
        let untold = count(Claim::Untold);
        let mut row = vec![heading(subject).into()];
        row.extend(columns.iter().map(|metric| mean(*metric)));
        let by_time = format!("{slower} slower, {faster} faster, {untold} cannot be told");
        row.extend(is_timed.then(|| by_time.into()));
        table.row(row);
    }
    table
}

fn cell(line: &Line) -> Cell {
    if Metric::COUNTED.contains(&line.metric) {
        return format!("{:.3} {}", line.ratio().estimate, word(line.metric, line.change)).into();
    }
    let said = |ratio: &Ratio, change| format!("{} {}", written(ratio), word(line.metric, change));
    let cell = Cell::from(said(&line.ratio(), line.change));
    let Some((ratio, change)) = line.dissent() else { return cell };
    let which = if line.judged == Judged::Relative { "plain" } else { "relative" };
    cell.over(format!("{which} {}", said(&ratio, change)))
}

/// A ratio with its margin, which one pair does not have.
fn written(ratio: &Ratio) -> String {
    with_margin(ratio.estimate, (ratio.pairs > 1).then(|| ratio.margin()))
}

fn word(metric: Metric, change: Claim) -> &'static str {
    match (change, metric) {
        (Claim::More, counted) if Metric::COUNTED.contains(&counted) => "+",
        (Claim::Less, counted) if Metric::COUNTED.contains(&counted) => "−",
        (Claim::More, Metric::Memory) => "+ more",
        (Claim::Less, Metric::Memory) => "− less",
        (Claim::More, _) => "+ slower",
        (Claim::Less, _) => "− faster",
        (Claim::Level, _) => "=",
        (Claim::Untold, _) => "?",
    }
}

fn legend(comparison: &Comparison) -> Vec<(&'static str, String)> {
    if comparison.is_counted() {
        let percent = 100.0 * AGREEMENT;
        let text = format!(
            "new ÷ old of what was counted: + more, − less, = within {percent} %, by which two results of one version may \
             differ, ? varied by more"
        );
        return vec![("ratios", text)];
    }
    let about = "new ÷ old ± 95 % interval; above 1 is slower, or more memory";
    let mut lines = vec![("ratios", format!("{about}; {MARKS}"))];
    if let Some(baseline) = &comparison.baseline {
        lines.push((
            "relative",
            format!(
                "times are divided by {baseline}'s of their own result first, because the two were measured at different \
                 times; 'plain' ones, and memory, are not. Where the two say different things both stand."
            ),
        ));
        if let Some(drift) = comparison.overall(Role::Baseline, Metric::Time) {
            let why = ": the machine differs, or the program";
            let why = if is_one(&drift.plain) { "" } else { why };
            let took = written(&drift.plain);
            let text = format!(
                "{baseline} itself, of the same version, took {took} times as long in new{why}"
            );
            lines.push(("drift", text));
        }
        if let Some(noise) =
            comparison.overall(Role::Control, Metric::Time).and_then(|l| l.relative)
        {
            let noise = written(&noise);
            let text = format!(
                "{baseline} relative to itself, which should be 1: {noise}; a smaller difference means nothing"
            );
            lines.push(("noise", text));
        }
    }
    let judged = comparison.lines.iter().filter(|l| l.role == Role::Contender).count();
    if judged >= 20 {
        let missed = judged.div_ceil(20);
        let text = format!(
            "of {judged} intervals of 95 % about {missed} miss the truth: look twice at a single small difference"
        );
        lines.push(("note", text));
    }
    lines
}

/// Whether nothing shows in two digits.
fn is_one(ratio: &Ratio) -> bool {
    (ratio.estimate - 1.0).abs() < 0.005
}

pub(super) fn csv(comparison: &Comparison) -> String {
    let heads = "workload,allocator,role,metric,judged,change,plain,plain_low,plain_high,relative,relative_low,relative_high,runs";
    let mut table = Table::new(heads.split(','));
    let numbers = |ratio: Option<Ratio>| match ratio {
        Some(r) => [r.estimate, r.low, r.high].map(|v| v.to_string()),
        None => Default::default(),
    };
    for line in &comparison.lines {
        let role = match line.role {
            Role::Baseline => "baseline",
            Role::Control => "control",
            Role::Contender | Role::Floor => "contender",
        };
        let change = match line.change {
            Claim::More => "more",
            Claim::Less => "less",
            Claim::Level => "same",
            Claim::Untold => "unknown",
        };
        let judged = if line.judged == Judged::Plain { "plain" } else { "relative" };
        let workload = line.workload.as_deref().unwrap_or("geomean");
        let words = [workload, &line.allocator, role, line.metric.word(), judged, change];
        let [plain, relative] = [Some(line.plain), line.relative].map(numbers);
        let runs = line.plain.pairs.to_string();
        let words = words.map(str::to_owned).into_iter();
        table.row(words.chain(plain).chain(relative).chain([runs]));
    }
    table.csv()
}

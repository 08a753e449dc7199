//! What the front page says of the record: who is the fastest, in words, one table and one picture.

use bench::allocator::HEAPWRIGHT;
use bench::claim::Claim;
use bench::fail_if::Metric;
use bench::result::{Entry, Report};
use bench::session::{Role, SubjectIndex};
use bench::stats::Ratio;

use super::record::Record;
use super::tables::{contestants, is_ours, markdown};

pub(super) const PICTURE: &str = "docs/pictures/benchmarks.svg";

/// Columns of the front page.
const WIDTH: usize = 120;

pub(super) struct Part<'a> {
    pub(super) name: String,
    pub(super) report: &'a Report,
}

/// The section of the front page. Links are followed from the top of the tree.
pub(super) fn page(parts: &[Part<'_>; 2], record: &Record) -> String {
    let report = &record.report;
    let where_and_when = wrapped(&format!(
        "Measured {} on {} × {}{}. {}**Bold** is the least and all that cannot be told from it; above 5 % of noise no time is bold. \
         Every program and malloc: [docs/performance.md](docs/performance.md).",
        day(report),
        report.machine.cores,
        report.machine.cpu,
        noise(report),
        apart(record),
    ));
    format!("{}\n\n{}\n\n{where_and_when}", sentences(parts), table(parts, short, false))
}

/// Which run the real programs are of, where it is not that of all workloads, and on which other versions that one was: a
/// sentence, with a space behind it.
pub(super) fn apart(record: &Record) -> String {
    let Some((_, real)) = &record.real else { return String::new() };
    let older: Vec<String> = contestants(&record.report)
        .filter(|(_, entry)| {
            contestants(real).any(|(_, one)| one.name == entry.name && one.version != entry.version)
        })
        .map(|(_, entry)| format!("{} {}", entry.name, entry.version.as_deref().unwrap_or("?")))
        .collect();
    let older = match older[..] {
        [] => String::new(),
        _ => format!("; all workloads are of {}", older.join(", ")),
    };
    let (day, rounds, noise) = (day(real), rounds(real), noise(real));
    format!("The real programs are of a run of their own: {day}, {rounds} rounds{noise}{older}. ")
}

/// The runs that each workload has at least.
pub(super) fn rounds(report: &Report) -> u32 {
    report.workloads.iter().map(|work| work.rounds).min().unwrap_or(0)
}

fn day(report: &Report) -> &str {
    report.started.get(..10).unwrap_or_default()
}

fn noise(report: &Report) -> String {
    report.middle_noise().map_or_else(String::new, |noise| match 100.0 * noise {
        small if small < 5.0 => format!(" (noise {small:.1} %)"),
        large => format!(" (noise {large:.0} %)"),
    })
}

/// The picture, readable on a light and on a dark page.
pub(super) fn picture(parts: &[Part<'_>; 2]) -> Option<String> {
    let titles = parts.each_ref().map(|part| title(&part.name));
    let plots: Vec<(&str, &Report)> =
        titles.iter().map(String::as_str).zip(parts.iter().map(|part| part.report)).collect();
    ::report::front(&plots)
}

fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How heapwright stands over each of `parts`, in lines of the page's width.
pub(super) fn sentences(parts: &[Part<'_>]) -> String {
    wrapped(&parts.iter().map(sentence).collect::<Vec<_>>().join(" "))
}

fn sentence(part: &Part<'_>) -> String {
    let all = standings(part.report);
    let Some(&(_, my_time, my_memory)) = all.iter().find(|one| one.0.name == HEAPWRIGHT) else {
        return format!("Over {}: heapwright took no part.", part.name);
    };
    let Some(&(best, time, memory)) = all.iter().find(|one| !is_ours(one.0)) else {
        return format!("Over {}: there is nobody to compare with.", part.name);
    };
    let best = &best.name;
    let beside = Claim::of(&my_time.over(&time), part.report.mean_noise(Metric::Time));
    let verdict = match beside {
        _ if part.report.is_noisy() => "with its noise the run shows **no difference**",
        Claim::Less => "heapwright is **faster**",
        Claim::Level => "they are **level**",
        Claim::More => "heapwright is **slower**",
        Claim::Untold => "**no difference** can be shown",
    };
    format!(
        "Over {} heapwright takes {:.2} of glibc's time, and {best}, the fastest other malloc, {:.2}: {verdict}. \
         It takes {:.2} of {best}'s memory, and {:.2} of glibc's.",
        part.name,
        my_time.estimate,
        time.estimate,
        my_memory.over(&memory).estimate,
        my_memory.estimate
    )
}

/// Everyone with time and memory, the fastest first.
fn standings(report: &Report) -> Vec<(&Entry, Ratio, Ratio)> {
    let mut all: Vec<_> = contestants(report)
        .filter_map(|(at, entry)| {
            let overall = report.means().get(at)?;
            let mean = |metric: Metric| match entry.role {
                Role::Baseline => Some(Ratio::EXACT),
                _ => metric.mean(overall),
            };
            Some((entry, mean(Metric::Time)?, mean(Metric::Memory)?))
        })
        .collect();
    all.sort_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate));
    all
}

/// Everyone over each of `parts`, the fastest over the first of them first; then, in `full`, who was only in the second.
pub(super) fn table(parts: &[Part<'_>; 2], show: fn(&Ratio) -> String, full: bool) -> String {
    let titles = parts.iter().flat_map(|part| {
        ["time", "memory"].map(|figure| format!("{figure}, {}", part.name.replace("the ", "")))
    });
    let header = core::iter::once("÷ glibc's, less is better".to_owned()).chain(titles);
    let mut table = markdown(header);
    let [first, second] = parts.each_ref().map(|part| standings(part.report));
    let is_new = |entry: &Entry| full && first.iter().all(|one| one.0.name != entry.name);
    for (entry, ..) in first.iter().chain(second.iter().filter(|one| is_new(one.0))) {
        let mut row = vec![called(entry)];
        for part in parts {
            row.extend(cells(part.report, &entry.name, show));
        }
        table.add_row(row);
    }
    table.to_string()
}

/// With its version; ours bold, with its settings.
fn called(entry: &Entry) -> String {
    let version = entry.version.as_deref().unwrap_or_default();
    match is_ours(entry) {
        true if entry.settings.is_empty() => format!("**{HEAPWRIGHT}**"),
        true => format!("{HEAPWRIGHT}, `{}`", entry.settings.join(" ")),
        false => format!("{} {version}", entry.name).trim_end().to_owned(),
    }
}

/// Time and memory of `name`; what may be the least is bold.
fn cells(report: &Report, name: &str, show: fn(&Ratio) -> String) -> [String; 2] {
    let Some((at, entry)) = contestants(report).find(|(_, entry)| entry.name == name) else {
        return ["–"; 2].map(str::to_owned);
    };
    let overall = &report.overall[at];
    [Metric::Time, Metric::Memory].map(|metric| {
        let Some(ratio) = metric.mean(overall) else { return "–".to_owned() };
        let number = if entry.role == Role::Baseline { "1".to_owned() } else { show(&ratio) };
        if report.best_mean(metric).contains(&SubjectIndex(at)) {
            format!("**{number}**")
        } else {
            number
        }
    })
}

fn short(ratio: &Ratio) -> String {
    format!("{:.2}", ratio.estimate)
}

/// The command that made a result, as it can be typed, in lines of the page's width.
pub(super) fn command(report: &Report) -> String {
    let folded = show::text::wrapped(&report.command_line.join(" "), 8, Some(WIDTH - 2));
    format!("    {}", folded.replace('\n', " \\\n"))
}

/// `text` in lines of at most [`WIDTH`] columns.
pub(crate) fn wrapped(text: &str) -> String {
    show::text::wrapped(text, 0, Some(WIDTH))
}

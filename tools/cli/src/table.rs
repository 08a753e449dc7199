//! The table of a measurement: of one program a line an allocator, of workloads a line a workload.

mod curves;
mod grid;
mod model;
mod notes;
mod one;

use bench::definition::Group;
use bench::result::Report;
use bench::session::Role;
use bench::session::Stop;

use crate::{columns, format};

pub(crate) use notes::last_lines;

/// What fits where nobody says how wide it is.
const WIDTH: usize = 100;

/// Where the text of a line below the tables begins, behind its first word.
const LABEL: usize = 9;

/// The table with what belongs above and below it, as wide as the terminal.
pub(crate) fn of(report: &Report) -> String {
    let width = columns::width();
    let below = below(report).iter().map(|line| broken(line, width)).collect();
    with(report, width.map_or(WIDTH, |width| width.max(60)), below)
}

/// A line below the tables, as long as the terminal is wide.
fn broken(line: &str, width: Option<usize>) -> String {
    let (word, text) =
        line.char_indices().nth(LABEL).map_or((line, ""), |(at, _)| line.split_at(at));
    format!("{word}{}", columns::wrapped(text, LABEL, width))
}

/// The same for a file.
pub(crate) fn plain(report: &Report) -> String {
    within(report, 160)
}

/// The same in Markdown, for an issue or a page.
pub(crate) fn markdown(report: &Report) -> String {
    let mut lines = Vec::new();
    for line in above(report) {
        lines.extend([model::escaped(&line), String::new()]);
    }
    for table in tables(report) {
        lines.extend(table.markdown());
        lines.push(String::new());
    }
    lines.extend(below(report).iter().map(|line| item(line)));
    format::visible(&(lines.join("\n") + "\n")).into_owned()
}

/// A line below the tables: an item, or what belongs to the item above it.
fn item(line: &str) -> String {
    if let Some(more) = line.strip_prefix("  ") {
        return format!("  {}", model::escaped(more));
    }
    match line.split_once("  ") {
        Some((word, text)) if word.chars().all(char::is_alphabetic) => {
            format!("- {word}: {}", model::escaped(text))
        }
        _ => format!("- {}", model::escaped(line)),
    }
}

fn within(report: &Report, width: usize) -> String {
    with(report, width, below(report))
}

fn with(report: &Report, width: usize, below: Vec<String>) -> String {
    let mut lines = above(report);
    lines.push(String::new());
    for table in tables(report) {
        lines.extend(table.text(width));
        lines.push(String::new());
    }
    lines.extend(below);
    format::visible(&(lines.join("\n") + "\n")).into_owned()
}

/// What was measured, and where.
fn above(report: &Report) -> Vec<String> {
    let mut lines = vec![report.machine.line(), summary(report)];
    if !report.left_out.is_empty() {
        lines.push(left_out(&report.left_out, report.workloads.len()));
    }
    lines
}

fn tables(report: &Report) -> Vec<model::Table> {
    match &report.workloads[..] {
        [own] if own.group == Group::Own && report.counted.is_none() => {
            vec![one::table(report, own)]
        }
        _ => grid::tables(report).into_iter().chain(curves::tables(report)).collect(),
    }
}

fn below(report: &Report) -> Vec<String> {
    let warnings = report.warnings.iter().map(|w| format!("warning  {w}"));
    notes::lines(report).into_iter().chain(warnings).collect()
}

/// What the time had no place for: without it the means are of fewer workloads than were asked for.
pub(crate) fn left_out(names: &[String], measured: usize) -> String {
    format!(
        "{} of {} workloads are left out, so that the rest fits into the time: {}",
        names.len(),
        names.len() + measured,
        names.join(", ")
    )
}

fn summary(report: &Report) -> String {
    let why = match report.stop {
        Stop::Rounds => "",
        Stop::Precise => ", stopped when precise",
        Stop::Budget => ", stopped at the time budget",
        Stop::Interrupted => ", interrupted",
        Stop::Failed => ", nothing left to run",
    };
    let allocators = report
        .allocators
        .iter()
        .filter(|e| matches!(e.role, Role::Baseline | Role::Contender))
        .count();
    let what = match &report.workloads[..] {
        [own] if own.group == Group::Own => format::shell(&own.command),
        [one] => format!("{}{}", one.name, scale(report)),
        all => match report.left_out.len() {
            0 => format!("{} workloads{}", all.len(), scale(report)),
            out => format!("{} of {} workloads{}", all.len(), all.len() + out, scale(report)),
        },
    };
    if let Some(by) = &report.counted {
        let s = if allocators == 1 { "" } else { "s" };
        return format!("{what} · {allocators} allocator{s} · counted by {by}{why}");
    }
    let rounds = || report.workloads.iter().map(|w| w.rounds);
    let (least, most) = (rounds().min().unwrap_or(0), rounds().max().unwrap_or(0));
    let rounds = if least == most { least.to_string() } else { format!("{least} to {most}") };
    format!(
        "{what} · {allocators} allocator{} · interleaved{}{} · {rounds} round{}{why} · seed {}",
        if allocators == 1 { "" } else { "s" },
        if report.pinned { " · pinned" } else { "" },
        if report.warm { " · memory warmed" } else { "" },
        if rounds == "1" { "" } else { "s" },
        report.seed,
    )
}

fn scale(report: &Report) -> String {
    let is_whole = (report.scale - 1.0).abs() < 1e-9;
    if is_whole { String::new() } else { format!(" · scale {}", report.scale) }
}

#[cfg(test)]
mod tests {
    use bench::testing;

    use super::*;

    #[test]
    fn what_the_time_left_out_stands_at_the_top() {
        let mut report = testing::rounds(&["larson", "cfrac"], 3, |_, _| 0.25);
        assert!(!within(&report, 100).contains("left out"));
        report.left_out = vec!["redis".to_owned(), "g++".to_owned()];
        let text = within(&report, 100);
        assert!(
            text.contains("\n2 of 4 workloads · ") && !text.contains("geometric mean"),
            "{text}"
        );
        let said = "2 of 4 workloads are left out, so that the rest fits into the time: redis, g++";
        assert_eq!(text.lines().nth(2), Some(said), "{text}");
    }

    #[test]
    fn markdown_says_what_the_table_says() {
        let mut report = testing::rounds(&["larson", "cfrac"], 3, |_, _| 0.25);
        report.warnings = vec!["a*b".to_owned()];
        let text = markdown(&report);
        for part in ["**time ÷ glibc's", "| larson ", "\n- warning: a\\*b\n"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn the_title_says_which_time_it_is() {
        let mut report = testing::rounds(&["larson", "cfrac"], 3, |_, _| 0.25);
        assert!(within(&report, 100).contains("\ntime ÷ glibc's"));
        report.workloads[0].by_cpu = true;
        let text = within(&report, 100);
        assert!(text.contains("\ntime (of † processor time) ÷ glibc's"), "{text}");
        assert!(text.contains("larson †") && !text.contains("cfrac †"), "{text}");
        report.workloads[1].by_cpu = true;
        let text = within(&report, 100);
        assert!(text.contains("\nprocessor time ÷ glibc's") && !text.contains('†'), "{text}");
    }

    #[test]
    fn lines_below_break_between_words_under_their_text() {
        let line = "note     peak RSS below 4 MiB cannot be measured here";
        let narrow = "note     peak RSS below 4 MiB cannot be\n         measured here";
        assert_eq!(broken(line, Some(40)), narrow);
        assert_eq!(broken(line, None), line);
    }

    #[test]
    fn an_early_end_is_said() {
        let mut report = testing::rounds(&["larson"], 12, |_, _| 0.25);
        assert!(within(&report, 100).contains("1 of 1 workloads ended as soon as"));
        report.workloads[0].precise = false;
        assert!(!within(&report, 100).contains("as soon as"));
    }
}

//! A result as lines: what was measured, tables, notes, the verdict; for a terminal, a file, or in Markdown.

use bench::definition::Group;
use bench::fail_if::Metric;
use bench::result::{Replayed, Report, Work};
use bench::session::Stop;
use bench::words::shell;
use show::text::{self, many};
use show::{Table, number};

use crate::notes::{self, Note};
use crate::tables;
use crate::verdict::{self, verdict};
use crate::view::View;

/// Where the text of a line below the tables begins, behind its first word.
const LABEL: usize = 9;

/// What tables fit into where nobody says how wide a line may be.
const USUAL: usize = 100;

/// The result in lines as long as `width`; `None`: tables have the usual width, and notes stay in one line.
pub fn text(report: &Report, width: Option<usize>) -> String {
    let view = View::of(report);
    let mut all: Vec<String> =
        above(report).iter().map(|line| text::wrapped(line, 0, width) + "\n").collect();
    all.extend(shown(&view).iter().map(|table| format!("\n{}", table.text(width.or(Some(USUAL))))));
    all.push("\n".to_owned());
    for Note { word, text, quoted } in below(&view) {
        all.push(format!("{word:<LABEL$}{}\n", text::wrapped(&text, LABEL, width)));
        all.extend(quoted.iter().map(|line| format!("{:LABEL$}{line}\n", "")));
    }
    text::visible(&all.concat()).into_owned()
}

pub fn markdown(report: &Report) -> String {
    let view = View::of(report);
    let mut all: Vec<String> =
        above(report).iter().map(|line| text::markdown(line) + "\n\n").collect();
    all.extend(shown(&view).iter().map(|table| table.markdown() + "\n"));
    for Note { word, text, quoted } in below(&view) {
        all.push(format!("- {word}: {}\n", text::markdown(&text)));
        all.extend(quoted.iter().map(|line| format!("  {}\n", text::markdown(line))));
    }
    text::visible(&all.concat()).into_owned()
}

/// What was measured, and where; of a replay how far it is from the recording.
fn above(report: &Report) -> Vec<String> {
    let mut lines = vec![report.machine.line(), summary(report)];
    lines.extend(report.workloads.iter().filter_map(|work| notes::recorded(report, work)));
    lines
}

/// The tables: of what was counted, or one of a program, else time, memory, nanoseconds a call, the slowest calls, curves.
fn shown(view: &View<'_>) -> Vec<Table> {
    let base = view.name(view.baseline);
    let with_mean = |mut table: Table, metric| {
        if let (Some(row), Some(group)) =
            (tables::mean_row(view, table.lead, metric), table.groups.last_mut())
        {
            group.rows.push(row);
        }
        table.brief()
    };
    let titled = |table: Table, title: String| Table { title, ..table };
    let works = &view.report.workloads;
    let time = match works.iter().filter(|work| work.by_cpu).count() {
        0 => "time",
        n if n == works.len() => "processor time",
        _ => "time (of † processor time)",
    };
    let calls = "time of a call of malloc or free (null: what the workload itself takes)";
    let slow = "malloc: what all but one call in a thousand took at most / the longest";
    let mut all = if view.report.counted.is_some() {
        let one = |metric| {
            let title = format!("{metric} ÷ {base}'s, whose are shown (* least)");
            titled(with_mean(tables::counted(view, metric), metric), title)
        };
        Metric::COUNTED.map(one).into()
    } else if view.is_one() {
        let resident = tables::resident(view);
        let title = "memory above the start: at its peak, mean over all calls, after the last call, with all freed";
        vec![tables::program(view), titled(resident, title.to_owned())]
    } else {
        let peak = format!("peak memory of all processes ÷ {base}'s");
        vec![
            titled(with_mean(tables::time(view), Metric::Time), format!("{time} ÷ {base}'s")),
            titled(with_mean(tables::peak(view), Metric::Memory), peak),
            titled(tables::calls(view).brief(), calls.to_owned()),
        ]
    };
    let beside = format!("time ÷ {base}'s, here and in the text");
    all.push(titled(tables::beside(view).brief(), beside));
    let orders = Table { has_text: true, ..tables::sequences(view) };
    all.push(titled(orders, "numbers in the order in which objects are handed out".to_owned()));
    all.push(titled(tables::slowest(view).brief(), slow.to_owned()));
    all.extend(tables::curves(view));
    all.retain(|table| !table.is_empty());
    all
}

fn below(view: &View<'_>) -> Vec<Note> {
    let mut all = notes::legend(view);
    let more = |word, text: &String| Note { word, text: text.clone(), quoted: Vec::new() };
    if let Some(said) = verdict::sequences(view) {
        all = view.report.workloads.iter().map(|work| more("workload", &work.about)).collect();
        all.push(more("verdict", &said));
    }
    all.extend(notes::names(view));
    all.extend(notes::doubts(view));
    all.extend(view.report.warnings.iter().map(|warning| more("warning", warning)));
    all.extend(verdict(view.report).sentence.map(|said| more("verdict", &said)));
    all
}

fn summary(report: &Report) -> String {
    let why = match report.stop {
        Stop::Rounds => "",
        Stop::Precise => ", stopped when precise",
        Stop::Budget => ", stopped at the time budget",
        Stop::Interrupted => ", interrupted",
        Stop::Failed => ", nothing left to run",
    };
    let what = match &report.workloads[..] {
        [own] if own.group == Group::Own => shell(&own.command),
        [Work { replayed: Some(replayed), .. }] => what_is_replayed(replayed),
        [one] => format!("{}{}", one.name, scale(report)),
        all => match report.left_out.len() {
            0 => format!("{} workloads{}", all.len(), scale(report)),
            out => format!("{} of {} workloads{}", all.len(), all.len() + out, scale(report)),
        },
    };
    let allocators = many(report.contestants().count(), "allocator");
    if let Some(by) = &report.counted {
        return format!("{what} · {allocators} · counted by {by}{why}");
    }
    let rounds = || report.workloads.iter().map(|w| w.rounds);
    let (least, most) = (rounds().min().unwrap_or(0), rounds().max().unwrap_or(0));
    let rounds = match usize::try_from(most) {
        Ok(all) if least == most => many(all, "round"),
        _ => format!("{} to {} rounds", least, number::count(f64::from(most))),
    };
    format!(
        "{what} · {allocators} · interleaved{}{} · {rounds}{why} · seed {}",
        if report.pinned { " · pinned" } else { "" },
        if report.warm { " · memory warmed" } else { "" },
        report.seed,
    )
}

fn what_is_replayed(replayed: &Replayed) -> String {
    format!(
        "{} · {} calls · {} · {} live at most · {} order, {}",
        replayed.name,
        number::count(replayed.events as f64),
        many(usize::try_from(replayed.threads).unwrap_or(usize::MAX), "thread"),
        number::bytes(replayed.peak_live as f64),
        replayed.order,
        match replayed.touch.as_str() {
            "none" => "nothing touched",
            "recorded" => "touched as recorded",
            _ => "pages touched",
        }
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

    fn wide(report: &Report) -> String {
        text(report, None)
    }

    #[test]
    fn what_the_time_left_out_is_said_and_there_is_no_mean() {
        let mut report = testing::rounds(&["larson", "cfrac"], 3, |_, _| 0.25);
        assert!(!wide(&report).contains("left out"));
        report.left_out = vec!["redis".to_owned(), "g++".to_owned()];
        let text = wide(&report);
        assert!(
            text.contains("\n2 of 4 workloads · ") && !text.contains("geometric mean"),
            "{text}"
        );
        let said = "2 of 4 workloads are left out, so that the rest fits into the time: redis, g++";
        assert!(text.contains(said), "{text}");
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
        assert!(wide(&report).contains("\ntime ÷ glibc's"));
        report.workloads[0].by_cpu = true;
        let text = wide(&report);
        assert!(text.contains("\ntime (of † processor time) ÷ glibc's"), "{text}");
        assert!(text.contains("larson †") && !text.contains("cfrac †"), "{text}");
        report.workloads[1].by_cpu = true;
        let text = wide(&report);
        assert!(
            text.contains("\nprocessor time ÷ glibc's") && !text.contains("larson †"),
            "{text}"
        );
    }

    #[test]
    fn every_line_fits_a_terminal_and_breaks_between_words() {
        let mut report = testing::rounds(&["larson", "cfrac"], 3, |_, _| 0.25);
        report.warnings = vec!["one of many words ".repeat(12)];
        let narrow = text(&report, Some(80));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        assert_eq!(words(&narrow), words(&wide(&report)));
    }

    #[test]
    fn an_early_end_is_said() {
        let mut report = testing::rounds(&["larson"], 12, |_, _| 0.25);
        assert!(wide(&report).contains("ended as soon as"));
        report.workloads[0].precise = false;
        assert!(!wide(&report).contains("as soon as"));
    }
}

//! The page: plain words first, then the figures they stand on, then what to do next.

mod account;
mod found;
mod growth;
mod marks;
mod replayed;
mod sites;
mod table;

use show::number::{count, nanoseconds};
use show::text::{visible, wrapped};

use crate::facts::Facts;
use crate::rules::Finding;
use crate::verdict::Verdict;

/// Lines are no longer where nobody says otherwise.
const WIDTH: usize = 80;

/// The page about `facts`, with what a replay says if there was one. `next` are the commands that it ends with, and what each is for.
pub fn page(
    facts: &Facts,
    findings: &[Finding],
    verdict: Option<&Verdict>,
    next: &[(String, String)],
    width: Option<usize>,
) -> String {
    let most = width.unwrap_or(WIDTH).min(WIDTH);
    let width = Some(most);
    let mut text = paragraph(&title(facts), width);
    for missing in missing(facts) {
        text += &paragraph(&format!("Note: {missing}"), width);
    }
    text.push('\n');
    text += &paragraph(
        &[account::sentences(facts), growth::sentences(facts, findings)].concat().join(" "),
        width,
    );
    if let Some(said) = marks::sentence(facts) {
        text += &paragraph(&said, width);
    }
    if findings.is_empty() {
        text += "\n";
        text += &paragraph(&found::none(facts), width);
    }
    for (number, finding) in findings.iter().enumerate() {
        let (head, body) = found::words(facts, finding);
        text += &format!("\n{}. {head}\n", number + 1);
        text += &indented(&body, 3, width);
    }
    let sites = sites::table(facts);
    let notes = if sites.is_empty() { Vec::new() } else { sites::notes(facts) };
    let tables = [table::moments(facts), table::sizes(facts), marks::table(facts), sites];
    for table in tables.iter().filter(|table| !table.is_empty()) {
        text += "\n";
        text += &table.text(width);
    }
    for note in notes {
        text += &indented(&note, 1, width);
    }
    if let Some(verdict) = verdict {
        text += "\n";
        text += &paragraph(&replayed::sentences(verdict).join(" "), width);
        text += "\n";
        text += &replayed::table(verdict).text(width);
    }
    let longest = next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    for (number, (command, why)) in next.iter().enumerate() {
        let head = if number == 0 { "\nnext  " } else { "      " };
        let line = format!("{head}{command:longest$}  {why}\n");
        // A command stays in one line, so that it can be copied.
        text += &if line.trim().chars().count() <= most {
            line
        } else {
            format!("{head}{command}\n        {why}\n")
        };
    }
    visible(&text).into_owned()
}

fn paragraph(text: &str, width: Option<usize>) -> String {
    wrapped(text, 0, width) + "\n"
}

fn indented(text: &str, indent: usize, width: Option<usize>) -> String {
    format!("{}{}\n", " ".repeat(indent), wrapped(text, indent, width))
}

fn title(facts: &Facts) -> String {
    let program = &facts.program;
    let threads = if facts.threads.count > 1 {
        format!(", {} threads", count(facts.threads.count as f64))
    } else {
        String::new()
    };
    // Another tool's recording knows neither.
    let process = match program.pid {
        0 => String::new(),
        pid => format!(" (process {pid})"),
    };
    let on = match &*program.malloc {
        "" => String::new(),
        malloc => format!(" on {malloc}"),
    };
    format!(
        "{}{process}{on}: {}, {} blocks{threads}",
        program.command,
        nanoseconds(program.duration as f64),
        count(program.blocks as f64),
    )
}

fn missing(facts: &Facts) -> Vec<String> {
    let program = &facts.program;
    let mut lines = program.missing.clone();
    if !program.settings.is_empty() {
        lines.push(format!("for its malloc there was set {}.", program.settings.join(" ")));
    }
    if program.dropped > 0 {
        let dropped = count(program.dropped as f64);
        lines.push(format!(
            "{dropped} events were not recorded; what was freed there counts as live."
        ));
    }
    if program.refused > 0 {
        lines.push(format!("{} requests were refused.", count(program.refused as f64)));
    }
    lines
}

/// `48 bytes`, `33 to 48 bytes`, `1.25 to 1.50 KiB`.
fn sizes(from: u64, to: u64) -> String {
    let small = to < 10_000;
    let show = |n: u64| if small { count(n as f64) } else { show::number::bytes(n as f64) };
    let unit = if small { " bytes" } else { "" };
    if from == to {
        format!("{}{unit}", show(to))
    } else {
        format!("{} to {}{unit}", show(from), show(to))
    }
}

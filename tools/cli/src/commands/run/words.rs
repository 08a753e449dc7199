//! The figures of `--stats` for people.

use core::fmt::Write as _;

use serde_json::Value;

use super::processes::Process;
use crate::flags::stats::Stats;
use crate::format::{bytes, count, shell};

/// The longest that a line shows of a command: of the program, and of another process.
const COMMAND: usize = 50;
const OTHER: usize = 30;

pub(super) fn words(processes: &[Process], asked: &Stats) -> String {
    let shown = if asked.all { processes } else { &processes[..1] };
    if asked.json {
        let figures: Vec<&Value> = shown.iter().map(|process| &process.figures).collect();
        return match figures[..] {
            [one] if !asked.all => format!("{one:#}\n"),
            _ => format!("{:#}\n", serde_json::json!(figures)),
        };
    }
    let mut text = String::new();
    for process in shown {
        text += &one(process, asked.full);
    }
    if let [largest, rest @ ..] = &processes[shown.len()..] {
        let (name, peak) = (short(&largest.command, OTHER), size(largest.peak()));
        text += &match rest.len() {
            0 => format!("  1 other process, with {peak}: {name}"),
            more => format!("  {} other processes, the largest with {peak}: {name}", more + 1),
        };
        text += "\n  --stats=all shows every one\n";
    }
    text
}

/// The figures of a process that runs, as they were read from it; `title`: what it is called.
pub(crate) fn running(title: &str, figures: Value, full: bool) -> String {
    let process = Process { figures, command: Vec::new() };
    let of = |path: &str| size(process.figure(path));
    let parts = Parts::of(&process, "now");
    let mut text = format!("heapwright: {title}\n  Now {}", of("/resident/now"));
    text += &match parts.is_known {
        true => parts.shares_of(process.figure("/resident/now")),
        false => ".\n".to_owned(),
    };
    text += &format!(
        "  Peak {}. {}  Live in all {}, resident or not.\n  Free: {} in slabs, {} kept by threads, {} not yet given back.\n",
        of("/resident/peak"),
        taken(&process),
        of("/live"),
        of("/fragmented"),
        of("/kept/now"),
        of("/free")
    );
    text += &parts.table("malloc's memory now", full);
    if full {
        text += &rest(&process);
    }
    text
}

fn one(process: &Process, full: bool) -> String {
    let of = |path: &str| size(process.figure(path));
    let parts = Parts::of(process, "largest");
    let mut text = format!(
        "heapwright: {} (process {})\n  Peak {}",
        short(&process.command, COMMAND),
        process.number(),
        of("/resident/peak")
    );
    text += &match (parts.is_known, parts.list.is_empty()) {
        (true, _) => parts.shares_of(process.peak()),
        (false, false) => "; the system does not say what of it is malloc's.\n".to_owned(),
        (false, true) => ".\n".to_owned(),
    };
    let has_ended = process.figures["ended"].as_bool() == Some(true);
    let (now, live) = (of("/resident/now"), of("/live"));
    text += &match has_ended {
        true => format!("  At its end {now}, with {live} live in malloc's blocks.\n"),
        false => {
            format!("  Last seen at {now}, with {live} live in malloc's blocks: it did not exit.\n")
        }
    };
    text += &format!("  {}", taken(process));
    if let Some(line) = process.figures["line"].as_str() {
        text += &format!("  {line}\n");
    }
    if !parts.list.is_empty() {
        text += &parts.table("malloc's memory at its largest", full);
    }
    if full {
        text += &rest(process);
    }
    text
}

fn taken(process: &Process) -> String {
    let back = match process.figure("/given_back") {
        0 => String::new(),
        bytes => format!(", and gave {} back", size(bytes)),
    };
    format!("malloc took {} from the system{back}.\n", size(process.figure("/obtained")))
}

struct Part<'a> {
    name: &'a str,
    held: u64,
    resident: u64,
}

/// What malloc's memory is made of at a moment.
struct Parts<'a> {
    /// Whether the system says what of it is resident.
    is_known: bool,
    list: Vec<Part<'a>>,
    resident: u64,
}

impl<'a> Parts<'a> {
    fn of(process: &'a Process, moment: &str) -> Self {
        let moment = &process.figures[moment];
        let part = |value: &'a Value| Part {
            name: value["name"].as_str().unwrap_or_default(),
            held: value["held"].as_u64().unwrap_or(0),
            resident: value["resident"].as_u64().unwrap_or(0),
        };
        let list: Vec<Part<'_>> =
            moment["parts"].as_array().into_iter().flatten().map(part).collect();
        let resident = list.iter().map(|part| part.resident).sum();
        Self { is_known: moment["known"].as_bool() == Some(true), list, resident }
    }

    fn shares_of(&self, all: u64) -> String {
        let live = self.list.iter().filter(|part| part.name.starts_with("live"));
        let live = live.map(|part| part.resident).sum();
        format!(
            ": {} live, {} kept by malloc, {} not malloc's.\n",
            size(live),
            size(self.resident - live),
            size(all.saturating_sub(self.resident))
        )
    }

    /// In short, only what cost something.
    fn table(&self, title: &str, full: bool) -> String {
        let (mut text, heap) = (String::new(), self.resident);
        let mut row = |name: &str, held: &str, resident: &str, share: &str| {
            let held = if full { held } else { "" };
            let line = format!("    {name:<32} {held:>10} {resident:>10} {share:>7}");
            text += line.trim_end();
            text.push('\n');
        };
        row(title, "held", "resident", "");
        let share = |resident: u64| format!("{} %", (resident * 200 / heap.max(1)).div_ceil(2));
        for part in self.list.iter().filter(|part| full || part.resident * 200 > heap) {
            row(part.name, &size(part.held), &size(part.resident), &share(part.resident));
        }
        let held = self.list.iter().map(|part| part.held).sum();
        row("all of it", &size(held), &size(heap), &share(heap));
        text
    }
}

/// What only `full` has: counts, and each size of small blocks.
fn rest(process: &Process) -> String {
    let number = |path: &str| count(process.figure(path) as f64);
    let mut text = String::new();
    for (name, first, word, second, end) in [
        ("threads that use malloc", "/threads/now", "now,", "/threads/ever", "ever"),
        ("slow paths", "/slow_paths/refills", "refills,", "/slow_paths/flushes", "flushes"),
    ] {
        let _ = writeln!(text, "    {name:<32} {} {word} {} {end}", number(first), number(second));
    }
    let _ = writeln!(text, "    {:<32} {}", "operations without a cache", number("/uncached"));
    let _ = writeln!(text, "    {:<32} {}", "shards", number("/shards"));
    let sizes = process.figures["sizes"].as_array();
    let _ = writeln!(
        text,
        "    blocks of {:>8} {:>12} {:>10} {:>8} {:>6}",
        "bytes", "live", "", "slabs", "full"
    );
    for row in sizes.into_iter().flatten() {
        let of = |name: &str| row[name].as_u64().unwrap_or(0);
        let (bytes, objects) = (of("bytes"), of("objects"));
        let full = objects * 100 / of("room").max(1);
        let _ = writeln!(
            text,
            "    {:>18} {:>12} {:>10} {:>8} {full:>4} %",
            count(bytes as f64),
            count(objects as f64),
            size(bytes * objects),
            of("slabs"),
        );
    }
    text
}

pub(crate) fn size(value: u64) -> String {
    if value == 0 { "0".to_owned() } else { bytes(value as f64) }
}

pub(crate) fn short(command: &[String], longest: usize) -> String {
    let text = shell(command).replace(['\n', '\t'], " ");
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

//! What was recorded, for people.

use std::path::Path;

use recording::{Process, Unrecorded, unrecorded};
use show::number::{bytes, count, seconds};
use show::text::{many, visible, wrapped};
use trace::{About, Packed};

use crate::format::shell;

/// Where a line's text begins.
const INDENT: usize = "recorded  ".len();

pub(super) fn words(processes: &[Process], running: &[u32], folder: &Path) -> String {
    let mut text = String::new();
    let packed = processes.iter().filter_map(|process| match process {
        Process::Packed { packed, written } => Some((&**packed, *written)),
        Process::Running { .. } | Process::Failed { .. } => None,
    });
    let packed: Vec<_> = packed.collect();
    if let [(largest, written), others @ ..] = &packed[..] {
        text += &line("recorded", &one(largest, *written));
        if largest.path.parent() != Some(folder) {
            let place = largest.path.display();
            text += &line("", &format!("it could not be packed where it is, but to {place}"));
        }
        text += &self::others(others);
    }
    for process in processes {
        text += &match process {
            Process::Packed { packed, .. } => missing(&packed.about),
            Process::Running { .. } => String::new(),
            Process::Failed { file, why } => {
                let stopped = match trace::stopped(file) {
                    Some(reason) => format!("; what came later is missing: {reason}"),
                    None => String::new(),
                };
                line(
                    "failed",
                    &format!(
                        "{} stays as it is: {why}{stopped}. On a disk with room, a copy of it can be explained",
                        file.display()
                    ),
                )
            }
        };
    }
    for Unrecorded { process, program } in unrecorded(processes) {
        text += &line(
            "missing",
            &format!(
                "what process {process} became, {}: it was started without the recorder's variables (su -, sudo, env -i), or \
                 is static, set-uid or a script's interpreter of that kind",
                visible(&program)
            ),
        );
    }
    if !running.is_empty() {
        let all: Vec<_> = running.iter().map(u32::to_string).collect();
        let who = if all.len() == 1 { "process" } else { "processes" };
        text += &line(
            "running",
            &format!(
                "{who} {}, recorded on: explain what comes when that has ended",
                all.join(", ")
            ),
        );
    }
    if processes.is_empty() {
        return text
            + &line(
                "nothing",
                "was recorded: no process with the recorder called malloc, or the folder is gone",
            );
    }
    if packed.is_empty() {
        return text;
    }
    let folder = folder.to_string_lossy().into_owned();
    let here = std::env::current_dir().unwrap_or_default();
    let folder = match Path::new(&folder).strip_prefix(&here) {
        Ok(inside) if inside.components().next().is_some() => inside.display().to_string(),
        _ => folder,
    };
    for (head, command) in [("next", "explain"), ("", "replay")] {
        let words = ["heapwright".to_owned(), command.to_owned(), folder.clone()];
        text += &line(head, &shell(&words));
    }
    text
}

fn others(others: &[(&Packed, u64)]) -> String {
    let Some((first, _)) = others.first() else { return String::new() };
    let first = format!("{} (process {})", name(&first.about), first.about.pid);
    let events = count(others.iter().map(|(packed, _)| packed.about.events).sum::<u64>() as f64);
    let text = match others.len() {
        1 => format!("and another process: {events} events, {first}"),
        n => format!("and {n} other processes: {events} events, the most of {first}"),
    };
    line("", &text)
}

fn name(about: &About) -> String {
    visible(about.exe.rsplit('/').next().unwrap_or_default()).into_owned()
}

/// With fewer events a file is mostly its heads.
const FEW: u64 = 10_000;

fn one(packed: &Packed, written: u64) -> String {
    let about = &packed.about;
    let text = format!(
        "{} (process {}): {} events of {} in {}, on {}; {} written, {} packed",
        name(about),
        about.pid,
        count(about.events as f64),
        many(about.threads.len(), "thread"),
        seconds(about.duration as f64 / 1e9),
        visible(&about.malloc.name),
        bytes(written as f64),
        bytes(packed.bytes as f64),
    );
    if about.events < FEW {
        return text;
    }
    let each = |bytes: u64| bytes as f64 / about.events as f64;
    format!("{text}: {:.1} and {:.1} bytes an event", each(written), each(packed.bytes))
}

fn places(count: u64, word: &str) -> String {
    many(count.try_into().unwrap_or(usize::MAX), word)
}

fn missing(about: &About) -> String {
    let mut parts = Vec::new();
    let stopped = about.notes.iter().find_map(|note| note.strip_prefix("stopped="));
    if let Some(why) = stopped {
        parts.push(format!("what came later: {why}"));
    }
    let lost = &about.missing;
    if lost.dropped > 0 {
        parts.push(format!("{} events of signal handlers", count(lost.dropped as f64)));
    }
    if lost.chunks > 0 {
        parts.push(format!("{} of 64 KiB that made room", places(lost.chunks, "part")));
    }
    if about.notes.iter().any(|note| note.starts_with("stacks_full=")) {
        parts.push("call stacks that were new when there were too many".to_owned());
    }
    if lost.damaged > 0 {
        parts.push(format!("{} that cannot be read", places(lost.damaged, "place")));
    }
    if parts.is_empty() {
        return String::new();
    }
    line("missing", &format!("of process {}: {}", about.pid, parts.join("; ")))
}

fn line(head: &str, text: &str) -> String {
    let width = show::text::width();
    format!("{head:INDENT$}{}\n", wrapped(text, INDENT, width))
}

//! What was recorded, for people.
//!
//! ```text
//! recorded  python3.11 (process 12): 4.86 M events of 1 thread in 1.20 s, on glibc
//!           15.2 MB as written, 3.1 bytes an event; packed 4.01 MB
//!           and 2 other processes
//! missing   …
//! next      heapwright explain DIR
//! ```

use std::path::Path;

use recording::Process;
use show::number::{bytes, count, seconds};
use show::text::{many, visible, wrapped};
use trace::{About, Packed};

use crate::format::shell;

/// Where a line's text begins.
const INDENT: usize = "recorded  ".len();
/// How many processes have a line.
const SHOWN: usize = 8;

pub(super) fn words(processes: &[Process], folder: &Path) -> String {
    let mut text = String::new();
    let (mut others, mut events) = (0, 0);
    let mut heads = ["recorded"].into_iter();
    for process in processes {
        if let Process::Packed { packed, written } = process {
            let Some(head) = heads.next().or((others < SHOWN).then_some("")) else {
                (others, events) = (others + 1, events + packed.about.events);
                continue;
            };
            others += usize::from(head.is_empty());
            text += &line(head, &one(packed, *written));
        }
    }
    if others > SHOWN {
        let more = many(others - SHOWN, "other process").replace("processs", "processes");
        text += &line("", &format!("and {more} with {} events", count(events as f64)));
    }
    for process in processes {
        text += &match process {
            Process::Packed { packed, .. } => missing(&packed.about),
            Process::Running { file } => {
                line("running", &format!("its chunks stay until it ends: {}", file.display()))
            }
            Process::Failed { file, why } => {
                line("failed", &format!("{} stays as it is: {why}", file.display()))
            }
        };
    }
    if processes.is_empty() {
        return text
            + &line(
                "nothing",
                "was recorded: no process came so far as to load the recorder, or the folder was not there any more",
            );
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

/// One process.
fn one(packed: &Packed, written: u64) -> String {
    let about = &packed.about;
    let name = about.exe.rsplit('/').next().unwrap_or_default();
    format!(
        "{} (process {}): {} events of {} in {}, on {}; {} written, {:.1} bytes an event; {} packed, {:.1}",
        visible(name),
        about.pid,
        count(about.events as f64),
        many(about.threads.len(), "thread"),
        seconds(about.duration as f64 / 1e9),
        visible(&about.malloc.name),
        bytes(written as f64),
        each(written, about.events),
        bytes(packed.bytes as f64),
        each(packed.bytes, about.events),
    )
}

fn each(bytes: u64, events: u64) -> f64 {
    bytes as f64 / events.max(1) as f64
}

/// What of a process is not there.
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
        parts.push(format!("{} of 64 KiB that made room", many(lost.chunks as usize, "part")));
    }
    if lost.damaged > 0 {
        parts.push(format!("{} that cannot be read", many(lost.damaged as usize, "place")));
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

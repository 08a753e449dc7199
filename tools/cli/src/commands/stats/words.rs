//! The figures of a process that runs, for people.

use live::{Figures, Process};
use show::Table;

use crate::commands::run::words::{self, size as amount};
use crate::format::count;

/// The longest that a row shows of a command, and a title, which is of 80 columns then.
const COMMAND: usize = 48;
pub(super) const TITLE: usize = 32;

pub(super) fn one(figures: &Figures, full: bool) -> String {
    let process = &figures.process;
    let title = format!("{} (process {})", words::short(&process.command, TITLE), process.pid);
    match &figures.malloc {
        Some((name, version)) if figures.heap.is_some() => {
            words::running(&format!("{title}, {name} {version}"), live::json(figures), full)
        }
        _ => foreign(&title, figures),
    }
}

fn foreign(title: &str, figures: &Figures) -> String {
    let process = &figures.process;
    let mut text = format!(
        "heapwright: {title}\n  Resident {}; at its peak {}.\n",
        amount(process.resident),
        amount(process.peak)
    );
    for (name, value) in rows(process) {
        text += &format!("    {name:<32} {value:>10}\n");
    }
    text + &::show::text::wrapped(&format!("  {}", figures.help()), 2, ::show::text::width()) + "\n"
}

fn rows(process: &Process) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("of no file", amount(process.anonymous)),
        ("of files", amount(process.files)),
        ("shared", amount(process.shared)),
        ("swapped out", amount(process.swapped)),
    ];
    rows.extend(process.huge_pages.map(|bytes| ("in huge pages", amount(bytes))));
    rows.extend([
        ("threads", count(process.threads as f64)),
        ("page faults", count(process.faults[0] as f64)),
        ("page faults that waited for a disk", count(process.faults[1] as f64)),
    ]);
    rows
}

pub(super) fn list(seen: &[Figures]) -> String {
    let mut table = Table::new(["PID", "resident", "live", "kept", "free", "malloc", "command"]);
    for figures in seen {
        let heap = figures.heap.as_ref();
        let of = |value: fn(&live::Heap) -> u64| {
            heap.map_or_else(|| "–".to_owned(), |heap| amount(value(heap)))
        };
        table.row([
            figures.process.pid.to_string(),
            amount(figures.process.resident),
            of(|heap| heap.live),
            of(|heap| heap.kept),
            of(|heap| heap.fragmented + heap.dirty),
            figures.malloc.as_ref().map_or_else(String::new, |(name, _)| name.clone()),
            words::short(&figures.process.command, COMMAND),
        ]);
    }
    table.has_text = true;
    table.text(::show::text::width())
}

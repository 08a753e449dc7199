//! The heap of a running process as lines: how much, how fast, where, in which sizes, and since when.

mod map;
mod sizes;

use std::collections::VecDeque;

use show::number::{bytes, percent, short};
use show::text::{cut, visible};
use view::{Ink, KeyCode, KeyEvent, LEVELS, Line, flowed};

use crate::heap::Heap;
use crate::look::Figures;
use crate::rates::Rates;

/// Moments that are remembered: more than any terminal is wide.
const REMEMBERED: usize = 512;
const LABEL: usize = 13;
/// Rows that a page key passes.
const PAGE: usize = 8;

/// What has the middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Middle {
    #[default]
    Both,
    Map,
    Sizes,
    /// A text instead of both.
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Order {
    /// Those first that waste most.
    #[default]
    Free,
    Live,
    Size,
}

#[derive(Debug, Default)]
pub struct State {
    middle: Middle,
    order: Order,
    /// The first row of the map or the sizes.
    top: usize,
    /// Cells are 2 to this power as large as those that fit; below 0 smaller.
    zoom: i32,
    pub inked: bool,
    /// What is shown instead of map and sizes.
    text: String,
    /// What the last key did, or what became of the process.
    pub said: String,
    /// Seconds between two looks.
    pub every: f64,
    /// Resident and live, by look.
    past: VecDeque<[u64; 2]>,
    rates: Option<Rates>,
    last: Option<Figures>,
}

const HELP: [&str; 13] = [
    "tab           map and sizes; map alone; sizes alone",
    "w             of a process that is profiled: which code live blocks come from",
    "f             the order of sizes: most free first, most live first, by size",
    "+ -           smaller cells and more rows; larger cells and fewer",
    "↑ ↓  k j      other rows, where not all fit",
    "space         pause; once more: go on",
    "s             write all figures to a file, as JSON",
    "?             this help",
    "q  esc        quit; the process goes on",
    "",
    "A cell is a range of addresses: the height of its bar is the share that is live,",
    "its colour the size of most of its blocks. Figures are read while the process",
    "runs, and may be off by what moves meanwhile.",
];
const KEYS: &str = "tab map/sizes  w sites  f order  +- zoom  ↑↓ rows  s save  ? help  q quit";
const FEW_KEYS: &str = "tab w f +- s ? q";

impl State {
    pub fn see(&mut self, figures: Figures) {
        self.rates = self.last.as_ref().map(|last| Rates::between(last, &figures));
        let live = figures.heap.as_ref().map_or(0, |heap| heap.live);
        if self.past.len() == REMEMBERED {
            self.past.pop_front();
        }
        self.past.push_back([figures.process.resident, live]);
        self.last = Some(figures);
    }

    pub fn last(&self) -> Option<&Figures> {
        self.last.as_ref()
    }

    pub fn line(&self) -> String {
        self.last.as_ref().map_or_else(String::new, |figures| line(figures, self.rates.as_ref()))
    }

    /// What a key does that changes only what is shown. `false`: it is another's.
    pub fn press(&mut self, key: KeyEvent) -> bool {
        match key.code {
            KeyCode::Tab => self.turn(),
            KeyCode::Char('f') => self.reorder(),
            KeyCode::Char('+' | '=') => self.zoom -= 1,
            KeyCode::Char('-') => self.zoom += 1,
            KeyCode::Up | KeyCode::Char('k') => self.top = self.top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.top += 1,
            KeyCode::PageUp => self.top = self.top.saturating_sub(PAGE),
            KeyCode::PageDown => self.top += PAGE,
            KeyCode::Home => self.top = 0,
            KeyCode::Char('?') if self.middle != Middle::Text => self.tell(HELP.join("\n")),
            KeyCode::Char('?') | KeyCode::Esc if self.middle == Middle::Text => self.turn(),
            _ => return false,
        }
        true
    }

    fn turn(&mut self) {
        self.top = 0;
        self.middle = match self.middle {
            Middle::Both => Middle::Map,
            Middle::Map => Middle::Sizes,
            Middle::Sizes | Middle::Text => Middle::Both,
        };
    }

    /// Shows a text instead of map and sizes, until a key brings them back.
    pub fn tell(&mut self, text: String) {
        (self.text, self.middle, self.top) = (text, Middle::Text, 0);
    }

    fn reorder(&mut self) {
        self.order = match self.order {
            Order::Free => Order::Live,
            Order::Live => Order::Size,
            Order::Size => Order::Free,
        };
    }

    /// As many lines as `height`, none wider than `width`.
    pub fn lines(&mut self, width: usize, height: usize) -> Vec<Line> {
        let Some(figures) = self.last.take() else { return vec![Line::default(); height] };
        let mut lines = head(&figures, self.rates.as_ref(), width);
        let curves = if height < 14 { Vec::new() } else { self.curves(width) };
        let said = usize::from(!self.said.is_empty());
        let below = curves.len() + said + 1;
        let high = height.saturating_sub(lines.len() + below);
        lines.extend(self.middle(&figures, width, high));
        lines.truncate(height.saturating_sub(below));
        lines.resize(height.saturating_sub(below), Line::default());
        lines.extend(curves);
        if said > 0 {
            lines.push(Line::of(&self.said, Ink::Strong));
        }
        lines.push(Line::of(if width < 78 { FEW_KEYS } else { KEYS }, Ink::Mute));
        lines.truncate(height);
        self.last = Some(figures);
        lines.into_iter().map(|line| line.cut(width)).collect()
    }

    fn middle(&mut self, figures: &Figures, width: usize, high: usize) -> Vec<Line> {
        if self.middle == Middle::Text {
            self.top = self.top.min(self.text.lines().count().saturating_sub(high));
            let rows = self.text.lines().skip(self.top).take(high);
            return rows.map(|line| Line::of(&visible(line), Ink::Plain)).collect();
        }
        let Some(heap) = &figures.heap else { return foreign(figures, width) };
        match self.middle {
            Middle::Sizes => self.sizes(heap, high),
            Middle::Map => self.map(heap, width, high),
            Middle::Both | Middle::Text => {
                let rows = (high / 2).min(heap.sizes.len() + 1).max(3);
                let top = core::mem::take(&mut self.top);
                let sizes = self.sizes(heap, rows);
                self.top = top;
                let mut lines = self.map(heap, width, high.saturating_sub(rows + 1));
                lines.push(Line::default());
                lines.extend(sizes);
                lines
            }
        }
    }

    fn curves(&self, width: usize) -> Vec<Line> {
        let columns = width.saturating_sub(LABEL + 12).max(4);
        let skipped = self.past.len().saturating_sub(columns);
        let most = self
            .past
            .iter()
            .skip(skipped)
            .map(|past| past[0].max(past[1]))
            .max()
            .unwrap_or(0)
            .max(1);
        let seconds = (self.past.len() - skipped) as f64 * self.every;
        let curve = |label: &str, which: usize, ink| {
            let mut line = Line::of(&format!("{label:<LABEL$}"), Ink::Mute);
            let bar = |past: &[u64; 2]| LEVELS[(past[which] * 7 / most).min(7) as usize];
            line.put(&self.past.iter().skip(skipped).map(bar).collect::<String>(), ink);
            line
        };
        let mut resident = curve("resident", 0, Ink::Plain);
        resident.put(&format!(" {}", bytes(most as f64)), Ink::Mute);
        let mut live = curve("live", 1, Ink::Live);
        live.put(&format!(" {} s", short(seconds)), Ink::Mute);
        vec![resident, live]
    }
}

fn amount(value: u64) -> String {
    if value == 0 { "0".to_owned() } else { bytes(value as f64) }
}

fn head(figures: &Figures, rates: Option<&Rates>, width: usize) -> Vec<Line> {
    let process = &figures.process;
    let malloc = figures.malloc.as_ref().map_or_else(
        || "not on heapwright's malloc".to_owned(),
        |(name, version)| format!("{name} {version}"),
    );
    let after = format!(" (process {}), {malloc}", process.pid);
    let room = width.saturating_sub(after.chars().count()).max(10);
    let title = cut(&visible(&process.command.join(" ")), room) + &after;
    let mut amounts = vec![format!(
        "resident {} (peak {})",
        bytes(process.resident as f64),
        bytes(process.peak as f64)
    )];
    let mut speeds = vec![format!("threads {}", process.threads)];
    if let Some(heap) = &figures.heap {
        amounts.extend([
            format!("live {}", amount(heap.live)),
            format!("kept by threads {}", amount(heap.kept)),
            format!("free in slabs {}", amount(heap.fragmented)),
            format!("free {}", amount(heap.dirty)),
        ]);
    }
    if process.swapped > 0 {
        amounts.push(format!("swapped {}", amount(process.swapped)));
    }
    if let Some(rates) = rates {
        speeds.extend([
            format!("cpu {}", percent(rates.cpu)),
            format!("faults {}/s", short(rates.faults)),
        ]);
        if rates.disk_faults > 0.0 {
            speeds.push(format!("from disk {}/s", short(rates.disk_faults)));
        }
        if figures.heap.is_some() {
            let sign = if rates.grown < 0.0 { "−" } else { "+" };
            speeds.extend([
                format!("live {sign}{}/s", amount(rates.grown.abs() as u64)),
                format!("given back {}/s", amount(rates.given_back as u64)),
                format!("refills {}/s", short(rates.refills)),
                format!("flushes {}/s", short(rates.flushes)),
            ]);
        }
    }
    let mut lines = vec![Line::of(&title, Ink::Strong)];
    for parts in [amounts, speeds] {
        let parts = parts.iter().map(|part| Line::of(part, Ink::Plain)).collect();
        lines.extend(flowed(parts, width));
    }
    lines
}

/// What [`State::line`] says, in the same columns.
pub const COLUMNS: &str =
    "  resident       live  by threads   in slabs       free   faults/s   cpu   refills/s";

fn line(figures: &Figures, rates: Option<&Rates>) -> String {
    let heap = figures.heap.as_ref();
    let of =
        |value: fn(&Heap) -> u64| heap.map_or_else(|| "–".to_owned(), |heap| amount(value(heap)));
    let rate = |value: fn(&Rates) -> f64| {
        rates.map_or_else(|| "–".to_owned(), |rates| short(value(rates)))
    };
    format!(
        "{:>10} {:>10} {:>11} {:>10} {:>10} {:>10} {:>5} {:>11}",
        amount(figures.process.resident),
        of(|heap| heap.live),
        of(|heap| heap.kept),
        of(|heap| heap.fragmented),
        of(|heap| heap.dirty),
        rate(|rates| rates.faults),
        rates.map_or_else(|| "–".to_owned(), |rates| percent(rates.cpu)),
        rate(|rates| rates.refills),
    )
}

/// What is known of a process whose malloc shows nothing, and what would help.
fn foreign(figures: &Figures, width: usize) -> Vec<Line> {
    let process = &figures.process;
    let rows = [
        ("resident, of no file", process.anonymous),
        ("of files", process.files),
        ("shared", process.shared),
        ("swapped out", process.swapped),
    ];
    let mut lines = vec![Line::default()];
    for (name, value) in rows {
        lines.push(Line::of(&format!("  {name:<24} {:>10}", amount(value)), Ink::Plain));
    }
    lines.push(Line::default());
    for line in show::text::wrapped(&figures.help(), 0, Some(width)).lines() {
        lines.push(Line::of(line, Ink::Mute));
    }
    lines
}

#[cfg(test)]
mod tests;

//! The blocks: a character for each stretch of addresses, whose height says how much is live, and its ink in which sizes.

use show::number::bytes;
use view::{Ink, LEVELS, Line, SIZE_NAMES, flowed, of_size};

use super::{LABEL, State};
use crate::blocks::{Kind, Map};
use crate::heap::Heap;

const NUMBERS: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7", "8"];

impl State {
    pub(super) fn map(&mut self, heap: &Heap, width: usize, high: usize) -> Vec<Line> {
        let mut key = key(self.inked, width);
        if high < 6 {
            key.truncate(0);
        }
        let rows = high.saturating_sub(1 + key.len());
        let columns = (width.saturating_sub(LABEL)).max(8);
        let cells = Cells::of(&heap.map, columns * rows.max(1), &mut self.zoom);
        let all = cells.cells.len().div_ceil(columns);
        self.top = self.top.min(all.saturating_sub(rows));
        let mut title = format!("a cell is {}", bytes(cells.bytes as f64));
        if all > rows {
            title += &format!("; rows {} to {} of {all}", self.top + 1, (self.top + rows).min(all));
        }
        if heap.unsettled > 0 {
            title += &format!(
                "; {} changed while it was read",
                bytes((heap.unsettled * heap.map.granule) as f64)
            );
        }
        let mut lines = vec![Line::of(&title, Ink::Mute)];
        for (number, row) in cells.cells.chunks(columns).enumerate().skip(self.top).take(rows) {
            let address = heap.map.start + (number * columns) as u64 * cells.bytes;
            let mut line = Line::of(&format!("{address:012x} "), Ink::Mute);
            for cell in row {
                let (text, ink) = cell.drawn(self.inked);
                line.put(text, ink);
            }
            lines.push(line);
        }
        lines.extend(key);
        lines
    }
}

/// What heights and inks say.
fn key(inked: bool, width: usize) -> Vec<Line> {
    let mut parts = vec![Line::of(
        if inked {
            "▁ hardly used █ full · free _ kept"
        } else {
            "1–8 by size, · free, _ kept"
        },
        Ink::Mute,
    )];
    for (class, name) in SIZE_NAMES.iter().enumerate() {
        let mut part = Line::of(if inked { "█" } else { NUMBERS[class] }, Ink::Class(class as u8));
        part.put(" ", Ink::Plain);
        part.put(name, Ink::Plain);
        parts.push(part);
    }
    flowed(parts, width)
}

/// One character's stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    ours: bool,
    kept: bool,
    /// Costs memory without being live.
    dirty: bool,
    fill: u8,
    class: u8,
}

impl Cell {
    fn drawn(self, inked: bool) -> (&'static str, Ink) {
        match self {
            Self { ours: false, .. } => (" ", Ink::Plain),
            Self { fill: 1.., class, .. } if inked => {
                (LEVELS[usize::from(self.fill) * 8 / 256], Ink::Class(class))
            }
            Self { fill: 1.., class, .. } => (NUMBERS[usize::from(class) % 8], Ink::Class(class)),
            Self { kept: true, .. } => ("_", Ink::Mute),
            Self { dirty: true, .. } => ("·", Ink::Plain),
            _ => (" ", Ink::Plain),
        }
    }
}

struct Cells {
    cells: Vec<Cell>,
    bytes: u64,
}

impl Cells {
    /// Cells of equal stretches, as many as fit if nothing is zoomed.
    fn of(map: &Map, room: usize, zoom: &mut i32) -> Self {
        let granules = map.kinds.len();
        let fitting = granules.div_ceil(room.max(1)).max(1).next_power_of_two();
        let fitting = fitting.trailing_zeros() as i32;
        *zoom = (*zoom).clamp(-fitting, 20);
        let each = 1usize << (fitting + *zoom).clamp(0, 30);
        let stretches = map.kinds.chunks(each).zip(map.fills.chunks(each));
        Self {
            cells: stretches.map(|(kinds, fills)| cell(map, kinds, fills)).collect(),
            bytes: each as u64 * map.granule,
        }
    }
}

/// Many granules as one cell: its class is that of most live bytes.
fn cell(map: &Map, kinds: &[Kind], fills: &[u8]) -> Cell {
    let mut by_class = [0u64; 8];
    let mut sum = 0;
    for (kind, &fill) in kinds.iter().zip(fills) {
        let class = match kind {
            Kind::Slab(class) => {
                map.sizes.get(usize::from(*class)).map_or(7, |size| of_size(*size))
            }
            _ => 7,
        };
        by_class[usize::from(class)] += u64::from(fill);
        sum += u64::from(fill);
    }
    let most = by_class.iter().enumerate().rev().max_by_key(|(_, fill)| **fill);
    Cell {
        ours: kinds.iter().any(|kind| *kind != Kind::Nothing),
        kept: kinds.contains(&Kind::Kept),
        dirty: kinds.contains(&Kind::Dirty)
            || kinds.iter().any(|kind| matches!(kind, Kind::Slab(_))),
        // Anything at all is seen.
        fill: (sum / kinds.len().max(1) as u64).max(u64::from(sum > 0)) as u8,
        class: most.map_or(0, |(class, _)| class as u8),
    }
}

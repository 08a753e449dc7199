//! The heap: a character for each cell, whose height says how full it is, and its ink or number of which class.

use core::ops::Range;

use super::ink::{Ink, Line, flowed};
use super::words::class_name;
use super::{Form, words};
use crate::cells::{FULL, Shade};
use crate::class::{self, By, CLASSES};
use crate::pictures::{Frame, Pictures};
use crate::rows::{Rows, Spot};

/// The address in front of a row.
pub(crate) const LABEL: usize = 13;
/// Rows that follow each other have the address at each of so many.
const EACH: usize = 8;
/// Said where the heap would be.
pub(crate) const NO_ADDRESSES: &str = "The recording has no addresses.";
/// Bars by how full a cell is.
pub const LEVELS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const NUMBERS: [&str; CLASSES] = ["1", "2", "3", "4", "5", "6", "7", "8"];

/// Some of the rows.
pub(crate) fn heap(
    pictures: &Pictures,
    frame: &Frame,
    rows: &Rows,
    range: Range<usize>,
    by: By,
    form: Form,
) -> Vec<Line> {
    if pictures.touched.is_empty() {
        let none = if pictures.no_addresses { NO_ADDRESSES } else { "Nothing was allocated." };
        return vec![Line::of(none, Ink::Mute)];
    }
    let mut since = 0;
    let line = |(row, spots): (usize, Vec<Spot>)| {
        let (address, follows) = rows.address(row);
        since = if follows && row > range.start { since + 1 } else { 0 };
        let label = match since % EACH {
            0 => format!("{address:012x} "),
            _ => " ".repeat(LABEL),
        };
        let mut line = Line::of(&label, Ink::Mute);
        for spot in spots {
            let (text, ink) = drawn(spot, frame, by, form);
            line.put(text, ink);
        }
        line
    };
    range.clone().zip(rows.at(frame, range.clone())).map(line).collect()
}

fn drawn(spot: Spot, frame: &Frame, by: By, form: Form) -> (&'static str, Ink) {
    match spot {
        Spot::Never => (" ", Ink::Plain),
        Spot::Free => ("·", Ink::Mute),
        Spot::Held(shade) => {
            let class = class_of(&shade, frame, by);
            let text = match form {
                Form::Gauge | Form::Height => LEVELS[level(shade.fill, LEVELS.len())],
                Form::Number => NUMBERS[usize::from(class)],
            };
            (text, Ink::Class(class))
        }
    }
}

/// Which of so many levels it is full to; the lowest is for anything at all.
pub(crate) fn level(fill: u16, levels: usize) -> usize {
    (usize::from(fill) * levels / (usize::from(FULL) + 1)).min(levels - 1)
}

/// The class that the cell is coloured by.
pub(crate) fn class_of(shade: &Shade, frame: &Frame, by: By) -> u8 {
    match by {
        By::Size => shade.size,
        By::Age => class::of_age(frame.time.saturating_sub(shade.born)),
        By::Thread => shade.group,
        By::Site => shade.site,
    }
}

/// What heights and inks say.
pub(crate) fn key(pictures: &Pictures, by: By, form: Form, width: usize) -> Vec<Line> {
    let height = match form {
        Form::Gauge | Form::Height => "▁ hardly used  ▄ half  █ full  · free, was used",
        Form::Number => "· free, was used",
    };
    let heights = words::paragraph(height, Ink::Mute, width);
    if form == Form::Height {
        return heights;
    }
    let mut parts: Vec<Line> = Vec::new();
    let what = match by {
        By::Size => "most bytes in blocks of",
        By::Age => "there for, on average",
        By::Thread => "most bytes allocated by",
        By::Site => "most bytes allocated in",
    };
    parts.push(Line::of(what, Ink::Mute));
    for (class, number) in NUMBERS.into_iter().enumerate() {
        let name = class_name(pictures, by, class);
        if name.is_empty() {
            continue;
        }
        let sign = if form == Form::Gauge { "█" } else { number };
        let mut part = Line::of(sign, Ink::Class(class as u8));
        part.put(" ", Ink::Plain);
        part.put(&symbols::fitted(name, (width / 2).saturating_sub(4).max(16)), Ink::Plain);
        parts.push(part);
    }
    let mut lines = flowed(parts, width);
    lines.extend(heights);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::testing::gathered;

    #[test]
    fn heights_and_numbers() {
        let pictures = gathered(&[(0x10000, 4096), (0x11000, 2048), (0x12000, 16)]);
        let frame = pictures.frames.last().unwrap();
        let rows = Rows::new(&pictures, 12, 4);
        let text = |form| {
            let drawn = heap(&pictures, frame, &rows, 0..1, By::Size, form);
            drawn.iter().map(Line::plain).collect::<Vec<_>>()
        };
        assert_eq!(text(Form::Gauge), ["000000010000 █▄▁"]);
        assert_eq!(text(Form::Number), ["000000010000 651"]);
    }

    #[test]
    fn anything_at_all_is_seen_and_only_full_is_full() {
        assert_eq!([1, FULL / 2, FULL - 1, FULL].map(|fill| level(fill, 8)), [0, 3, 7, 7]);
    }
}

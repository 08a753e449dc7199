//! Heaps of the same program on several allocators, in cells of one size and with the same inks: beside each other, or below where
//! lines are short.

use core::ops::Range;

use show::number::{bytes, percent};
use show::text::cut;

use super::heap::{LABEL, heap};
use super::ink::{Ink, Line};
use super::{Form, words};
use crate::class::By;
use crate::pictures::Pictures;
use crate::rows::Rows;

/// Between two heaps.
const GAP: usize = 2;
/// 2 to this many cells of a row are the fewest with which heaps stand beside each other.
const FEWEST: u32 = 4;

/// Where the heaps stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    /// 2 to this many cells in a row.
    pub(crate) columns: u32,
    /// Rows that each has place for.
    pub(crate) high: usize,
    /// Columns of a line that each has, where they stand beside each other.
    beside: Option<usize>,
}

impl Grid {
    /// For so many heaps in lines of this width, `high` of them.
    pub(crate) fn of(sides: usize, width: usize, high: usize) -> Self {
        let columns = |width: usize| width.saturating_sub(LABEL).max(8).ilog2();
        if sides <= 1 {
            return Self { columns: columns(width), high: high.max(1), beside: None };
        }
        let each = (width + GAP) / sides;
        if each >= LABEL + (1 << FEWEST) + GAP {
            let each = each - GAP;
            let high = high.saturating_sub(1).max(1);
            return Self { columns: columns(each), high, beside: Some(each) };
        }
        let high = (high / sides).saturating_sub(1).max(1);
        Self { columns: columns(width), high, beside: None }
    }

    /// The rows of all, in the smallest cells with which they fit.
    pub(crate) fn fitting(&self, pictures: &Pictures) -> u32 {
        let shift = |side: &Pictures| Rows::fitting(side, self.columns, self.high).shift;
        pictures.sides().map(shift).max().unwrap_or_default()
    }

    /// The rows of all, in cells of 2 to `shift` bytes.
    pub(crate) fn rows(&self, pictures: &Pictures, shift: u32) -> Vec<Rows> {
        pictures.sides().map(|side| Rows::new(side, shift, self.columns)).collect()
    }

    /// All heaps at a moment, of the rows of each those in `range`.
    pub(crate) fn draw(
        &self,
        pictures: &Pictures,
        at: usize,
        rows: &[Rows],
        range: Range<usize>,
        by: By,
        form: Form,
    ) -> Vec<Line> {
        let one = |(side, rows): (&Pictures, &Rows)| {
            let range = range.start.min(rows.len())..range.end.min(rows.len());
            heap(side, &side.frames[at], rows, range, by, form)
        };
        let mut drawn: Vec<Vec<Line>> = pictures.sides().zip(rows).map(one).collect();
        if drawn.len() == 1 {
            return drawn.remove(0);
        }
        let width = self.beside.unwrap_or(LABEL + (1 << self.columns));
        for (side, lines) in pictures.sides().zip(&mut drawn) {
            lines.insert(0, Line::of(&caption(side, at, width), Ink::Strong));
        }
        let Some(each) = self.beside else { return drawn.concat() };
        let high = drawn.iter().map(Vec::len).max().unwrap_or(0);
        (0..high).map(|line| beside(&drawn, line, each)).collect()
    }
}

fn beside(drawn: &[Vec<Line>], line: usize, each: usize) -> Line {
    let mut all = Line::default();
    for (number, lines) in drawn.iter().enumerate() {
        let from = number * (each + GAP);
        let blank = from.saturating_sub(all.width());
        all.put(&" ".repeat(blank), Ink::Plain);
        if let Some(line) = lines.get(line) {
            all.append(line.clone().cut(each));
        }
    }
    all
}

/// Which malloc, how much it holds, and what of that is live. Of a long name some is left out.
pub(crate) fn caption(side: &Pictures, at: usize, width: usize) -> String {
    let figures = figures(side, at);
    let room = width.saturating_sub(figures.chars().count() + 2).max(6);
    format!("{}: {figures}", cut(&side.name, room))
}

/// `21.3 MiB, 38 % of it live`.
pub(crate) fn figures(side: &Pictures, at: usize) -> String {
    let frame = &side.frames[at];
    match frame.resident {
        None => format!("{} live", bytes(frame.live as f64)),
        Some(resident) if resident >= frame.live => format!(
            "{}, {} of it live",
            bytes(resident as f64),
            percent(frame.live as f64 / resident.max(1) as f64)
        ),
        // Blocks that were not touched yet.
        Some(resident) => {
            format!("{}, {} live", bytes(resident as f64), bytes(frame.live as f64))
        }
    }
}

/// What the captions' figures are.
pub(crate) fn about(pictures: &Pictures, width: usize) -> Vec<Line> {
    if pictures.beside.is_empty() {
        return Vec::new();
    }
    words::paragraph("resident above the start, and what of it is live", Ink::Mute, width)
}

//! Pictures as lines of text, with inks or without: the same for a pipe and for a terminal.

mod curve;
mod heap;
mod ink;
mod marks;
mod sides;
mod sites;
mod tables;
mod words;

use crate::class::By;
use crate::pictures::Pictures;
use crate::rows::Rows;
pub(crate) use curve::curve;
use heap::LABEL;
pub use heap::LEVELS;
pub(crate) use heap::{NO_ADDRESSES, class_of, key, level};
pub use ink::{Ink, Line, flowed};
pub(crate) use sides::{Grid, figures};
pub(crate) use sites::{rows as site_rows, sites, title as sites_title};
pub(crate) use tables::{lifetimes, pairs, share, sizes};
pub(crate) use words::{class_name, headline, scale, sentence};

/// Lines are no wider where nobody says how wide they may be.
const WIDTH: usize = 100;
/// A heap is no wider.
const WIDEST: usize = 240;
/// The rows of a heap and of a curve between other text.
const ROWS: usize = 32;
const CURVE: usize = 7;

/// Titles of tables.
pub(crate) const LIFETIMES: &str = "Size × lifetime, % of all blocks";
pub(crate) const PAIRS: &str = "Allocated by (rows) × freed by (columns), % of all blocks";

/// How the cells of a heap are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// How full they are; the ink says the class.
    Gauge,
    /// How full they are, without ink.
    Height,
    /// The number of their class.
    Number,
}

/// All pictures as text without inks. By `by` cells have numbers; without it they say how full they are.
pub fn plain(pictures: &Pictures, by: Option<By>, width: Option<usize>) -> String {
    let form = if by.is_some() { Form::Number } else { Form::Height };
    all(pictures, by.unwrap_or_default(), form, width)
        .iter()
        .map(|line| line.plain() + "\n")
        .collect()
}

/// The same with a terminal's inks.
pub fn ansi(pictures: &Pictures, by: By, width: Option<usize>) -> String {
    all(pictures, by, Form::Gauge, width).iter().map(|line| line.ansi() + "\n").collect()
}

fn all(pictures: &Pictures, by: By, form: Form, width: Option<usize>) -> Vec<Line> {
    let width = width.unwrap_or(WIDTH).max(40);
    let frame = &pictures.frames[pictures.asked];
    let grid = Grid::of(1 + pictures.beside.len(), width.min(WIDEST), ROWS);
    let rows = grid.rows(pictures, grid.fitting(pictures));
    let most = rows.iter().map(Rows::len).max().unwrap_or(0);
    let mut lines = words::paragraph(&pictures.title, Ink::Strong, width);
    lines.extend(words::paragraph(&sentence(pictures, pictures.asked), Ink::Plain, width));
    for missing in &pictures.missing {
        lines.extend(words::paragraph(missing, Ink::Mute, width));
    }
    let part = |lines: &mut Vec<Line>, title: &str, drawn: Vec<Line>| {
        lines.push(Line::default());
        lines.extend(words::paragraph(title, Ink::Strong, width));
        lines.extend(drawn);
    };
    part(&mut lines, "Live and resident memory over time", curve(pictures, frame, width, CURVE));
    let heaps = grid.draw(pictures, pictures.asked, &rows, 0..grid.high, by, form);
    if most == 0 {
        part(&mut lines, "The heap", heaps);
    } else {
        let scale = scale(&rows[0]);
        let heading = format!("The heap: {scale}; rows that were never used are left out");
        part(&mut lines, &heading, heaps);
        if let Some(rest) = most.checked_sub(grid.high).filter(|rest| *rest > 0) {
            lines.push(Line::of(&format!("{}{rest} more rows", " ".repeat(LABEL)), Ink::Mute));
        }
        lines.extend(sides::about(pictures, width));
        lines.extend(key(pictures, by, form, width));
    }
    if pictures.has_sites() {
        part(&mut lines, sites_title(pictures), sites(pictures, pictures.asked, width));
    }
    part(&mut lines, "Blocks by size", sizes(pictures, width));
    part(&mut lines, LIFETIMES, lifetimes(pictures));
    part(&mut lines, PAIRS, pairs(pictures, width));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::testing::{beside, gathered};

    #[test]
    fn nothing_that_moves_a_cursor_and_nothing_too_wide() {
        let mut pictures = gathered(&[(0x1000, 64), (0x2000, 4096), (0x7f00_0000_0000, 1 << 20)]);
        pictures.title = "evil\x1b]0;x\x07 program".to_owned();
        let blocks = [(0x1000, 64), (0x2000, 4096), (0x7f00_0000, 1 << 20)];
        for pictures in [&pictures, &beside(&blocks, 1), &beside(&blocks, 3)] {
            for width in [40, 80, 200] {
                for by in [None, Some(By::Size), Some(By::Age), Some(By::Thread)] {
                    let text = plain(pictures, by, Some(width));
                    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
                    let widest = text.lines().map(|line| line.chars().count()).max();
                    assert!(widest <= Some(width.max(80)), "{widest:?} of {width}:\n{text}");
                }
            }
        }
        let inked = ansi(&pictures, By::Size, Some(80));
        assert!(inked.contains("\x1b[") && !inked.contains("\x1b]"), "{inked}");
    }

    #[test]
    fn sites_stand_below_the_heap() {
        let pictures = crate::gather::testing::with_stacks();
        for width in [40, 80, 200] {
            for by in [None, Some(By::Site)] {
                let text = plain(&pictures, by, Some(width));
                assert!(text.lines().all(|line| line.chars().count() <= width.max(80)), "{text}");
                let mut rows =
                    text.lines().filter(|row| row.ends_with("copy < parse (app.cpp:11)"));
                assert!(width < 80 || rows.any(|row| row.contains("97.7 KiB")), "{text}");
            }
        }
        assert!(!plain(&gathered(&[(0x1000, 64)]), None, None).contains("Live by site"));
    }

    #[test]
    fn a_recording_of_nothing_is_said() {
        let text = plain(&gathered(&[]), None, None);
        assert!(text.contains("0 B"), "{text}");
    }
}

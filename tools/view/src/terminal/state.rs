//! What is shown, and what each key makes of it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::class::By;
use crate::draw::Grid;
use crate::pictures::Pictures;
use crate::rows::Rows;

/// Moments that a page key passes.
const PAGE: usize = 10;

/// What has the middle of the screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Middle {
    #[default]
    Heap,
    Sites,
    Lifetimes,
    Pairs,
    Help,
}

/// What is shown.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The moment.
    pub(super) at: usize,
    pub(super) by: By,
    pub(super) middle: Middle,
    /// The first row that is shown.
    pub(super) top: usize,
    /// Cells are 2 to this power times as large as those that fit the screen; below 0 they are smaller.
    pub(super) zoom: i32,
    pub(super) inked: bool,
    pub(super) plays: bool,
    pub(super) is_over: bool,
    /// The rows of the last screen, of each heap, and where they stood.
    pub(super) rows: Option<(Vec<Rows>, Grid)>,
}

impl State {
    pub(super) fn new(pictures: &Pictures, by: By, inked: bool) -> Self {
        Self { at: pictures.asked, by, inked, ..Self::default() }
    }

    /// The time of a moment has passed while nobody pressed a key.
    pub(super) fn tick(&mut self, pictures: &Pictures) {
        if self.plays {
            self.at += 1;
            self.plays = self.at + 1 < pictures.moments();
        }
    }

    pub(super) fn press(&mut self, pictures: &Pictures, key: KeyEvent) {
        let last = pictures.moments() - 1;
        let page = if key.modifiers.contains(KeyModifiers::SHIFT) { PAGE } else { 1 };
        let plays = core::mem::take(&mut self.plays);
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                self.is_over = true;
            }
            KeyCode::Char('q') => self.is_over = true,
            KeyCode::Esc if self.middle == Middle::Heap => self.is_over = true,
            KeyCode::Esc => self.middle = Middle::Heap,
            KeyCode::Left | KeyCode::Char('h') => self.at = self.at.saturating_sub(page),
            KeyCode::Right | KeyCode::Char('l') => self.at = (self.at + page).min(last),
            KeyCode::PageUp => self.at = self.at.saturating_sub(PAGE),
            KeyCode::PageDown => self.at = (self.at + PAGE).min(last),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = last,
            KeyCode::Char('p') => self.at = pictures.peak,
            KeyCode::Char(' ') => {
                self.plays = !plays;
                self.at = if self.at == last { 0 } else { self.at };
            }
            KeyCode::Char('m') => self.at = next_mark(pictures, self.at, last),
            KeyCode::Char('c') => {
                let next = self.by.next();
                self.by = if pictures.colours().any(|by| by == next) { next } else { next.next() };
            }
            KeyCode::Char('+' | '=') => self.zoom(-1),
            KeyCode::Char('-') => self.zoom(1),
            KeyCode::Up | KeyCode::Char('k') => self.scroll(false),
            KeyCode::Down | KeyCode::Char('j') => self.scroll(true),
            KeyCode::Tab => {
                self.middle = match self.middle {
                    Middle::Heap if pictures.has_sites() => Middle::Sites,
                    Middle::Heap | Middle::Sites => Middle::Lifetimes,
                    Middle::Lifetimes => Middle::Pairs,
                    Middle::Pairs | Middle::Help => Middle::Heap,
                }
            }
            KeyCode::Char('?') if self.middle == Middle::Help => self.middle = Middle::Heap,
            KeyCode::Char('?') => self.middle = Middle::Help,
            _ => self.plays = plays,
        }
    }

    /// The rows for a screen of this size. The address at the top stays there when cells grow or shrink.
    pub(super) fn rows(&mut self, pictures: &Pictures, grid: Grid) {
        let fitting = grid.fitting(pictures);
        // Beyond one row, and below the cells that were gathered, there is nothing more to see.
        let gathered = pictures.sides().map(|side| side.shift).max().unwrap_or_default();
        let least = gathered as i32 - fitting as i32;
        self.zoom = self.zoom.clamp(least, 63 - grid.columns as i32 - fitting as i32);
        let shift = fitting.saturating_add_signed(self.zoom);
        let known = self.rows.take().filter(|(_, was)| *was == grid);
        let rows = match known {
            Some((rows, _)) if rows.iter().all(|one| one.shift == shift) => rows,
            _ => grid.rows(pictures, shift),
        };
        self.top = self.top.min(most(&rows).saturating_sub(grid.high));
        self.rows = Some((rows, grid));
    }

    fn zoom(&mut self, by: i32) {
        self.zoom += by;
        // Half as many rows, or twice as many: about the same addresses.
        self.top = if by > 0 { self.top / 2 } else { self.top * 2 };
    }

    fn scroll(&mut self, down: bool) {
        let by = self.rows.as_ref().map_or(1, |(_, grid)| (grid.high / 4).max(1));
        self.top = if down { self.top + by } else { self.top.saturating_sub(by) };
    }
}

/// The first moment behind this one at which another mark has been made; behind the last mark the first moment.
fn next_mark(pictures: &Pictures, at: usize, last: usize) -> usize {
    let frames = &pictures.frames;
    let mut ticks = pictures.marks.ticks.iter().map(|(time, _)| *time);
    ticks
        .find(|time| *time > frames[at].time)
        .map_or(0, |time| frames.partition_point(|frame| frame.time < time).max(at + 1).min(last))
}

/// How many rows the heap with most of them has.
pub(super) fn most(rows: &[Rows]) -> usize {
    rows.iter().map(Rows::len).max().unwrap_or(0)
}

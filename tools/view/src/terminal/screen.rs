//! The screen of a state: as many lines as the terminal has, none of them wider.
//!
//! ```text
//! which program                                   head
//! at which moment, how much
//! heap, or a table, or help                       what is left
//! what the colours mean                           key
//! live and resident over time, ▲ the moment       curve
//! ←→ moment  c colour  ? help  q quit             keys
//! ```

use super::state::{Middle, State, most};
use crate::draw::{self, Form, Grid, Ink, Line};
use crate::pictures::Pictures;

const HELP: [&str; 13] = [
    "← →  h l        a moment back, a moment on; with shift ten of them",
    "PgUp PgDn       ten moments back, ten on",
    "Home End        the first moment, the last",
    "p               the peak of live memory",
    "m               the next mark of the program",
    "space           play; once more: stop",
    "c               what colours say: size, age, thread, site",
    "+ -             smaller cells and more rows; larger cells and fewer",
    "↑ ↓  k j        other rows, where not all fit",
    "tab             heap; live by site; size × lifetime; who allocated × freed",
    "?               this help",
    "q  esc          quit",
    "A cell is a range of addresses; the height of its bar says how full it is.",
];
const KEYS: &str = "←→ moment  p peak  c colour  +- zoom  ↑↓ rows  tab tables  ? help  q quit";
const FEW_KEYS: &str = "←→ c +- tab ? q";

impl State {
    pub(super) fn screen(&mut self, pictures: &Pictures, width: usize, height: usize) -> Vec<Line> {
        let frame = &pictures.frames[self.at];
        let mut lines = vec![
            Line::of(&pictures.title, Ink::Strong),
            Line::of(&draw::sentence(pictures, self.at), Ink::Plain),
        ];
        let form = if self.inked { Form::Gauge } else { Form::Number };
        let key = match self.middle {
            Middle::Heap => draw::key(pictures, self.by, form, width),
            _ => Vec::new(),
        };
        let curve = match height {
            0..16 => Vec::new(),
            16..28 => draw::curve(pictures, frame, width, 3),
            _ => draw::curve(pictures, frame, width, 6),
        };
        let below = key.len() + curve.len() + 1;
        let high = height.saturating_sub(lines.len() + below);
        lines.extend(self.middle(pictures, width, high));
        lines.truncate(height.saturating_sub(below));
        lines.resize(height.saturating_sub(below), Line::default());
        lines.extend(key);
        lines.extend(curve);
        lines.push(Line::of(if width < 76 { FEW_KEYS } else { KEYS }, Ink::Mute));
        lines.truncate(height);
        lines.into_iter().map(|line| line.cut(width)).collect()
    }

    fn middle(&mut self, pictures: &Pictures, width: usize, high: usize) -> Vec<Line> {
        let (title, lines) = match self.middle {
            Middle::Help => return HELP.map(|line| Line::of(line, Ink::Plain)).into(),
            Middle::Heap => return self.heap(pictures, width, high),
            Middle::Sites => (draw::sites_title(pictures), draw::sites(pictures, self.at, width)),
            Middle::Lifetimes => (draw::LIFETIMES, draw::lifetimes(pictures)),
            Middle::Pairs => (draw::PAIRS, draw::pairs(pictures, width)),
        };
        [vec![Line::of(title, Ink::Strong)], lines].concat()
    }

    fn heap(&mut self, pictures: &Pictures, width: usize, high: usize) -> Vec<Line> {
        let (by, form) = (self.by, if self.inked { Form::Gauge } else { Form::Number });
        let grid = Grid::of(1 + pictures.beside.len(), width, high.saturating_sub(1));
        self.rows(pictures, grid);
        let Some((rows, _)) = &self.rows else { return Vec::new() };
        let (all, scale) = (most(rows), draw::scale(&rows[0]));
        let range = self.top..all.min(self.top + grid.high);
        let mut title = Line::of(&scale, Ink::Mute);
        if all > range.len() {
            let (first, last) = (range.start + 1, range.end);
            title = Line::of(&format!("rows {first} to {last} of {all}; "), Ink::Plain);
            title.append(Line::of(&scale, Ink::Mute));
        }
        if rows.len() > 1 {
            title.put("; above the start: resident, and what of it is live", Ink::Mute);
        }
        [vec![title], grid.draw(pictures, self.at, rows, range, by, form)].concat()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::class::By;
    use crate::gather::testing::{beside, gathered};

    fn pressed(state: &mut State, pictures: &Pictures, keys: &[KeyCode]) {
        for &code in keys {
            state.press(pictures, KeyEvent::new(code, KeyModifiers::NONE));
        }
    }

    fn pictures() -> Pictures {
        let blocks: Vec<(u64, u64)> = (0..4000).map(|i| (i * 5000, 1000 + i % 3000)).collect();
        gathered(&blocks)
    }

    #[test]
    fn every_screen_fits_its_terminal() {
        let pictures = pictures();
        let keys = [
            KeyCode::Tab,
            KeyCode::Tab,
            KeyCode::Char('?'),
            KeyCode::Esc,
            KeyCode::Char('+'),
            KeyCode::Char('+'),
            KeyCode::Down,
            KeyCode::Char('-'),
            KeyCode::Char('c'),
        ];
        let blocks: Vec<(u64, u64)> = (0..4000).map(|i| (i * 5000, 1000)).collect();
        for pictures in [pictures, beside(&blocks, 1), beside(&blocks, 3)] {
            for (width, height) in [(80, 24), (1, 1), (20, 5), (40, 16), (200, 60), (0, 0)] {
                for inked in [false, true] {
                    let mut state = State::new(&pictures, By::Size, inked);
                    for key in keys {
                        pressed(&mut state, &pictures, &[key]);
                        let screen = state.screen(&pictures, width, height);
                        assert_eq!(screen.len(), height, "{width}×{height} {key:?}");
                        assert!(screen.iter().all(|line| line.width() <= width), "{screen:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn heaps_beside_each_other_have_cells_of_one_size_and_move_together() {
        let blocks: Vec<(u64, u64)> = (0..300).map(|i| (i * 5000, 1000)).collect();
        let pictures = beside(&blocks, 1);
        let mut state = State::new(&pictures, By::Size, false);
        let screen = state.screen(&pictures, 80, 24);
        let text: Vec<String> = screen.iter().map(Line::plain).collect();
        assert!(text[3].starts_with(": ") || text[3].contains("live  "), "{text:#?}");
        assert!(text[3].ends_with("50 % of it live"), "{text:#?}");
        let shifts = state.rows.as_ref().map(|(rows, _)| rows.iter().map(|r| r.shift).collect());
        let shifts: Vec<u32> = shifts.unwrap();
        assert!(shifts.len() == 2 && shifts[0] == shifts[1], "{shifts:?}");
        pressed(&mut state, &pictures, &[KeyCode::Home]);
        let first = state.screen(&pictures, 80, 24);
        assert!(first[3].plain().ends_with("of it live"), "{first:?}");
        assert_ne!(first[4..12], screen[4..12]);
    }

    #[test]
    fn keys_move_in_time_and_stop_at_the_ends() {
        let pictures = pictures();
        let last = pictures.moments() - 1;
        let mut state = State::new(&pictures, By::Size, true);
        assert_eq!(state.at, pictures.asked);
        pressed(&mut state, &pictures, &[KeyCode::Home, KeyCode::Left, KeyCode::Right]);
        assert_eq!(state.at, 1);
        pressed(&mut state, &pictures, &[KeyCode::End, KeyCode::Right, KeyCode::PageUp]);
        assert_eq!(state.at, last - 10);
        pressed(&mut state, &pictures, &[KeyCode::Char('p')]);
        assert_eq!(state.at, pictures.peak);
        pressed(&mut state, &pictures, &[KeyCode::Home, KeyCode::Char(' ')]);
        (0..1000).for_each(|_| state.tick(&pictures));
        assert_eq!((state.at, state.plays), (last, false), "what is played ends at the end");
        let mut marked = pictures;
        let time = marked.frames[last / 2].time;
        marked.marks.ticks = vec![(time - 1, 0), (time, 0), (time + 1, 0)];
        state.at = 0;
        pressed(&mut state, &marked, &[KeyCode::Char('m')]);
        assert_eq!(state.at, last / 2);
        pressed(&mut state, &marked, &[KeyCode::Char('m')]);
        assert_eq!(state.at, last / 2 + 1);
        pressed(&mut state, &marked, &[KeyCode::Char('m')]);
        assert_eq!(state.at, 0, "behind the last one it begins again");
        pressed(&mut state, &marked, &[KeyCode::Char('q')]);
        assert!(state.is_over);
    }

    #[test]
    fn smaller_cells_need_more_rows_and_there_is_an_end_to_it() {
        let pictures = pictures();
        let mut state = State::new(&pictures, By::Size, true);
        let shift = |state: &mut State, key| {
            pressed(state, &pictures, &[key]);
            state.screen(&pictures, 80, 24);
            state.rows.as_ref().map(|(rows, _)| (rows[0].shift, rows[0].len())).unwrap()
        };
        let (larger, few) = shift(&mut state, KeyCode::Char('-'));
        let (smaller, many) = shift(&mut state, KeyCode::Char('+'));
        assert!(smaller + 1 == larger && many > few, "{smaller} {larger} {many} {few}");
        (0..100).for_each(|_| pressed(&mut state, &pictures, &[KeyCode::Char('+')]));
        assert_eq!(shift(&mut state, KeyCode::Char('+')).0, pictures.shift);
        (0..100).for_each(|_| pressed(&mut state, &pictures, &[KeyCode::Char('-')]));
        assert_eq!(shift(&mut state, KeyCode::Down).1, 1);
    }
}

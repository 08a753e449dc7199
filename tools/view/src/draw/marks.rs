//! The program's marks below a curve: a tick where each was made, its name where there is room, and all names where not all fit.
//!
//! ```text
//! ╵load            ╵serve  ╵╵ ╵╵ ╵╵╵ ╵
//! ╵ marks:  load  serve  request (1,024 times)
//! ```

use show::number::count;
use show::text::{cut, visible};

use super::ink::{Ink, Line, flowed};
use crate::pictures::Pictures;

/// The lines below a curve of so many columns that begins behind `left` blanks; none if there is no mark.
pub(super) fn marks(
    pictures: &Pictures,
    column: &dyn Fn(u64) -> usize,
    columns: usize,
    left: usize,
) -> Vec<Line> {
    let marks = &pictures.marks;
    if marks.ticks.is_empty() {
        return Vec::new();
    }
    let mut text = vec![' '; columns];
    let places: Vec<(usize, usize)> =
        marks.ticks.iter().map(|(time, name)| (column(*time), *name)).collect();
    let mut named = vec![false; marks.names.len()];
    for (number, &(at, name)) in places.iter().enumerate() {
        text[at] = '╵';
        let next = places[number + 1..].iter().map(|place| place.0).next().unwrap_or(columns);
        let name_is = visible(&marks.names[name].name).into_owned();
        if at + name_is.chars().count() + 1 < next.saturating_add(usize::from(next == columns)) {
            named[name] = true;
            text.iter_mut().skip(at + 1).zip(name_is.chars()).for_each(|(to, c)| *to = c);
        }
    }
    let text: String = text.iter().collect();
    let mut lines = vec![Line::of(&text, Ink::Plain).indented(left)];
    if named.contains(&false) || marks.names.iter().any(|name| name.times > 1) {
        let mut parts = vec![Line::of("╵ marks:", Ink::Mute)];
        parts.extend(marks.names.iter().map(|name| match name.times {
            1 => Line::of(&cut(&name.name, columns), Ink::Mute),
            n => {
                let times = format!(" ({} times)", count(n as f64));
                Line::of(
                    &(cut(&name.name, columns.saturating_sub(times.len())) + &times),
                    Ink::Mute,
                )
            }
        }));
        lines.extend(flowed(parts, columns).into_iter().map(|line| line.indented(left)));
    }
    lines
}

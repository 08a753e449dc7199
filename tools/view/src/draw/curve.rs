//! Live memory as an area over time, what was resident as a line above it, and where the moment is.

use show::number::bytes;
use show::text::cut;

use super::ink::{Ink, Line, flowed};
use super::marks::marks;
use super::words::time;
use crate::curve::Point;
use crate::pictures::{Frame, Pictures};

const LABEL: usize = 10;
/// A curve of fewer lines is a low one.
const LOW: usize = 4;
/// A name is no longer.
const LONGEST: usize = 32;
/// The lines of what is resident, by side.
const LINES: [(&str, Ink); 4] =
    [("─", Ink::Plain), ("╌", Ink::Class(7)), ("┈", Ink::Class(3)), ("═", Ink::Class(5))];
const LEVELS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// The curve, `height` lines high, and below it a line that points at the moment.
pub(crate) fn curve(pictures: &Pictures, frame: &Frame, width: usize, height: usize) -> Vec<Line> {
    let columns = width.saturating_sub(LABEL + 1).max(10);
    let column = |time: u64| {
        let share = u128::from(time) * columns as u128 / u128::from(pictures.duration.max(1));
        (share as usize).min(columns - 1)
    };
    let over = |side: &Pictures, of: fn(&Point) -> Option<u64>| {
        let mut values = vec![None; columns];
        for point in &side.curve {
            let value = &mut values[column(point.time)];
            *value = of(point).max(*value);
        }
        carried(&mut values);
        values
    };
    let live = over(pictures, |point| Some(point.live));
    // A recording alone is told as the system tells it, beside replays as what malloc has of it.
    let of = if pictures.beside.is_empty() { |p: &Point| p.resident } else { |p: &Point| p.held };
    let sides: Vec<Vec<Option<u64>>> = pictures.sides().map(|side| over(side, of)).collect();
    let most = live.iter().chain(sides.iter().flatten()).flatten().max().copied();
    let most = most.unwrap_or(0).max(1);
    // In eighths of a line.
    let eighths = |value: u64| {
        let drawn = (u128::from(value) * (height as u128 * 8) / u128::from(most)) as usize;
        // Anything at all is seen.
        drawn.max(usize::from(value > 0))
    };
    let mut lines = Vec::with_capacity(height + 2);
    for line in (0..height).rev() {
        let label = match line {
            _ if line + 1 == height => bytes(most as f64),
            0 => "0".to_owned(),
            _ => String::new(),
        };
        let mut drawn = Line::of(&format!("{label:>LABEL$} "), Ink::Mute);
        for at in 0..columns {
            let filled = live[at].map_or(0, eighths).saturating_sub(line * 8).min(8);
            let is_here =
                |value: Option<u64>| value.map(|v| eighths(v).saturating_sub(1) / 8) == Some(line);
            let here = sides.iter().zip(LINES).rfind(|(side, _)| is_here(side[at]));
            match here.filter(|_| filled == 0) {
                Some((_, (sign, ink))) => drawn.put(sign, ink),
                None => drawn.put(LEVELS[filled], Ink::Live),
            }
        }
        lines.push(drawn);
    }
    lines.push(pointer(pictures, column(frame.time), frame, columns));
    // A low curve has no room for a list of names.
    let most = if height < LOW { 1 } else { usize::MAX };
    lines.extend(marks(pictures, &column, columns, LABEL + 1).into_iter().take(most));
    let mut parts = vec![Line::of("█", Ink::Live)];
    parts[0].put(" live", Ink::Mute);
    for ((side, values), (sign, ink)) in pictures.sides().zip(&sides).zip(LINES) {
        if values.iter().any(Option::is_some) {
            let mut part = Line::of(sign, ink);
            let name = if sides.len() == 1 { "resident" } else { &side.name };
            part.put(&format!(" {}", cut(name, columns.saturating_sub(2).min(LONGEST))), Ink::Mute);
            parts.push(part);
        }
    }
    if sides.len() > 1 {
        parts.push(Line::of("(resident above the start)", Ink::Mute));
    }
    lines.extend(flowed(parts, columns).into_iter().map(|line| line.indented(LABEL + 1)));
    lines
}

/// Where nothing happened, all is as it was.
fn carried(values: &mut [Option<u64>]) {
    let mut last = None;
    for value in values {
        last = value.or(last);
        *value = last;
    }
}

/// `0 s    ▲ 12.3 s      30.1 s`, or near the end `0 s      29.8 s ▲`.
fn pointer(pictures: &Pictures, at: usize, frame: &Frame, columns: usize) -> Line {
    let mut text: Vec<char> = vec![' '; columns];
    let mut put = |at: usize, words: &str| {
        let len = words.chars().count();
        let at = at.min(columns.saturating_sub(len));
        text.iter_mut().skip(at).zip(words.chars()).for_each(|(to, c)| *to = c);
    };
    let end = time(pictures.duration);
    put(0, "0 s");
    put(columns, &end);
    // Where they would touch, the moment stands alone.
    let label = format!("▲ {} ", time(frame.time));
    let len = label.chars().count();
    if at + len + end.chars().count() <= columns {
        put(at, &label);
    } else {
        put(columns, &" ".repeat(end.chars().count() + 1));
        put((at + 2).saturating_sub(len), &format!(" {} ▲", time(frame.time)));
    }
    Line::of(&text.iter().collect::<String>(), Ink::Plain).indented(LABEL + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::{Op, Step};

    use crate::gather::testing::gathered;
    use crate::gather::{Gather, Plan};

    #[test]
    fn a_growing_heap_rises() {
        let blocks: Vec<(u64, u64)> = (0..100).map(|i| (i << 12, 1024)).collect();
        let pictures = gathered(&blocks);
        let lines = curve(&pictures, &pictures.frames[100], 61, 4);
        let text: Vec<String> = lines.iter().map(Line::plain).collect();
        assert!(text[0].starts_with("   100 KiB "), "{text:#?}");
        assert_eq!(text[0].chars().last(), Some('█'));
        assert!(text[3].matches('█').count() > text[0].matches('█').count() + 20);
        assert_eq!(text[4].chars().nth(LABEL + 1 + 25), Some('▲'), "{text:#?}");
        assert!(text.iter().all(|line| line.chars().count() <= 61));
    }

    #[test]
    fn marks_stand_below_with_their_names_where_there_is_room() {
        let mut gather = Gather::new(Plan { duration: 1000, ..Plan::default() });
        for (time, name) in [(0, "load"), (500, "serve"), (510, "re\x1bquest"), (520, "serve")] {
            gather.push(&Step { time, thread: 0, op: Op::Mark(name.to_owned()) });
        }
        let pictures = gather.finish();
        let lines = curve(&pictures, &pictures.frames[0], 61, 4);
        let text: Vec<String> = lines.iter().map(Line::plain).collect();
        let blank = " ".repeat(LABEL + 1);
        assert_eq!(text[5], format!("{blank}╵load{}╵╵serve", " ".repeat(20)));
        assert_eq!(text[6], format!("{blank}╵ marks:  load  serve (2 times)  re\\u{{1b}}quest"));
    }
}

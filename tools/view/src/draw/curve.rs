//! Live memory as an area over time, what was resident as a line above it, and where the moment is.

use show::number::bytes;

use super::ink::{Ink, Line};
use super::words::time;
use crate::pictures::{Frame, Pictures};

const LABEL: usize = 10;
const LEVELS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// The curve, `height` lines high, and below it a line that points at the moment.
pub(crate) fn curve(pictures: &Pictures, frame: &Frame, width: usize, height: usize) -> Vec<Line> {
    let columns = width.saturating_sub(LABEL + 1).max(10);
    let column = |time: u64| {
        let share = u128::from(time) * columns as u128 / u128::from(pictures.duration.max(1));
        (share as usize).min(columns - 1)
    };
    let (mut live, mut resident) = (vec![None::<u64>; columns], vec![None::<u64>; columns]);
    for point in &pictures.curve {
        let at = column(point.time);
        live[at] = live[at].max(Some(point.live));
        resident[at] = resident[at].max(point.resident);
    }
    carried(&mut live);
    carried(&mut resident);
    let most = live.iter().chain(&resident).flatten().max().copied().unwrap_or(0).max(1);
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
            let above = resident[at].map(|value| eighths(value).saturating_sub(1) / 8);
            if filled == 0 && above == Some(line) {
                drawn.put("─", Ink::Plain);
            } else {
                drawn.put(LEVELS[filled], Ink::Live);
            }
        }
        lines.push(drawn);
    }
    lines.push(pointer(pictures, column(frame.time), frame, columns));
    let mut what = Line::of(&" ".repeat(LABEL + 1), Ink::Plain);
    what.put("█", Ink::Live);
    what.put(" live", Ink::Mute);
    if resident.iter().any(Option::is_some) {
        what.put("  ─ resident", Ink::Mute);
    }
    lines.push(what);
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
    let mut line = Line::of(&" ".repeat(LABEL + 1), Ink::Plain);
    line.put(&text.iter().collect::<String>(), Ink::Plain);
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gather::testing::gathered;

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
}

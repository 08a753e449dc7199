//! What is said beside the pictures.

use show::number::{bytes, count, percent, seconds};
use show::text::wrapped;

use super::ink::{Ink, Line};
use crate::class::{AGE_NAMES, By, SIZE_NAMES};
use crate::pictures::Pictures;
use crate::rows::Rows;

/// Text in lines of this width.
pub(super) fn paragraph(text: &str, ink: Ink, width: usize) -> Vec<Line> {
    wrapped(text, 0, Some(width)).lines().map(|line| Line::of(line, ink)).collect()
}

/// The result in one line.
pub(crate) fn headline(pictures: &Pictures) -> String {
    let peak = &pictures.frames[pictures.peak];
    format!(
        "{} live at the peak, after {} of {}",
        bytes(peak.live as f64),
        time(peak.time),
        time(pictures.duration)
    )
}

/// Which moment it is.
pub(crate) fn moment(pictures: &Pictures, at: usize) -> String {
    let frame = &pictures.frames[at];
    let which = match at {
        _ if at == pictures.peak => "When most was live, ",
        _ if at + 1 == pictures.frames.len() => "At the end, ",
        _ => "After ",
    };
    let mark = pictures.marks.before(frame.time);
    let mark = mark.map_or_else(String::new, |name| format!(", behind the mark '{name}'"));
    format!("{which}{} of {}{mark}", time(frame.time), time(pictures.duration))
}

/// What is there at a moment.
pub(crate) fn sentence(pictures: &Pictures, at: usize) -> String {
    let frame = &pictures.frames[at];
    let of = |part: u64, whole: u64| part as f64 / whole.max(1) as f64;
    let mut text = format!(
        "{}: {} live in {} blocks",
        moment(pictures, at),
        bytes(frame.live as f64),
        count(frame.blocks as f64)
    );
    if frame.held > 0 {
        text += &format!(
            "; the cells of {} that hold any of it are {} full",
            bytes((1u64 << frame.shift) as f64),
            percent(of(frame.live, frame.held))
        );
    }
    text
}

/// A time since the begin.
pub(crate) fn time(nanoseconds: u64) -> String {
    if nanoseconds == 0 { "0 s".to_owned() } else { seconds(nanoseconds as f64 / 1e9) }
}

/// What a cell and a row are.
pub(crate) fn scale(rows: &Rows) -> String {
    let cell = (1u64 << rows.shift) as f64;
    format!("a cell is {}, a row {}", bytes(cell), bytes(cell * rows.columns() as f64))
}

/// The name of a class of cells.
pub(crate) fn class_name(pictures: &Pictures, by: By, class: usize) -> &str {
    match by {
        By::Size => SIZE_NAMES[class],
        By::Age => AGE_NAMES[class],
        By::Thread => pictures.groups.names.get(class).map_or("", String::as_str),
        By::Site => pictures.sites.class_names.get(class).map_or("", String::as_str),
    }
}

//! Memory over time: what was live, what was resident on each side, and the marks of the program.

use serde::Serialize;
use show::number::{Unit, count};
use show::style::{Part, Style};
use show::{Ask, Chart, Kind, Line};

use super::seconds;
use crate::curve::Point;
use crate::pictures::Pictures;

/// Names of marks that are said; the others stand at their ticks.
const NAMES: usize = 6;

/// A side's curve for the script.
#[derive(Debug, Serialize)]
pub(super) struct Data<'a> {
    name: &'a str,
    /// Seconds, live, resident, and resident above the start.
    points: Vec<(f64, u64, Option<u64>, Option<u64>)>,
}

pub(super) fn data(side: &Pictures) -> Data<'_> {
    let points = side.curve.iter();
    let points = points.map(|p| (seconds(p.time), p.live, p.resident, p.held));
    Data { name: &side.name, points: points.collect() }
}

pub(super) fn about(pictures: &Pictures) -> String {
    let resident = match pictures.beside.is_empty() {
        true => "resident is what the process had in memory",
        false => {
            "the lines are what each allocator had resident above the start of the program, in the recording and in the replays"
        }
    };
    let mut text = format!(
        "Live is what the program had asked for and not freed; {resident}. A click moves the heap above to that moment."
    );
    let names = &pictures.marks.names;
    if !names.is_empty() {
        let named = names.iter().take(NAMES).map(|name| match name.times {
            1 => name.name.clone(),
            n => format!("{} ({} times)", name.name, count(n as f64)),
        });
        let named: Vec<String> = named.collect();
        let more = if names.len() > NAMES { " and others" } else { "" };
        text += &format!(" Dotted lines are marks of the program: {}{more}.", named.join(", "));
    }
    text
}

pub(super) fn draw(pictures: &Pictures) -> Option<String> {
    let live: Vec<(f64, f64)> =
        pictures.curve.iter().map(|p| (seconds(p.time), p.live as f64)).collect();
    let is_alone = pictures.beside.is_empty();
    let of: fn(&Point) -> Option<u64> = if is_alone { |p| p.resident } else { |p| p.held };
    let points = |side: &Pictures| -> Vec<(f64, f64)> {
        side.curve.iter().filter_map(|p| Some((seconds(p.time), of(p)? as f64))).collect()
    };
    let sides: Vec<Vec<(f64, f64)>> = pictures.sides().map(points).collect();
    let style = |number| match number {
        0 => Style::of(1, Part::Baseline),
        n => Style::of(1 + n, Part::Other(n - 1)),
    };
    let mut lines: Vec<Line<'_>> = pictures
        .sides()
        .zip(&sides)
        .enumerate()
        .map(|(number, (side, points))| Line {
            name: if is_alone { "resident" } else { &side.name },
            style: style(number),
            points,
        })
        .collect();
    if is_alone {
        lines.push(Line { name: "live", style: Style::of(0, Part::Ours), points: &live });
    }
    let ask = |label: &str, unit| Ask { label: label.to_owned(), kind: Kind::Even, unit };
    let (title, memory) = match is_alone {
        true => ("Live and resident memory", "memory"),
        false => ("Resident memory on each allocator", "memory above the start"),
    };
    let marks = &pictures.marks;
    let marks =
        marks.ticks.iter().map(|(at, name)| (seconds(*at), marks.names[*name].name.clone()));
    let chart = Chart {
        title: title.to_owned(),
        x: ask("time", Unit::Seconds),
        y: ask(memory, Unit::Bytes),
        lines,
        area: (!is_alone).then_some((&live[..], "grey: live")),
        marks: marks.collect(),
        by_x: false,
        is_wide: true,
        data: "data-curve=\"1\"".to_owned(),
    };
    chart.draw(700).map(|drawn| drawn.svg)
}

//! Every workload's time relative to the baseline: a panel each, a row an allocator, a marker with its interval.

use core::fmt::Write;

use bench::fail_if::Metric;
use bench::session::{SubjectIndex, WorkloadIndex};

use super::{Part, Placed, Plot, file_name};
use crate::view::{State, View};
use show::number::Unit;
use show::svg::{Anchor, Svg, name_width};
use show::text::cut;
use show::{Axis, Kind};

pub(super) const WIDTH: f64 = 400.0;
const ROW: f64 = 19.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 26.0;
pub(super) const LONGEST_NAME: usize = 16;
/// The axis spans this at least, so that noise does not look like a difference.
const LEAST_SPAN: (f64, f64) = (0.8, 1.25);

/// The panel of a workload; `None` where nobody was run.
pub(super) fn panel(view: &View<'_>, work: WorkloadIndex) -> Option<Placed> {
    let w = &view.report.workloads[work];
    let rows: Vec<(SubjectIndex, State<'_>)> =
        view.shown.iter().map(|&a| (a, view.state(work, a))).collect();
    if !rows.iter().any(|(_, state)| matches!(state, State::Ran(_))) {
        return None;
    }
    let left = left_of(view, rows.iter().map(|row| row.0));
    let right = 118.0;
    let ratios = rows.iter().filter_map(|(_, state)| match state {
        State::Ran(c) => c.time.and_then(|t| t.ratio),
        State::Not(_) => None,
    });
    let values =
        ratios.flat_map(|r| [r.estimate, r.low, r.high]).chain([LEAST_SPAN.0, LEAST_SPAN.1]);
    let axis =
        Axis::around(values, Kind::Decades, Unit::Ratio, (left, WIDTH - right))?.padded(0.03);

    let bottom = TOP + rows.len() as f64 * ROW;
    let mut svg = Svg::new(WIDTH, bottom + BOTTOM);
    svg.text((8.0, 17.0), Anchor::Start, 13.0, "ink", &cut(&w.name, 54));
    if let Some(noise) = w.noise_floor.filter(|n| n.is_finite() && *n > 0.0) {
        let (from, to) = (axis.at(1.0 / (1.0 + noise)), axis.at(1.0 + noise));
        svg.rect((from, TOP), (to - from, bottom - TOP), "band");
    }
    draw_axis(&mut svg, &axis, 6, (TOP, bottom));
    for (i, (a, state)) in rows.iter().enumerate() {
        let y = TOP + (i as f64 + 0.5) * ROW;
        let style = view.style(*a);
        let name = view.name(*a);
        svg.name((left - 8.0, y + 4.0), Anchor::End, style, &cut(name, LONGEST_NAME), name);
        let said = match state {
            State::Not(why) => why.short.clone(),
            State::Ran(cell) => {
                match cell.time.and_then(|t| t.ratio).filter(|r| r.estimate.is_finite()) {
                    Some(r) => {
                        let text = view.text(work, *a, Metric::Time);
                        svg.stroke((axis.at(r.low), y), (axis.at(r.high), y), style, 2.0, 1.0);
                        svg.marker(
                            (axis.at(r.estimate), y),
                            style,
                            if style.is_ours { 4.6 } else { 3.9 },
                            &format!("{name}: {text}"),
                        );
                        text
                    }
                    None if *a == view.baseline => {
                        svg.marker((axis.at(1.0), y), style, 4.6, name);
                        view.text(work, *a, Metric::Time)
                    }
                    None => match cell.other_work {
                        Some(_) => view.text(work, *a, Metric::Time),
                        None => "no ratio".to_owned(),
                    },
                }
            }
        };
        let class = if matches!(state, State::Ran(_)) { "ink" } else { "mute" };
        svg.text((WIDTH - right + 8.0, y + 4.0), Anchor::Start, 11.5, class, &cut(&said, 17));
    }
    let title = format!("{}: time relative to {}", w.name, view.name(view.baseline));
    let svg = svg.finish(&title, "");
    Some(Placed::new(Part::Time, Some(work), format!("time-{}", file_name(&w.name)), title, svg))
}

/// Where the axis begins: right of the names.
pub(super) fn left_of(view: &View<'_>, who: impl Iterator<Item = SubjectIndex>) -> f64 {
    let names = who.map(|a| name_width(&cut(view.name(a), LONGEST_NAME), view.style(a)));
    10.0 + names.fold(50.0, f64::max)
}

/// The grid of a panel with its numbers below, and the baseline's 1.
pub(super) fn draw_axis(svg: &mut Svg, axis: &Axis, most: usize, (top, bottom): (f64, f64)) {
    let ticks = axis.ticks(most);
    for v in &ticks {
        svg.line((axis.at(*v), top), (axis.at(*v), bottom), "grid");
    }
    for v in &axis.labelled(&ticks, 11.5) {
        svg.text((axis.at(*v), bottom + 16.0), Anchor::Middle, 11.5, "mute", &Unit::Ratio.tick(*v));
    }
    svg.line((axis.at(1.0), top), (axis.at(1.0), bottom), "axis");
}

/// All panels in one picture, in two columns.
pub(super) fn together(name: &str, title: &str, panels: &[&Plot]) -> Option<Plot> {
    let heights: Vec<f64> = panels.iter().map(|p| height_of(&p.svg)).collect();
    let mut columns = [30.0_f64; 2];
    let mut body = String::new();
    for (panel, height) in panels.iter().zip(&heights) {
        let column = usize::from(columns[1] < columns[0]);
        let x = column as f64 * (WIDTH + 20.0);
        let nested =
            panel.svg.replacen("<svg ", &format!("<svg x=\"{x}\" y=\"{}\" ", columns[column]), 1);
        // Writing to a string does not fail.
        let _ = write!(body, "{nested}");
        columns[column] += height + 12.0;
    }
    if panels.is_empty() {
        return None;
    }
    let mut svg = Svg::new(2.0 * WIDTH + 20.0, columns[0].max(columns[1]));
    svg.text((8.0, 19.0), Anchor::Start, 13.0, "ink", title);
    svg.raw(&body);
    Some(Plot { name: name.to_owned(), title: title.to_owned(), svg: svg.finish(title, "") })
}

fn height_of(svg: &str) -> f64 {
    let after = |text: &str| text.split_once(" height=\"").map(|(_, rest)| rest.to_owned());
    after(svg).and_then(|rest| rest.split('"').next().and_then(|h| h.parse().ok())).unwrap_or(200.0)
}

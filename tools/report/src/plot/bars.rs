//! A workload as the text that it is from shows it: a bar for each allocator, and a second one for the text's own figure.
//!
//! ```text
//! tlsf            ████████ 0.90               times the baseline's, here
//!                 ▒▒▒▒▒▒▒▒▒ 0.97              and in the text
//! list-worst-fit  ███████████████████▶ 41
//! ```
//!
//! The axis ends at [`LONGEST`] times the baseline's: beyond that a bar is cut, and its number says how long it is.

use bench::session::{SubjectIndex, WorkloadIndex};
use show::number::{Unit, ratio};
use show::svg::{Anchor, Svg};
use show::text::cut;
use show::{Axis, Kind};

use super::dots::{LONGEST_NAME, WIDTH, draw_axis, left_of};
use super::{Part, Placed, file_name};
use crate::tables::beside_text;
use crate::view::View;

/// Of an allocator: two bars.
const ROW: f64 = 26.0;
const BAR: f64 = 9.0;
const TOP: f64 = 42.0;
const BOTTOM: f64 = 24.0;
const NUMBERS: f64 = 58.0;
const LONGEST: f64 = 5.0;

/// The bars of a workload; `None` where its text says nothing of who took part.
pub(super) fn bars(view: &View<'_>, work: WorkloadIndex) -> Option<Placed> {
    let w = &view.report.workloads[work];
    let rows: Vec<(SubjectIndex, _)> =
        view.shown.iter().filter_map(|&a| Some((a, beside_text(view, work, a)?))).collect();
    // The baseline is 1 in both.
    if rows.iter().filter(|(_, row)| row.text.is_some()).count() < 2 {
        return None;
    }
    let left = left_of(view, rows.iter().map(|row| row.0));
    let values = rows.iter().flat_map(|(_, row)| [row.here, row.text]).flatten();
    let values = values.map(|v| v.min(LONGEST)).chain([0.0, 1.0]);
    let axis = Axis::around(values, Kind::Even, Unit::Ratio, (left, WIDTH - NUMBERS))?;
    let bottom = TOP + rows.len() as f64 * ROW;
    let mut svg = Svg::new(WIDTH, bottom + BOTTOM);
    svg.text((8.0, 17.0), Anchor::Start, 13.0, "ink", &cut(&w.name, 54));
    let how = format!("time ÷ {}'s; grey: in the text", view.name(view.baseline));
    svg.text((8.0, 33.0), Anchor::Start, 11.5, "mute", &how);
    draw_axis(&mut svg, &axis, 5, (TOP, bottom));
    for (i, (a, row)) in rows.iter().enumerate() {
        let y = TOP + (i as f64 + 0.5) * ROW;
        let (style, name) = (view.style(*a), view.name(*a));
        svg.name((left - 8.0, y + 4.0), Anchor::End, style, &cut(name, LONGEST_NAME), name);
        let upper = y - BAR / 2.0 - 0.5;
        match row.here {
            Some(here) => {
                svg.stroke((left, upper), (axis.at(here), upper), style, BAR, 1.0);
                put_number(&mut svg, &axis, here, upper, "ink");
            }
            None => svg.text((left + 4.0, upper + 4.0), Anchor::Start, 11.0, "mute", &row.why),
        }
        let lower = y + BAR / 2.0 + 0.5;
        if let Some(text) = row.text {
            svg.rect((left, lower - BAR / 2.0), (axis.at(text) - left, BAR), "live");
            put_number(&mut svg, &axis, text, lower, "mute");
        }
    }
    let title =
        format!("{}: time relative to {}, here and in the text", w.name, view.name(view.baseline));
    let svg = svg.finish(&title, "");
    Some(Placed::new(Part::Text, Some(work), format!("text-{}", file_name(&w.name)), title, svg))
}

/// Behind the bar's end; of one that is cut with an arrow.
fn put_number(svg: &mut Svg, axis: &Axis, value: f64, y: f64, class: &str) {
    let arrow = if value > axis.high { "▶ " } else { "" };
    svg.text(
        (axis.at(value) + 4.0, y + 3.5),
        Anchor::Start,
        10.5,
        class,
        &format!("{arrow}{}", ratio(value)),
    );
}

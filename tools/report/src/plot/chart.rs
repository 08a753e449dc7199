//! A chart of lines with the names at their ends.
//!
//! The page's script finds the plotted range in the first tag's attributes and each line's allocator in `data-a`, and
//! so can read values off and zoom.

use core::fmt::Write;

use crate::axis::{Axis, Kind};
use crate::format::{Unit, cut};
use crate::style::Style;
use crate::svg::{Anchor, Svg, width_of};

const WIDTH: f64 = 400.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 44.0;
const LABEL: f64 = 13.5;
const LONGEST_NAME: usize = 15;

/// One axis as it is asked for.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    pub(super) label: String,
    pub(super) kind: Kind,
    pub(super) unit: Unit,
}

/// One line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) style: Style,
    pub(super) points: &'a [(f64, f64)],
}

/// Lines over two axes.
#[derive(Debug)]
pub(super) struct Chart<'a> {
    pub(super) title: String,
    pub(super) x: Ask,
    pub(super) y: Ask,
    pub(super) lines: Vec<Line<'a>>,
    /// Drawn behind the lines, down to 0.
    pub(super) area: Option<(&'a [(f64, f64)], &'static str)>,
    /// The names stand in the order in which the lines end from left to right, not by height: for lines that end at the
    /// bottom.
    pub(super) by_x: bool,
    /// Attributes for the script.
    pub(super) data: String,
}

impl Chart<'_> {
    /// The picture with at most `most` points in a line; `None` when there is no point to draw.
    pub(super) fn draw(mut self, most: usize) -> Option<String> {
        let fits =
            |(x, y): &(f64, f64), chart: &Self| takes(chart.x.kind, *x) && takes(chart.y.kind, *y);
        self.lines = core::mem::take(&mut self.lines)
            .into_iter()
            .filter(|line| line.points.iter().any(|p| fits(p, &self)))
            .collect();
        // What is drawn last is on top.
        self.lines.sort_by_key(|line| line.style.is_ours);
        if self.lines.is_empty() {
            return None;
        }
        let longest =
            self.lines.iter().map(|l| cut(l.name, LONGEST_NAME)).max_by_key(|n| n.chars().count());
        let right = width_of(&longest.unwrap_or_default(), 12.5).max(40.0) + 26.0;
        let height = (self.lines.len() as f64 * LABEL).max(196.0);
        let area = self.area.map_or(&[][..], |(points, _)| points);
        let all = || {
            self.lines.iter().flat_map(|l| l.points).chain(area).filter(|p| fits(p, &self)).copied()
        };
        let x = Axis::around(all().map(|p| p.0), self.x.kind, self.x.unit, (LEFT, WIDTH - right))?;
        let y = Axis::around(all().map(|p| p.1), self.y.kind, self.y.unit, (TOP + height, TOP))?;
        let y = y.padded(0.04);

        let mut svg = Svg::new(WIDTH, TOP + height + BOTTOM);
        svg.text((8.0, 17.0), Anchor::Start, 13.0, "ink", &cut(&self.title, 54));
        svg.text((8.0, 36.0), Anchor::Start, 11.5, "mute", &cut(&self.y.label, 64));
        self.draw_axes(&mut svg, &x, &y);
        if let Some((points, name)) = self.area {
            draw_area(&mut svg, &x, &y, &thin(points, most, &x, &y), name);
        }
        let lines: Vec<Vec<(f64, f64)>> =
            self.lines.iter().map(|line| thin(line.points, most, &x, &y)).collect();
        svg.raw("<g class=\"lines\" stroke-linejoin=\"round\">");
        for (line, points) in self.lines.iter().zip(&lines) {
            draw_line(&mut svg, &x, &y, line, points);
        }
        svg.raw("</g><g class=\"marks\">");
        // Of many lines fewer: the page is not to become large.
        let marks = match self.lines.len() {
            0..=6 => 3,
            7..=12 => 2,
            _ => 1,
        };
        for (i, (line, points)) in self.lines.iter().zip(&lines).enumerate() {
            // Each line's are at other places, so that they do not hide each other.
            let shift = (i as f64 + 0.5) / self.lines.len() as f64;
            for mark in 0..marks {
                let place = (mark as f64 + shift) / marks as f64;
                let at = x.from + place * (x.to - x.from);
                if let Some(p) = nearest(points, &x, at) {
                    svg.marker((x.at(p.0), y.at(p.1)), &line.style, 3.2, "");
                }
            }
        }
        svg.raw("</g>");
        self.draw_names(&mut svg, &x, &y, &lines, TOP + height);
        let attributes =
            format!("{} data-x=\"{}\" data-y=\"{}\"", self.data, x.attribute(), y.attribute());
        Some(svg.finish(&self.title, &attributes))
    }

    fn draw_axes(&self, svg: &mut Svg, x: &Axis, y: &Axis) {
        for v in y.ticks(6) {
            let at = y.at(v);
            svg.line((x.from, at), (x.to, at), "grid");
            svg.text((x.from - 6.0, at + 4.0), Anchor::End, 11.5, "mute", &y.unit.tick(v));
        }
        svg.raw("<g class=\"xt\">");
        let ticks = x.ticks(if x.unit == Unit::Number { 6 } else { 5 });
        for v in &ticks {
            let at = x.at(*v);
            svg.line((at, y.to), (at, y.from), "grid");
        }
        for v in x.labelled(&ticks, 11.5) {
            let at = x.at(v);
            svg.text((at, y.from + 16.0), Anchor::Middle, 11.5, "mute", &x.unit.tick(v));
        }
        svg.raw("</g>");
        svg.line((x.from, y.from), (x.to, y.from), "axis");
        let middle = f64::midpoint(x.from, x.to);
        svg.text((middle, y.from + 34.0), Anchor::Middle, 11.5, "mute", &cut(&self.x.label, 48));
    }

    fn draw_names(
        &self,
        svg: &mut Svg,
        x: &Axis,
        y: &Axis,
        lines: &[Vec<(f64, f64)>],
        bottom: f64,
    ) {
        let mut ends: Vec<(f64, f64, &Line<'_>)> = self
            .lines
            .iter()
            .zip(lines)
            .filter_map(|(line, points)| points.last().map(|&(px, py)| (x.at(px), y.at(py), line)))
            .collect();
        if self.by_x {
            ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        } else {
            ends.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0)));
        }
        let wanted: Vec<f64> = ends.iter().map(|e| e.1).collect();
        svg.raw("<g class=\"ends\">");
        for ((from, height, line), at) in ends.iter().zip(spread(&wanted, TOP + 4.0, bottom)) {
            svg.stroke((*from, *height), (x.to + 18.0, at), &line.style, 0.8, 0.55);
            svg.name(
                (x.to + 21.0, at + 4.0),
                Anchor::Start,
                &line.style,
                &cut(line.name, LONGEST_NAME),
                line.name,
            );
        }
        svg.raw("</g>");
    }
}

fn takes(kind: Kind, v: f64) -> bool {
    v.is_finite() && (kind == Kind::Even || v > 0.0)
}

/// Moves heights, which rise, apart by a label's height, within `top` to `bottom` as far as they fit.
fn spread(wanted: &[f64], top: f64, bottom: f64) -> Vec<f64> {
    let mut places = Vec::with_capacity(wanted.len());
    let mut least = top;
    for &height in wanted {
        let place = height.max(least);
        places.push(place);
        least = place + LABEL;
    }
    let mut most = bottom;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - LABEL;
    }
    places
}

/// At most about `most` of the points that the axes take; of each group the lowest and the highest stay.
fn thin(points: &[(f64, f64)], most: usize, x: &Axis, y: &Axis) -> Vec<(f64, f64)> {
    let good: Vec<(f64, f64)> =
        points.iter().copied().filter(|p| x.takes(p.0) && y.takes(p.1)).collect();
    crate::thin::thin(&good, most)
}

fn nearest(points: &[(f64, f64)], x: &Axis, at: f64) -> Option<(f64, f64)> {
    let far = |p: &(f64, f64)| (x.at(p.0) - at).abs();
    let best = points.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
    (far(best) < 40.0).then_some(*best)
}

fn path(x: &Axis, y: &Axis, points: &[(f64, f64)]) -> String {
    let mut d = String::with_capacity(points.len() * 11);
    for (i, p) in points.iter().enumerate() {
        let letter = match i {
            0 => "M",
            1 => "L",
            _ => " ",
        };
        let _ = write!(d, "{letter}{:.1} {:.1}", x.at(p.0), y.at(p.1));
    }
    d
}

fn draw_line(svg: &mut Svg, x: &Axis, y: &Axis, line: &Line<'_>, points: &[(f64, f64)]) {
    svg.put(format_args!(
        "<path d=\"{}\" class=\"s{}\" data-a=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{}/>",
        path(x, y, points),
        line.style.colour,
        line.style.who.0,
        line.style.light(),
        if line.style.is_ours { 2.8 } else { 1.6 },
        line.style.dashes(),
    ));
}

fn draw_area(svg: &mut Svg, x: &Axis, y: &Axis, points: &[(f64, f64)], name: &str) {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    svg.put(format_args!(
        "<path d=\"{}L{:.1} {:.1}L{:.1} {:.1}Z\" class=\"live\" data-live=\"1\" fill=\"#dcdcdc\"/>",
        path(x, y, points),
        x.at(last.0),
        y.from,
        x.at(first.0),
        y.from,
    ));
    svg.text((f64::midpoint(x.from, x.to), y.from - 6.0), Anchor::Middle, 11.5, "mute", name);
}

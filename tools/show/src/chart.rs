//! A chart of lines with the names at their ends; or, where they cross again and again, a small chart for each.
//!
//! The page's script finds the plotted range in the first tag's attributes and each line's allocator in `data-a`, and
//! so can read values off and zoom.

mod marks;

use core::fmt::Write;

use crate::axis::{Axis, Kind};
use crate::number::Unit;
use crate::style::Style;
use crate::svg::{Anchor, Svg, width_of};
use crate::text::cut;

/// The width of a chart that stands beside others, and of one that has the page to itself.
const WIDTH: f64 = 400.0;
const WIDE: f64 = 1160.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 44.0;
const LABEL: f64 = 13.5;
const LONGEST_NAME: usize = 15;
/// So many lines may cross as they like.
const FEW: usize = 5;
/// How often a line may go over the whole height and be followed among others.
const ROUGH: f64 = 6.0;
/// Small charts beside each other, and the height of each.
const EACH_ROW: f64 = 3.0;
const EACH_HEIGHT: f64 = 150.0;

#[derive(Debug, Clone, Default)]
pub struct Ask {
    pub label: String,
    pub kind: Kind,
    pub unit: Unit,
}

#[derive(Debug)]
pub struct Line<'a> {
    pub name: &'a str,
    pub style: Style,
    /// x and y, from left to right.
    pub points: &'a [(f64, f64)],
}

#[derive(Debug, Default)]
pub struct Chart<'a> {
    pub title: String,
    /// To the right.
    pub x: Ask,
    /// Upward.
    pub y: Ask,
    /// The first is what the others are compared with.
    pub lines: Vec<Line<'a>>,
    /// Drawn behind the lines, down to 0.
    pub area: Option<(&'a [(f64, f64)], &'static str)>,
    /// Named places from left to right, such as what a program said of itself.
    pub marks: Vec<(f64, String)>,
    /// The names stand in the order in which the lines end from left to right, not by height: for lines that end at the
    /// bottom.
    pub by_x: bool,
    /// Whether it has the page's width to itself.
    pub is_wide: bool,
    pub data: String,
}

#[derive(Debug)]
pub struct Drawn {
    pub svg: String,
    /// Whether it needs the page's width.
    pub is_wide: bool,
}

impl Chart<'_> {
    /// The picture with at most `most` points in a line; `None` when there is no point to draw.
    pub fn draw(mut self, most: usize) -> Option<Drawn> {
        let fits =
            |(x, y): &(f64, f64), chart: &Self| chart.x.kind.takes(*x) && chart.y.kind.takes(*y);
        self.lines = core::mem::take(&mut self.lines)
            .into_iter()
            .filter(|line| line.points.iter().any(|p| fits(p, &self)))
            .collect();
        if self.lines.is_empty() {
            return None;
        }
        if self.is_tangle() {
            return self.draw_each(most);
        }
        // What is drawn last is on top.
        self.lines.sort_by_key(|line| line.style.is_ours);
        let wide = if self.is_wide { WIDE } else { WIDTH };
        let longest =
            self.lines.iter().map(|l| cut(l.name, LONGEST_NAME)).max_by_key(|n| n.chars().count());
        let right = width_of(&longest.unwrap_or_default(), 12.5).max(40.0) + 26.0;
        let height =
            (self.lines.len() as f64 * LABEL).max(if self.is_wide { 320.0 } else { 196.0 });
        let (x, y) = self.axes((LEFT, wide - right), (TOP + height, TOP))?;

        let mut svg = Svg::new(wide, TOP + height + BOTTOM);
        self.draw_titles(&mut svg);
        self.draw_axes(&mut svg, &x, &y, true);
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
        marks::draw(&mut svg, &x, &y, &self.marks);
        self.draw_names(&mut svg, &x, &y, &lines, TOP + height);
        let svg = svg.finish(&self.title, &self.attributes(&x, &y));
        Some(Drawn { svg, is_wide: self.is_wide })
    }

    fn attributes(&self, x: &Axis, y: &Axis) -> String {
        format!("{} data-x=\"{}\" data-y=\"{}\"", self.data, x.attribute(), y.attribute())
    }

    fn axes(&self, across: (f64, f64), up: (f64, f64)) -> Option<(Axis, Axis)> {
        let area = self.area.map_or(&[][..], |(points, _)| points);
        let points = || {
            let all = self.lines.iter().flat_map(|line| line.points).chain(area);
            all.filter(|p| self.x.kind.takes(p.0) && self.y.kind.takes(p.1))
        };
        let marks = self.marks.iter().map(|mark| mark.0).filter(|x| self.x.kind.takes(*x));
        let xs = points().map(|p| p.0).chain(marks);
        let x = Axis::around(xs, self.x.kind, self.x.unit, across)?;
        let y = Axis::around(points().map(|p| p.1), self.y.kind, self.y.unit, up)?;
        Some((x, y.padded(0.04)))
    }

    fn draw_titles(&self, svg: &mut Svg) {
        let (title, label) =
            (cut(&self.title, 54 * times(svg.width)), cut(&self.y.label, 64 * times(svg.width)));
        svg.text((8.0, 17.0), Anchor::Start, 13.0, "ink", &title);
        svg.text((8.0, 36.0), Anchor::Start, 11.5, "mute", &label);
    }

    /// Whether more than a few lines go up and down so often that no eye follows one of them.
    fn is_tangle(&self) -> bool {
        if self.by_x || self.lines.len() < FEW {
            return false;
        }
        let Some((_, y)) = self.axes((0.0, 1.0), (0.0, 1.0)) else { return false };
        let way = |line: &Line<'_>| -> f64 {
            let heights: Vec<f64> = line.points.iter().map(|p| y.at(p.1)).collect();
            heights.windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum()
        };
        let rough = self.lines.iter().filter(|line| way(line) > ROUGH).count();
        2 * rough > self.lines.len()
    }

    /// A small chart for each line, all over the same axes, with the first line behind it.
    fn draw_each(&self, most: usize) -> Option<Drawn> {
        let wide = WIDE / EACH_ROW;
        let (from, to) = (LEFT, wide - 12.0);
        let (x, y) = self.axes((from, to), (EACH_HEIGHT - 26.0, 26.0))?;
        let down = (self.lines.len() as f64 / EACH_ROW).ceil() * EACH_HEIGHT;
        let mut svg = Svg::new(WIDE, TOP + down + 20.0);
        self.draw_titles(&mut svg);
        let first = &self.lines[0];
        for (i, line) in self.lines.iter().enumerate() {
            let mut small = Svg::new(wide, EACH_HEIGHT);
            self.draw_axes(&mut small, &x, &y, false);
            small.name((from, 17.0), Anchor::Start, &line.style, &cut(line.name, 40), line.name);
            if let Some((points, name)) = self.area {
                draw_area(&mut small, &x, &y, &thin(points, most, &x, &y), name);
            }
            if i > 0 {
                let behind = thin(first.points, most, &x, &y);
                let d = path(&x, &y, &behind);
                small.put(format_args!(
                    "<path d=\"{d}\" class=\"behind\" data-a=\"{}\" stroke=\"#b4b4b4\"/>",
                    first.style.who
                ));
            }
            let plain = Style { dash: "", ..line.style };
            let own = Line { style: plain, ..*line };
            draw_line(&mut small, &x, &y, &own, &thin(line.points, most, &x, &y));
            let (across, below) = (i as f64 % EACH_ROW, (i as f64 / EACH_ROW).floor());
            let place = format!(
                "x=\"{:.1}\" y=\"{:.1}\" {}",
                across * wide,
                TOP + below * EACH_HEIGHT,
                self.attributes(&x, &y)
            );
            svg.raw(&small.nested(&place));
        }
        let below = match self.lines.len() {
            1 => self.x.label.clone(),
            _ => format!("{}; grey: {}", self.x.label, first.name),
        };
        svg.text((8.0, TOP + down + 12.0), Anchor::Start, 11.5, "mute", &below);
        Some(Drawn { svg: svg.finish(&self.title, ""), is_wide: true })
    }

    /// The grid and its numbers; `is_named`: what they count too.
    fn draw_axes(&self, svg: &mut Svg, x: &Axis, y: &Axis, is_named: bool) {
        for v in y.ticks(if is_named { 6 } else { 3 }) {
            let at = y.at(v);
            svg.line((x.from, at), (x.to, at), "grid");
            svg.text((x.from - 6.0, at + 4.0), Anchor::End, 11.5, "mute", &y.unit.tick(v));
        }
        svg.raw("<g class=\"xt\">");
        let most = if x.to - x.from > WIDTH { 12 } else { 5 };
        let ticks = x.ticks(if x.unit == Unit::Number { most + 1 } else { most });
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
        if !is_named {
            return;
        }
        let middle = f64::midpoint(x.from, x.to);
        let label = cut(&self.x.label, 48 * times(svg.width));
        svg.text((middle, y.from + 34.0), Anchor::Middle, 11.5, "mute", &label);
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

/// How much more text has place there than in a chart beside others.
fn times(wide: f64) -> usize {
    if wide > WIDTH { 2 } else { 1 }
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
        points.iter().copied().filter(|p| x.kind.takes(p.0) && y.kind.takes(p.1)).collect();
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
        line.style.who,
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
    svg.text((f64::midpoint(x.from, x.to), y.from - 14.0), Anchor::Middle, 11.5, "mute", name);
}

#[cfg(test)]
mod tests;

//! Marks over a chart: a tick below each, its name where there is room until the next one, the name of any to be pointed at.

use crate::axis::Axis;
use crate::svg::{Anchor, Svg, width_of};
use crate::text::{cut, escape};

/// A tick's height; so few marks have a line over the whole height.
const TICK: f64 = 9.0;
const FEW: usize = 12;
const SIZE: f64 = 10.5;
const LONGEST: usize = 24;

/// Draws marks, which rise from left to right.
pub(super) fn draw(svg: &mut Svg, x: &Axis, y: &Axis, marks: &[(f64, String)]) {
    let places: Vec<(f64, &str)> = marks
        .iter()
        .filter(|(at, _)| x.kind.takes(*at))
        .map(|(at, name)| (x.at(*at), name.as_str()))
        .collect();
    let from = if places.len() <= FEW { y.to } else { y.from - TICK };
    for (number, (at, name)) in places.iter().enumerate() {
        svg.put(format_args!(
            "<path class=\"axis\" stroke=\"#9a9a9a\" stroke-dasharray=\"2 2\" d=\"M{at:.1} {:.1}L{at:.1} {from:.1}\"><title>{}</title></path>",
            y.from,
            escape(name)
        ));
        let next = places.get(number + 1).map_or(x.to, |next| next.0);
        let shown = cut(name, LONGEST);
        if width_of(&shown, SIZE) + 6.0 <= next - at {
            svg.text((at + 3.0, from + SIZE - 1.0), Anchor::Start, SIZE, "mute", &shown);
        }
    }
}

//! A bar for each size: how many blocks.

use show::number::count;
use show::svg::{Anchor, Svg, width_of};

use crate::lifetimes::BySize;

const WIDTH: f64 = 572.0;
const TOP: f64 = 32.0;
const HIGH: f64 = 20.0;
const LEFT: f64 = 84.0;
const SIZE: f64 = 11.5;

/// Drawn by one of the two; both have the same scale.
pub(super) fn draw(rows: &[BySize], title: &str, what: fn(&BySize) -> u64) -> String {
    let most = rows.iter().map(|row| row.allocated).max().unwrap_or(0).max(1);
    let room = WIDTH - LEFT - 12.0 - width_of(&count(most as f64), SIZE);
    let mut svg = Svg::new(WIDTH, TOP + rows.len() as f64 * HIGH + 8.0);
    svg.text((8.0, 17.0), Anchor::Start, 13.0, "ink", title);
    for (number, row) in rows.iter().enumerate() {
        let top = TOP + number as f64 * HIGH;
        svg.text((LEFT - 8.0, top + 14.0), Anchor::End, SIZE, "mute", &row.name);
        let n = what(row);
        let wide = room * n as f64 / most as f64;
        if n > 0 {
            svg.put(format_args!(
                "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\" class=\"f0\" fill=\"#0068ad\" fill-opacity=\"0.5\"/>",
                top + 2.0,
                wide.max(1.0),
                HIGH - 4.0
            ));
        }
        svg.text(
            (LEFT + wide.max(1.0) + 6.0, top + 14.0),
            Anchor::Start,
            SIZE,
            "ink",
            &count(n as f64),
        );
    }
    svg.finish(title, "")
}

//! The picture: throughput by processors, both axes logarithmic, beside the line of who loses nothing.

use core::fmt::Write as _;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
/// Pixels between two names.
const ROW: f64 = 20.0;
/// The largest number on both axes.
const MOST: f64 = 128.0;

const COLOURS: [&str; 7] =
    ["#d62728", "#1f77b4", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b"];

/// A line: its name, and throughput by processors.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(usize, f64)>,
}

fn share(value: f64) -> f64 {
    value.clamp(1.0, MOST).ln() / MOST.ln()
}

fn x(cores: f64) -> f64 {
    LEFT + (WIDTH - LEFT - RIGHT) * share(cores)
}

fn y(throughput: f64) -> f64 {
    HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share(throughput)
}

/// The picture as SVG.
#[expect(clippy::cast_precision_loss, reason = "at most 128 processors, few lines")]
pub(super) fn svg(lines: &[Line]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\" font-weight=\"bold\">Simulated throughput by processors; \
         1 = one of them</text>\n"
    );
    // A string takes all that is written.
    for number in [1, 2, 4, 8, 16, 32, 64, 128] {
        let (across, up) = (x(f64::from(number)), y(f64::from(number)));
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{up:.1}\" y2=\"{up:.1}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{number}</text>\n\
             <text x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{number}</text>\n",
            WIDTH - RIGHT,
            LEFT - 6.0,
            up + 4.0,
            HEIGHT - BOTTOM + 18.0
        );
    }
    let _ = write!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#888888\" stroke-dasharray=\"4 4\"/>\n\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">processors</text>\n",
        x(1.0),
        y(1.0),
        x(MOST),
        y(MOST),
        x(MOST.sqrt()),
        HEIGHT - 12.0
    );
    for (row, (line, colour)) in lines.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let points: Vec<String> = line
            .points
            .iter()
            .map(|&(cores, throughput)| format!("{:.1},{:.1}", x(cores as f64), y(throughput)))
            .collect();
        let (left, at) = (WIDTH - RIGHT + 16.0, TOP + ROW * row as f64);
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <rect x=\"{left:.1}\" y=\"{at:.1}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            points.join(" "),
            left + 20.0,
            at + 7.0,
            line.name
        );
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_rises_from_the_corner_to_the_corner() {
        let line = Line { name: "larson".to_owned(), points: vec![(1, 1.0), (128, 128.0)] };
        let svg = svg(&[line]);
        assert!(svg.contains("points=\"60.0,390.0 610.0,40.0\""), "{svg}");
        assert!(svg.contains(">larson</text>") && svg.ends_with("</svg>\n"));
    }
}

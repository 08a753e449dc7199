//! The pictures: lines over the number of live blocks, and bars of how full a memory gets.
use core::fmt::Write;
use std::path::Path;

use crate::live::LIVE;
use crate::samples::Samples;
use crate::table::thousands;
use heapwright_blocks::subjects::NAMES;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

const COLOURS: [&str; 14] = [
    "#d62728", "#ff9896", "#e377c2", "#9467bd", "#1f77b4", "#17becf", "#2ca02c", "#98df8a",
    "#aaaaaa", "#aec7e8", "#444444", "#8c564b", "#bcbd22", "#ff7f0e",
];

/// Writes them into `folder`.
pub(crate) fn write(samples: &Samples, folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let put = |name: &str, text: String| {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))
    };
    for (kind, title) in [
        ("hot", "A free and an allocation, ns: 100 of the live blocks replaced"),
        ("spread", "A free and an allocation, ns: any live block replaced"),
    ] {
        put(&format!("blocks-live-{kind}.svg"), lines(samples, kind, title))?;
    }
    put("blocks-fill.svg", bars(samples))
}

fn open(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\" font-weight=\"bold\">{title}</text>\n"
    )
}

/// Nanoseconds by live blocks, both axes logarithmic.
fn lines(samples: &Samples, kind: &str, title: &str) -> String {
    let value = |name: &str, live: usize| {
        samples.median("live", name, &format!("{kind}_{live}_ns")).filter(|&ns| ns > 0.0)
    };
    let (low, high) = (4.0_f64, 40_000.0_f64);
    let last = (LIVE.len() - 1) as f64;
    let x = |i: usize| LEFT + (WIDTH - LEFT - RIGHT) * i as f64 / last;
    let y = |ns: f64| {
        let share = (ns.clamp(low, high) / low).ln() / (high / low).ln();
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share
    };
    let mut svg = open(title);
    for ns in [5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0, 10_000.0] {
        let (at, right) = (y(ns), WIDTH - RIGHT);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{ns}</text>\n",
            LEFT - 6.0,
            at + 4.0
        );
    }
    for (i, live) in LIVE.into_iter().enumerate() {
        let label = thousands(live);
        let (at, below) = (x(i), HEIGHT - BOTTOM + 20.0);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{label}</text>"
        );
    }
    for (row, (name, colour)) in NAMES.into_iter().zip(COLOURS).enumerate() {
        let mut points = String::new();
        for (i, live) in LIVE.into_iter().enumerate() {
            if let Some(ns) = value(name, live) {
                let _ = write!(points, "{:.1},{:.1} ", x(i), y(ns));
            }
        }
        let thick = if name.starts_with("tlsf") { 3 } else { 2 };
        let (left, at) = (WIDTH - RIGHT + 16.0, TOP + 20.0 * row as f64);
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thick}\"/>\n\
             <rect x=\"{left}\" y=\"{at}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\n\
             <text x=\"{}\" y=\"{}\">{name}</text>\n",
            points.trim_end(),
            left + 20.0,
            at + 7.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Payload in per cent, for small and for mixed sizes.
fn bars(samples: &Samples) -> String {
    let mut svg = open("Payload in per cent of a full memory: 1 to 256 bytes; 16 to 4,096 bytes");
    let step = (HEIGHT - TOP - 20.0) / NAMES.len() as f64;
    let scale = (WIDTH - RIGHT - 60.0) / 100.0;
    for (row, name) in NAMES.into_iter().enumerate() {
        let top = TOP + step * row as f64;
        let _ = writeln!(svg, "<text x=\"8\" y=\"{:.1}\">{name}</text>", top + step / 2.0);
        let keys = [("1_256_at_8", "#1f77b4"), ("16_4096_at_8", "#aec7e8")];
        for (half, (key, colour)) in keys.into_iter().enumerate() {
            let Some(share) = samples.median("fill", name, key) else { continue };
            let (at, tall) = (top + step * 0.45 * half as f64, step * 0.4);
            let (long, left) = (share * scale, RIGHT - 30.0);
            let _ = write!(
                svg,
                "<rect x=\"{left}\" y=\"{at:.1}\" width=\"{long:.1}\" height=\"{tall:.1}\" \
                 fill=\"{colour}\"/>\n<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\">{share:.1}</text>\n",
                left + long + 4.0,
                at + tall - 1.0
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

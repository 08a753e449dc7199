//! The heap in the page: cells as gauges, by colour in one path each, and the controls above them.

use core::fmt::Write as _;

use serde::Serialize;
use show::number::{bytes, count, percent};
use show::svg::{Anchor, Svg};
use show::text::escape;

use super::encode::{Code, code, encode};
use crate::class::{By, CLASSES};
use crate::draw::{NO_ADDRESSES, class_name, class_of, figures, level, scale};
use crate::pictures::Pictures;
use crate::rows::{Rows, Spot};

/// 2 to this many cells in a row of a heap alone, and of one that stands beside others.
const COLUMNS: u32 = 7;
const BESIDE: u32 = 6;
const MOST_ROWS: usize = 40;
/// Pixels of a cell, with the gap to its neighbours.
const CELL: f64 = 8.0;
const ROW: f64 = 13.0;
const LEFT: f64 = 112.0;
/// What is above a row that does not follow the one above it.
const GAP: f64 = 5.0;

/// The colours of classes on a light and on a dark page, from cold to warm: most colour-blind readers tell neighbours apart, as
/// their lightness differs too.
const COLOURS: [(&str, &str); CLASSES] = [
    ("#6b2c7f", "#b585c9"),
    ("#1f5fb0", "#4a8be0"),
    ("#5aa5d9", "#93cdf3"),
    ("#128a60", "#2fb98a"),
    ("#86ac2e", "#b3d85c"),
    ("#e0b000", "#ffd84a"),
    ("#de6a1a", "#ff9350"),
    ("#9c1620", "#e25a52"),
];

const RULES: &str = "\
#heap .controls { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; margin: .5rem 0; }
#heap .controls[hidden] { display: none; }
#heap input[type=range] { flex: 1 1 18rem; min-width: 10rem; accent-color: var(--link); }
#heap .by { display: inline-flex; gap: .75rem; border: 0; margin: 0; padding: 0; }
#heap output { flex-basis: 100%; font-variant-numeric: tabular-nums; }
#heap .classes { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin: 0 0 .75rem; padding: 0; list-style: none; font-size: .875rem; }
#heap .classes svg { width: .8rem; height: .8rem; vertical-align: -.05rem; margin-right: .35rem; }
#heap .sides { display: grid; gap: 0 1.5rem; align-items: start; }
#heap .sides.two { grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); }
#heap figure { overflow-x: auto; margin: 0 0 .75rem; }
#heap figure h3 { margin: .5rem 0 .1rem; font-size: 1rem; overflow-wrap: anywhere; }
#heap figure p { margin: 0 0 .4rem; font-variant-numeric: tabular-nums; }
#heap .sides svg.plot { max-width: none; }
#heap .sides.one svg.plot { min-width: 48rem; }
#lifetimes .figures, #sizes .figures { grid-template-columns: repeat(auto-fill, minmax(min(100%, 32rem), 1fr)); }
#lifetimes svg.plot, #sizes svg.plot { max-width: none; }
";

/// The heap for the script: where the rows are, and the cells that are ever used of each moment.
#[derive(Debug, Serialize)]
pub(super) struct Data {
    /// How many a cell has in the moments.
    letters: usize,
    shift: u32,
    columns: usize,
    addresses: Vec<String>,
    tops: Vec<f64>,
    left: f64,
    cell: f64,
    row: f64,
    moments: Vec<String>,
}

/// The rows of each heap, in cells of one size.
pub(super) fn rows(pictures: &Pictures) -> Vec<Rows> {
    let columns = if pictures.beside.is_empty() { COLUMNS } else { BESIDE };
    let shift = |side: &Pictures| Rows::fitting(side, columns, MOST_ROWS).shift;
    let shift = pictures.sides().map(shift).max().unwrap_or_default();
    let rows = |side: &Pictures| {
        let mut rows = Rows::new(side, shift, columns);
        // Mappings that are far from each other have a row each, however large cells are: the first ones are shown.
        rows.limit(MOST_ROWS * 2);
        rows
    };
    pictures.sides().map(rows).collect()
}

pub(super) fn about(rows: &[Rows]) -> String {
    let beside = match rows.len() {
        1 => "",
        _ => {
            " What is resident is told above what was there at the start: the recorded process's beside each replay's."
        }
    };
    format!(
        "Here {}; rows that were never used are left out. The height of a bar says how full its cell is; its colour, whose most of its bytes are.{beside}",
        scale(&rows[0])
    )
}

/// What the picture says, in sentences.
pub(super) fn lying(pictures: &Pictures) -> Vec<String> {
    let frame = &pictures.frames[pictures.peak];
    let end = &pictures.frames[pictures.frames.len() - 1];
    let used = (pictures.touched.len() as u64) << pictures.shift;
    let of = |part: u64, whole: u64| percent(part as f64 / whole.max(1) as f64);
    let mut said = vec![format!(
        "Then {} blocks were live, of {} that were ever allocated.",
        count(frame.blocks as f64),
        count(pictures.allocations as f64)
    )];
    if used > 0 {
        said.push(format!(
            "They lay in {} of addresses, seen in cells of {}, and filled {} of them.",
            bytes(frame.held as f64),
            bytes((1u64 << frame.shift) as f64),
            of(frame.live, frame.held)
        ));
        said.push(format!(
            "At the end {} were live, and {} of addresses held any of them: {} of all that were ever used.",
            bytes(end.live as f64),
            bytes(end.held as f64),
            of(end.held, used)
        ));
    }
    said
}

fn tops(rows: &Rows) -> Vec<f64> {
    let mut top = 4.0;
    (0..rows.len())
        .map(|row| {
            let (_, follows) = rows.address(row);
            top += if row == 0 { 0.0 } else { ROW + if follows { 0.0 } else { GAP } };
            top
        })
        .collect()
}

pub(super) fn data(pictures: &Pictures, rows: &Rows) -> Data {
    let mut before = Vec::new();
    let letters = if pictures.has_sites() { 3 } else { 2 };
    let moments = pictures.frames.iter().map(|frame| {
        let spots = rows.at(frame, 0..rows.len());
        let now: Vec<Code> = spots.iter().flatten().map(|spot| code(*spot, frame)).collect();
        let text = encode(&now, &before, letters);
        before = now;
        text
    });
    Data {
        letters,
        shift: rows.shift,
        columns: rows.columns(),
        moments: moments.collect(),
        addresses: (0..rows.len()).map(|row| format!("{:x}", rows.address(row).0)).collect(),
        tops: tops(rows),
        left: LEFT,
        cell: CELL,
        row: ROW,
    }
}

/// The controls, the key, and the picture at the moment that was asked for.
pub(super) fn markup(pictures: &Pictures, rows: &[Rows], by: By) -> String {
    let last = pictures.frames.len() - 1;
    let mut markup = rules();
    markup += &format!(
        "<div class=\"controls\" id=\"controls\" hidden>\
         <button type=\"button\" data-to=\"play\">play</button>\
         <input type=\"range\" id=\"moment\" min=\"0\" max=\"{last}\" value=\"{}\" aria-label=\"moment\">\
         <button type=\"button\" data-to=\"{}\">peak</button><button type=\"button\" data-to=\"{last}\">end</button>\
         <fieldset class=\"by\" aria-label=\"colour by\">",
        pictures.asked, pictures.peak
    );
    for one in pictures.colours() {
        let checked = if one == by { " checked" } else { "" };
        let word = one.word();
        let _ = write!(
            markup,
            "<label><input type=\"radio\" name=\"by\" value=\"{word}\"{checked}> {word}</label>"
        );
    }
    let sentence = crate::draw::sentence(pictures, pictures.asked);
    let _ = write!(
        markup,
        "</fieldset></div>\n<p><output id=\"said\">{}</output></p>\n{}<div class=\"sides {}\">",
        escape(&sentence),
        classes(pictures, by),
        if pictures.beside.is_empty() { "one" } else { "two" },
    );
    for (number, (side, rows)) in pictures.sides().zip(rows).enumerate() {
        markup += "<figure>";
        if !pictures.beside.is_empty() {
            let (name, figures) = (escape(&side.name), figures(side, pictures.asked));
            let _ = write!(
                markup,
                "<h3>{name}</h3><p><output id=\"side{number}\">{figures}</output></p>"
            );
        }
        markup += &picture(side, rows, by, pictures.asked, number);
        markup += "<figcaption class=\"save\" hidden><button type=\"button\" data-svg=\"heap\">SVG</button></figcaption></figure>";
    }
    markup + "</div>\n"
}

/// The rules of this part, with the colours of classes.
fn rules() -> String {
    let colours = |of: fn(&(&'static str, &'static str)) -> &'static str| -> String {
        COLOURS
            .iter()
            .enumerate()
            .map(|(class, both)| format!("--c{class}:{};", of(both)))
            .collect()
    };
    let (light, dark) = (colours(|both| both.0), colours(|both| both.1));
    let classes: String =
        (0..CLASSES).map(|class| format!(".c{class}{{fill:var(--c{class})}}\n")).collect();
    format!(
        "<style>\n:root {{{light}}}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) {{{dark}}} }}\n\
         :root[data-theme=\"dark\"] {{{dark}}}\n{classes}{RULES}</style>\n"
    )
}

fn classes(pictures: &Pictures, by: By) -> String {
    let mut markup = "<ul class=\"classes\" id=\"classes\">".to_owned();
    for (class, (light, _)) in COLOURS.iter().enumerate() {
        let name = class_name(pictures, by, class);
        let hidden = if name.is_empty() { " style=\"display:none\"" } else { "" };
        let _ = write!(
            markup,
            "<li{hidden}><svg viewBox=\"0 0 8 8\" aria-hidden=\"true\"><rect width=\"8\" height=\"8\" class=\"c{class}\" fill=\"{light}\"/></svg><span>{}</span></li>",
            escape(name)
        );
    }
    markup + "</ul>\n"
}

fn picture(pictures: &Pictures, rows: &Rows, by: By, at: usize, number: usize) -> String {
    let frame = &pictures.frames[at];
    let tops = tops(rows);
    let width = LEFT + rows.columns() as f64 * CELL + 8.0;
    let height = tops.last().map_or(24.0, |top| top + ROW + 6.0);
    let mut svg = Svg::new(width, height);
    let mut used = String::new();
    let mut gauges: [String; CLASSES] = Default::default();
    let shown = rows.at(frame, 0..rows.len());
    for (row, (spots, top)) in shown.iter().zip(&tops).enumerate() {
        let (address, follows) = rows.address(row);
        if row % 4 == 0 || !follows {
            svg.text((LEFT - 8.0, top + 9.5), Anchor::End, 10.0, "mute", &format!("{address:x}"));
        }
        for (from, to) in rows.used(row) {
            let _ = write!(
                used,
                "M{:.0} {:.0}h{:.0}v{:.0}H{:.0}Z",
                LEFT + from as f64 * CELL,
                top,
                (to - from) as f64 * CELL - 1.0,
                ROW - 2.0,
                LEFT + from as f64 * CELL
            );
        }
        for (column, spot) in spots.iter().enumerate() {
            let Spot::Held(shade) = spot else { continue };
            let class = usize::from(class_of(shade, frame, by));
            let high = (level(shade.fill, 8) + 1) as f64 * (ROW - 2.0) / 8.0;
            let _ = write!(
                gauges[class],
                "M{:.0} {:.0}h{:.0}v-{high:.1}h-{:.0}Z",
                LEFT + column as f64 * CELL,
                top + ROW - 2.0,
                CELL - 1.0,
                CELL - 1.0
            );
        }
    }
    if rows.len() == 0 {
        svg.text(
            (8.0, 16.0),
            Anchor::Start,
            12.0,
            "mute",
            if pictures.no_addresses { NO_ADDRESSES } else { "Nothing was allocated." },
        );
    }
    svg.put(format_args!("<path class=\"band\" fill=\"#ebebea\" d=\"{used}\"/>"));
    for (class, ((light, _), d)) in COLOURS.iter().zip(&gauges).enumerate() {
        svg.put(format_args!(
            "<path class=\"c{class}\" data-class=\"{class}\" fill=\"{light}\" d=\"{d}\"/>"
        ));
    }
    svg.finish(&format!("the heap: {}", pictures.name), &format!("data-cells=\"{number}\""))
}

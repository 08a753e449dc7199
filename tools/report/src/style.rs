//! How an allocator looks, the same in every picture: a colour, a dash and a marker, so that no two are told apart by
//! colour alone.
//!
//! The colours follow Okabe and Ito's set for colour-blind readers ("Color Universal Design", 2008), darkened until each
//! has a contrast of 4.5 to 1 with white, as names are written in them, and lightened for the dark page.

use bench::allocator::HEAPWRIGHT;
use bench::result::{Entry, Report};
use bench::session::{Role, SubjectIndex};

use crate::svg::Svg;

/// A colour on the light and on the dark page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Colour {
    pub(crate) light: &'static str,
    pub(crate) dark: &'static str,
}

/// The contenders', then the baseline's, then the null allocator's.
pub(crate) const COLOURS: [Colour; 9] = [
    Colour { light: "#0068ad", dark: "#58b0f0" },
    Colour { light: "#c24e00", dark: "#ff8f4d" },
    Colour { light: "#007f63", dark: "#2fd0a5" },
    Colour { light: "#ad4d86", dark: "#ea9fcb" },
    Colour { light: "#956300", dark: "#f0b840" },
    Colour { light: "#1c79ab", dark: "#92d4fb" },
    Colour { light: "#787000", dark: "#e0d64a" },
    Colour { light: "#1c1c1c", dark: "#f2f2f2" },
    Colour { light: "#707070", dark: "#9c9c9c" },
];

const BASELINE: usize = 7;
const FLOOR: usize = 8;
const CONTENDERS: usize = 7;

/// Dashes; five of them, so that with seven colours the pair repeats after 35.
const DASHES: [&str; 5] = ["", "7 3", "2 2.5", "10 3 2 3", "5 2 1.5 2 1.5 2"];

/// The shape at points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Down,
    Cross,
    Plus,
    Ring,
}

const MARKERS: [Marker; 6] =
    [Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Down, Marker::Cross, Marker::Plus];

/// How one allocator looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    /// The allocator's place in the result.
    pub(crate) who: SubjectIndex,
    /// Whether it is ours, which stands out.
    pub(crate) is_ours: bool,
    /// Its place in [`COLOURS`]; the page's classes `s0`, `f0` … are by this.
    pub(crate) colour: usize,
    pub(crate) dash: &'static str,
    pub(crate) marker: Marker,
}

impl Style {
    pub(crate) fn light(&self) -> &'static str {
        COLOURS.get(self.colour).map_or("#000", |c| c.light)
    }

    /// As an attribute; nothing for a plain line.
    pub(crate) fn dashes(&self) -> String {
        if self.dash.is_empty() {
            String::new()
        } else {
            format!(" stroke-dasharray=\"{}\"", self.dash)
        }
    }
}

/// By allocator.
pub(crate) fn styles(report: &Report) -> Vec<Style> {
    let ours = |name: &str| name == HEAPWRIGHT;
    // Ours has the first colour and look, and shares them with nobody.
    let others = if report.allocators.iter().any(|e| ours(&e.name)) { 1 } else { 0 };
    let mut contender = 0;
    let look = |(who, entry): (SubjectIndex, &Entry)| {
        let is_ours = ours(&entry.name) && entry.role == Role::Contender;
        let (colour, dash, marker) = match entry.role {
            Role::Baseline | Role::Control => (BASELINE, "", Marker::Circle),
            Role::Floor => (FLOOR, "1.5 3", Marker::Ring),
            Role::Contender if is_ours => (0, DASHES[0], MARKERS[0]),
            Role::Contender => {
                let i = contender;
                contender += 1;
                let colour = others + i % (CONTENDERS - others);
                let marker = others + i % (MARKERS.len() - others);
                (colour, DASHES[(others + i) % DASHES.len()], MARKERS[marker])
            }
        };
        Style { who, is_ours, colour, dash, marker }
    };
    report.subject_indices().zip(&report.allocators).map(look).collect()
}

/// A piece of its line with its marker, for the page's key.
pub(crate) fn swatch(style: &Style) -> String {
    let mut svg = Svg::new(28.0, 12.0);
    svg.put(format_args!(
        "<path d=\"M0 6L28 6\" class=\"s{}\" stroke=\"{}\" stroke-width=\"1.8\"{}/>",
        style.colour,
        style.light(),
        style.dashes()
    ));
    svg.marker((14.0, 6.0), style, 4.2, "");
    svg.small()
}

/// The page's rules for the colours of pictures, for one theme.
pub(crate) fn variables(dark: bool) -> String {
    COLOURS
        .iter()
        .enumerate()
        .map(|(i, c)| format!("--s{i}:{};", if dark { c.dark } else { c.light }))
        .collect()
}

/// The classes that use them.
pub(crate) fn classes() -> String {
    (0..COLOURS.len())
        .map(|i| {
            format!(".s{i}{{stroke:var(--s{i})}}.f{i}{{fill:var(--s{i});--own:var(--s{i})}}\n")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of WCAG 2.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| {
            let v = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    }

    #[test]
    fn names_can_be_read_on_both_pages() {
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for c in COLOURS {
            assert!(contrast(luminance(c.light), luminance("#ffffff")) >= 4.5, "{c:?}");
            assert!(contrast(luminance(c.dark), luminance("#15171a")) >= 4.5, "{c:?}");
        }
    }
}

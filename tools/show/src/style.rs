//! How somebody's figures look, the same in every picture: a colour, a dash and a marker, so that no two are told apart
//! by colour alone.
//!
//! The colours follow Okabe and Ito's set for colour-blind readers ("Color Universal Design", 2008), darkened until each
//! has a contrast of 4.5 to 1 with white, as names are written in them, and lightened for the dark page.

use crate::svg::Svg;

#[derive(Debug, Clone, Copy)]
pub struct Colour {
    pub light: &'static str,
    pub dark: &'static str,
}

/// Ours, the others', then that of the baseline, then that of the floor.
const COLOURS: [Colour; 9] = [
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
const OTHERS: usize = 6;

/// Dashes; five of them, so that with six colours the pair repeats after 30.
const DASHES: [&str; 5] = ["", "7 3", "2 2.5", "10 3 2 3", "5 2 1.5 2 1.5 2"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    Circle,
    Square,
    /// A triangle on its side.
    Triangle,
    Diamond,
    /// A triangle on its corner.
    Down,
    Cross,
    Plus,
    Ring,
}

const MARKERS: [Marker; 6] =
    [Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Down, Marker::Cross, Marker::Plus];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What all others are compared with.
    Baseline,
    /// Of what nobody can be below.
    Floor,
    /// Shares its look with nobody.
    Ours,
    Other(usize),
}

#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// The number in the page's key.
    pub who: usize,
    pub is_ours: bool,
    /// The number of its colour; the page's classes `s0`, `f0` … are by this.
    pub colour: usize,
    pub dash: &'static str,
    pub marker: Marker,
}

impl Style {
    pub fn of(who: usize, part: Part) -> Self {
        let (colour, dash, marker) = match part {
            Part::Baseline => (BASELINE, "", Marker::Circle),
            Part::Floor => (FLOOR, "1.5 3", Marker::Ring),
            Part::Ours => (0, DASHES[0], MARKERS[0]),
            Part::Other(i) => (
                1 + i % OTHERS,
                DASHES[(1 + i) % DASHES.len()],
                MARKERS[1 + i % (MARKERS.len() - 1)],
            ),
        };
        Self { who, is_ours: part == Part::Ours, colour, dash, marker }
    }

    /// Its colour in a file, whose viewer may know no other page than a light one.
    pub fn light(&self) -> &'static str {
        COLOURS.get(self.colour).map_or("#000", |c| c.light)
    }

    /// As an attribute; nothing for a plain line.
    pub fn dashes(&self) -> String {
        if self.dash.is_empty() {
            String::new()
        } else {
            format!(" stroke-dasharray=\"{}\"", self.dash)
        }
    }
}

/// A piece of its line with its marker, for the page's key.
pub fn swatch(style: &Style) -> String {
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
pub fn variables(dark: bool) -> String {
    COLOURS
        .iter()
        .enumerate()
        .map(|(i, c)| format!("--s{i}:{};", if dark { c.dark } else { c.light }))
        .collect()
}

pub fn classes() -> String {
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

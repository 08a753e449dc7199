//! Writes SVG that is readable as a file and themable in the page.
//!
//! Colours are attributes (for files, whose viewers may know no variables) beside classes (for the page,
//! whose rules win over attributes).

use core::fmt::Write;

use crate::style::{Marker, Style};
use crate::text::escape;

#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn attribute(self) -> &'static str {
        match self {
            Self::Start => "",
            Self::Middle => " text-anchor=\"middle\"",
            Self::End => " text-anchor=\"end\"",
        }
    }
}

#[derive(Debug)]
pub struct Svg {
    body: String,
    pub width: f64,
    pub height: f64,
}

/// So wide is a text of 12 pixels at most, on average: fonts differ.
pub fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.6
}

/// The same of a name, which may be bold.
pub fn name_width(name: &str, style: &Style) -> f64 {
    width_of(name, 12.0) * if style.is_ours { 1.2 } else { 1.0 }
}

impl Svg {
    pub fn new(width: f64, height: f64) -> Self {
        Self { body: String::new(), width, height }
    }

    /// Markup as it is.
    pub fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
    }

    /// Words; `class` is `ink`, `mute` or `f` and a colour's number.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, size: f64, class: &str, text: &str) {
        let anchor = anchor.attribute();
        self.put(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\"{anchor} font-size=\"{size}\" class=\"{class}\" fill=\"{}\">{}</text>",
            at.0,
            at.1,
            fill(class),
            escape(text)
        ));
    }

    /// The same in an allocator's colour; `full` is its whole name, for pointing at.
    pub fn name(&mut self, at: (f64, f64), anchor: Anchor, style: &Style, shown: &str, full: &str) {
        let anchor = anchor.attribute();
        let title =
            if shown == full { String::new() } else { format!("<title>{}</title>", escape(full)) };
        self.put(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\"{anchor}{} data-a=\"{}\" class=\"f{}\" fill=\"{}\">{}{title}</text>",
            at.0,
            at.1,
            if style.is_ours { " font-weight=\"bold\"" } else { "" },
            style.who,
            style.colour,
            style.light(),
            escape(shown)
        ));
    }

    /// A line; `class` is `grid` or `axis`.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.put(format_args!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" class=\"{class}\" stroke=\"{}\"/>",
            from.0,
            from.1,
            to.0,
            to.1,
            stroke(class)
        ));
    }

    /// A line in an allocator's colour, undashed.
    pub fn stroke(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        style: &Style,
        width: f64,
        opacity: f64,
    ) {
        self.put(format_args!(
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" data-a=\"{}\" class=\"s{}\" stroke=\"{}\" stroke-width=\"{width}\" stroke-opacity=\"{opacity}\"/>",
            from.0,
            from.1,
            to.0,
            to.1,
            style.who,
            style.colour,
            style.light()
        ));
    }

    /// A filled rectangle; `class` is `bg`, `live` or `band`.
    pub fn rect(&mut self, at: (f64, f64), size: (f64, f64), class: &str) {
        self.put(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"{class}\" fill=\"{}\"/>",
            at.0,
            at.1,
            size.0.max(0.0),
            size.1.max(0.0),
            fill(class)
        ));
    }

    /// An allocator's marker around a point.
    pub fn marker(&mut self, (x, y): (f64, f64), style: &Style, r: f64, what: &str) {
        let (c, colour) = (style.colour, style.light());
        let who = style.who;
        let filled = format!("data-a=\"{who}\" class=\"f{c}\" fill=\"{colour}\"");
        let drawn = format!(
            "data-a=\"{who}\" class=\"s{c}\" stroke=\"{colour}\" stroke-width=\"2\" fill=\"none\""
        );
        let title = if what.is_empty() {
            String::new()
        } else {
            format!("<title>{}</title>", escape(what))
        };
        let path = |points: &[(f64, f64)]| -> String {
            let mut d = String::new();
            for (i, (dx, dy)) in points.iter().enumerate() {
                let letter = if i == 0 { 'M' } else { 'L' };
                let _ = write!(d, "{letter}{:.1} {:.1}", x + dx * r, y + dy * r);
            }
            d
        };
        let (d, how) = match style.marker {
            Marker::Circle | Marker::Ring => {
                let how = if style.marker == Marker::Ring { drawn } else { filled };
                return self.put(format_args!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" {how}>{title}</circle>"
                ));
            }
            Marker::Cross => {
                (path(&[(-0.9, -0.9), (0.9, 0.9)]) + &path(&[(-0.9, 0.9), (0.9, -0.9)]), drawn)
            }
            Marker::Plus => {
                (path(&[(-1.1, 0.0), (1.1, 0.0)]) + &path(&[(0.0, -1.1), (0.0, 1.1)]), drawn)
            }
            Marker::Square => {
                (path(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]) + "Z", filled)
            }
            Marker::Triangle => (path(&[(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)]) + "Z", filled),
            Marker::Down => (path(&[(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)]) + "Z", filled),
            Marker::Diamond => {
                (path(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]) + "Z", filled)
            }
        };
        self.put(format_args!("<path d=\"{d}\" {how}>{title}</path>"));
    }

    pub fn put(&mut self, markup: core::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.body.write_fmt(markup);
    }

    /// A picture without words, beside a name.
    pub fn small(self) -> String {
        let (w, h) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" aria-hidden=\"true\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
             height=\"{h}\" fill=\"none\">{}</svg>",
            self.body
        )
    }

    /// A picture inside another one; `place` is where, and further attributes.
    pub fn nested(&self, place: &str) -> String {
        let (w, h) = (self.width, self.height);
        format!(
            "<svg {place} viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\">{}</svg>",
            self.body
        )
    }

    /// The whole picture. `attributes` go into its first tag.
    pub fn finish(self, title: &str, attributes: &str) -> String {
        let (w, h) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" aria-label=\"{}\" \
             viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             font-family=\"'DejaVu Sans', system-ui, sans-serif\" font-size=\"12\" fill=\"none\" {attributes}>\
             <rect width=\"{w}\" height=\"{h}\" class=\"bg\" fill=\"#ffffff\"/>{}</svg>",
            escape(title),
            self.body
        )
    }
}

fn fill(class: &str) -> &'static str {
    match class {
        "ink" => "#1c1c1c",
        "mute" => "#5c5c5c",
        "live" => "#dcdcdc",
        "band" => "#ececec",
        _ => "#ffffff",
    }
}

fn stroke(class: &str) -> &'static str {
    if class == "grid" { "#e4e4e4" } else { "#8a8a8a" }
}

//! A line of text whose parts have inks.

use show::text::visible;

/// What a piece of text is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Plain,
    /// Fainter than others.
    Mute,
    /// Stronger than others.
    Strong,
    Class(u8),
    /// What is live, in a curve.
    Live,
}

/// Colours of 256 that are told apart on light and dark ground, and by most colour-blind readers: from cold to warm.
const CLASSES: [u8; 8] = [97, 26, 74, 35, 148, 220, 208, 160];

impl Ink {
    fn code(self) -> String {
        match self {
            Self::Plain => "0".to_owned(),
            Self::Mute => "2".to_owned(),
            Self::Strong => "1".to_owned(),
            Self::Class(class) => format!("38;5;{}", CLASSES[usize::from(class) % CLASSES.len()]),
            Self::Live => "38;5;32".to_owned(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) ink: Ink,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line(Vec<Span>);

impl Line {
    pub fn of(text: &str, ink: Ink) -> Self {
        let mut line = Self::default();
        line.put(text, ink);
        line
    }

    /// Adds text at its end. What would move a cursor is made visible.
    pub fn put(&mut self, text: &str, ink: Ink) {
        let text = visible(text);
        match self.0.last_mut() {
            Some(last) if last.ink == ink => last.text.push_str(&text),
            _ => self.0.push(Span { text: text.into_owned(), ink }),
        }
    }

    /// The same behind so many blanks.
    pub(crate) fn indented(self, blanks: usize) -> Self {
        let mut line = Self::of(&" ".repeat(blanks), Ink::Plain);
        line.append(self);
        line
    }

    /// Adds another line at its end.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub fn width(&self) -> usize {
        self.0.iter().map(|span| span.text.chars().count()).sum()
    }

    /// Without inks, and without blanks at its end.
    pub fn plain(&self) -> String {
        let text: String = self.0.iter().map(|span| span.text.as_str()).collect();
        text.trim_end().to_owned()
    }

    /// With the codes of a terminal.
    pub fn ansi(&self) -> String {
        let mut text = String::new();
        for span in &self.0 {
            match span.ink {
                Ink::Plain => text += &span.text,
                ink => text += &format!("\x1b[{}m{}\x1b[0m", ink.code(), span.text),
            }
        }
        text
    }

    /// At most the first `most` columns of it.
    pub fn cut(mut self, most: usize) -> Self {
        let mut room = most;
        for span in &mut self.0 {
            let kept: String = span.text.chars().take(room).collect();
            room -= kept.chars().count();
            span.text = kept;
        }
        self
    }
}

/// Parts behind each other, in as many lines as they need.
pub fn flowed(parts: Vec<Line>, width: usize) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    for part in parts {
        let last = lines.len() - 1;
        let is_first = lines[last].width() == 0;
        if is_first || lines[last].width() + 2 + part.width() > width {
            if is_first {
                lines[last] = part;
            } else {
                lines.push(part);
            }
            continue;
        }
        lines[last].put("  ", Ink::Plain);
        lines[last].append(part);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inks_begin_and_end() {
        let mut line = Line::of("ab", Ink::Plain);
        line.put("cd", Ink::Class(1));
        line.put("e\x1b  ", Ink::Class(1));
        assert_eq!(line.plain(), "abcde\\u{1b}");
        assert_eq!(line.clone().cut(3).ansi(), "ab\x1b[38;5;26mc\x1b[0m");
        assert_eq!(line.width(), 13);
    }
}

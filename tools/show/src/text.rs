//! Text before it is printed or drawn: how wide a line may be, where it breaks, what is safe in a terminal and in markup.

use std::borrow::Cow;
use std::env;

use textwrap::{Options, WordSplitter};

/// A column of text is no narrower.
pub(crate) const LEAST: usize = 30;

/// How wide a line may be: what COLUMNS says, or the terminal. `None`, in a pipe: as wide as it is.
pub fn width() -> Option<usize> {
    let said = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.or_else(terminal).map(|width: usize| width.max(LEAST + 4))
}

/// Text that begins at column `indent` of a line, as do its next ones. Words are not broken, and stay as they are.
pub fn wrapped(text: &str, indent: usize, width: Option<usize>) -> String {
    let Some(room) = width.map(|width| width.saturating_sub(indent).max(LEAST)) else {
        return text.to_owned();
    };
    let options = Options::new(room).break_words(false).word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).join(&format!("\n{}", " ".repeat(indent)))
}

/// Text as a terminal may get it: names out of files and arguments of programs could else move its cursor or set its title.
/// Lines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

pub fn markdown(text: &str) -> String {
    let special = |c: char| matches!(c, '\\' | '|' | '*' | '<' | '_' | '`');
    let line = |line: &str| -> String {
        line.trim()
            .chars()
            .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
            .collect()
    };
    text.lines().map(line).collect::<Vec<_>>().join("<br>")
}

/// `1 round`, `3 rounds`, `3 processes`.
pub fn many(n: usize, what: &str) -> String {
    let end = match n {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{n} {what}{end}")
}

/// `text` inside an element or a quoted attribute; control characters, which XML refuses, become a sign for it.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// At most `most` characters of `text`, the last one an ellipsis where something is left out.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_of_a_word() {
        let said = [many(0, "round"), many(1, "process"), many(2, "process"), many(2, "round")];
        assert_eq!(said, ["0 rounds", "1 process", "2 processes", "2 rounds"]);
    }

    #[test]
    fn long_words_and_lines_stay() {
        let path = "/a/path/that/is/longer/than/any/line/may/be";
        assert_eq!(wrapped(path, 2, Some(34)), path);
        assert_eq!(wrapped("one\n  two", 2, Some(60)), "one\n    two");
        let narrow = "peak RSS below 4 MiB cannot be\n         measured here";
        assert_eq!(wrapped("peak RSS below 4 MiB cannot be measured here", 9, Some(40)), narrow);
    }

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        assert_eq!(visible("a\x1b[31mb\u{9b}1m\r\n\tµ"), "a\\u{1b}[31mb\\u{9b}1m\\r\n\tµ");
        assert!(matches!(visible("larson:threads=8\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn text_is_safe() {
        assert_eq!(escape("<b>&\"x'\u{1}"), "&lt;b&gt;&amp;&quot;x&#39;\u{fffd}");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
        assert_eq!(markdown("a|b\n *c"), "a\\|b<br>\\*c");
    }
}

//! Columns for people, which break between words where the terminal ends; in a pipe each row is one line.

use std::env;

/// What the last column needs at least to stand beside the others.
const LEAST: usize = 30;
/// By how much it is indented where it has no place there.
const BELOW: usize = 4;

/// How wide a line may be: what COLUMNS says, or the terminal. `None`: as wide as it is.
pub(crate) fn width() -> Option<usize> {
    let said = env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.or_else(terminal).map(|width: usize| width.max(LEAST + BELOW))
}

/// Rows in columns with two blanks between; the last column is wrapped.
pub(crate) fn rows<const N: usize>(rows: &[[String; N]], width: Option<usize>) -> String {
    let of = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let beside: usize = 1 + (0..N - 1).map(|column| of(column) + 2).sum::<usize>();
    for row in rows {
        let mut line = " ".to_owned();
        for (column, cell) in row[..N - 1].iter().enumerate() {
            line += &format!("{cell:<0$}", of(column) + 2);
        }
        let is_beside = width.is_none_or(|width| beside + LEAST <= width);
        if !is_beside && !row[N - 1].is_empty() {
            line = format!("{}\n{}", line.trim_end(), " ".repeat(BELOW));
        }
        let wrapped = wrapped(&row[N - 1], if is_beside { beside } else { BELOW }, width);
        text += (line + &wrapped).trim_end();
        text.push('\n');
    }
    text
}

/// Text that begins at column `indent` of a line, as do its next ones. Words are not broken.
pub(crate) fn wrapped(text: &str, indent: usize, width: Option<usize>) -> String {
    let Some(room) = width.map(|width| width.saturating_sub(indent).max(LEAST)) else {
        return text.to_owned();
    };
    let mut lines: Vec<String> = Vec::new();
    for part in text.lines() {
        let (blanks, words) = part.split_at(part.len() - part.trim_start().len());
        let mut line = blanks.to_owned();
        for word in words.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > room && line != blanks {
                lines.push(core::mem::take(&mut line));
            } else if line != blanks {
                line.push(' ');
            }
            line += word;
        }
        lines.push(line);
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_column_breaks_between_words() {
        let table = [["name", "what"], ["one", "a word and another word and more of them, and on"]]
            .map(|row| row.map(str::to_owned));
        let wide = " name  what\n one   a word and another word and more of them, and on\n";
        assert_eq!(rows(&table, None), wide);
        let narrow =
            " name  what\n one   a word and another word and more\n       of them, and on\n";
        assert_eq!(rows(&table, Some(40)), narrow);
        let below =
            " name\n    what\n one\n    a word and another word and\n    more of them, and on\n";
        assert_eq!(rows(&table, Some(34)), below);
    }

    #[test]
    fn long_words_and_lines_stay() {
        let path = "/a/path/that/is/longer/than/any/line/may/be";
        assert_eq!(wrapped(path, 2, Some(34)), path);
        assert_eq!(wrapped("one\n  two", 2, Some(60)), "one\n    two");
    }
}

//! A table before it has a form: for the terminal or a file, or in Markdown.

use comfy_table::{Table as Grid, presets};

/// Rows of cells, the head first. A cell may have several lines.
pub(super) struct Table {
    /// What it shows; nothing where the line above says it.
    pub(super) title: Option<String>,
    /// This number of columns is repeated where the others do not fit beside each other.
    pub(super) fixed: usize,
    pub(super) rows: Vec<Vec<String>>,
}

/// A column of figures is no narrower.
const NARROWEST: usize = 9;

impl Table {
    /// In columns; blocks below each other when they do not all fit into `width`.
    pub(super) fn text(&self, width: usize) -> Vec<String> {
        let widest = |c: usize| self.rows.iter().flat_map(move |row| row[c].lines()).map(length);
        let widths: Vec<usize> = (0..self.rows[0].len())
            .map(|c| widest(c).max().unwrap_or(0).max(if c < self.fixed { 0 } else { NARROWEST }))
            .collect();
        let left: usize = widths[..self.fixed].iter().map(|w| w + 2).sum();
        let mut lines: Vec<String> = self.title.clone().into_iter().collect();
        let mut from = self.fixed;
        while from < widths.len() {
            let mut to = from;
            let mut used = left;
            while to < widths.len() && (to == from || used + widths[to] + 2 <= width) {
                used += widths[to] + 2;
                to += 1;
            }
            if from > self.fixed {
                lines.push(String::new());
            }
            let columns: Vec<usize> = (0..self.fixed).chain(from..to).collect();
            for row in &self.rows {
                lines.extend(row_lines(row, &columns, &widths));
            }
            from = to;
        }
        lines
    }

    /// As Markdown: the title in bold, then the table.
    pub(super) fn markdown(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        if let Some(title) = &self.title {
            lines.extend([format!("**{}**", escaped(title)), String::new()]);
        }
        let mut grid = Grid::new();
        grid.load_style(presets::ASCII_MARKDOWN);
        let mut rows = self.rows.iter().map(|row| row.iter().map(|cell| escaped(cell)));
        if let Some(head) = rows.next() {
            grid.set_header(head);
        }
        grid.add_rows(rows);
        lines.extend(grid.lines());
        lines
    }
}

/// A row is as high as its highest cell.
fn row_lines<'a>(
    row: &'a [String],
    columns: &'a [usize],
    widths: &'a [usize],
) -> impl Iterator<Item = String> + 'a {
    let height = columns.iter().map(|&c| row[c].lines().count()).max().unwrap_or(0);
    (0..height).map(move |line| {
        let cell =
            |&c: &usize| format!("{:<1$}", row[c].lines().nth(line).unwrap_or(""), widths[c]);
        let cells: Vec<String> = columns.iter().map(cell).collect();
        format!("  {}", cells.join("  ")).trim_end().to_owned()
    })
}

fn length(text: &str) -> usize {
    text.chars().count()
}

/// What stands in a Markdown table for the same text.
pub(super) fn escaped(text: &str) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| {
            let special = |c: char| matches!(c, '\\' | '|' | '*' | '<' | '_' | '`');
            line.trim()
                .chars()
                .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
                .collect()
        })
        .collect();
    lines.join("<br>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let rows = rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect());
        Table { title: Some("time ÷ glibc's".to_owned()), fixed: 1, rows: rows.collect() }
    }

    #[test]
    fn columns_that_do_not_fit_go_below() {
        let table = table(&[&["a", "1", "22", "333"], &["long", "1", "22", "333"]]);
        assert_eq!(table.text(100).len(), 3);
        let narrow = table.text(30);
        assert_eq!(narrow.len(), 6, "{narrow:#?}");
        assert!(narrow.iter().all(|l| l.chars().count() <= 32));
        assert!(narrow[4].trim_start().starts_with('a'));
    }

    #[test]
    fn a_cell_of_two_lines_makes_its_row_two_lines_high() {
        let table =
            table(&[&["allocator", "wall"], &["glibc\n  2.36", "1.2 s\n1"], &["none", "failed"]]);
        let text = table.text(100).join("\n");
        let wanted = "time ÷ glibc's\n  allocator  wall\n  glibc      1.2 s\n    2.36     1\n  none       failed";
        assert_eq!(text, wanted);
    }

    #[test]
    fn markdown_has_the_same_cells() {
        let table =
            table(&[&["", "glibc", "ours"], &["a|b", "1", "0.51 ±0.02 *"], &["c\nd", "1", "-"]]);
        let lines = table.markdown();
        assert_eq!(lines[0], "**time ÷ glibc's**");
        assert!(lines[4].contains("a\\|b") && lines[4].contains("0.51 ±0.02 \\*"), "{lines:#?}");
        assert!(lines[5].contains("c<br>d"), "{lines:#?}");
        assert!(lines[2..].iter().all(|l| l.starts_with('|') && l.ends_with('|')), "{lines:#?}");
    }
}

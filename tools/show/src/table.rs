//! A table before it has a form: columns in a terminal or a file, Markdown, CSV, or serialized for a page or as JSON.

use comfy_table::{CellAlignment, Table as Grid, presets};
use serde::Serialize;

use crate::text;

/// Rows of cells under the same columns.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Table {
    /// What its file is called, and its place in a page.
    pub id: &'static str,
    /// What it shows; nothing where that is said elsewhere.
    pub title: String,
    /// This number of columns names a row: they are repeated where the others do not fit beside each other.
    pub lead: usize,
    pub columns: Vec<Column>,
    /// The rows, under one or several headings.
    pub groups: Vec<Group>,
    /// Whether a page sorts it by a column.
    pub sortable: bool,
    /// Whether the last column is text, which breaks between words where the line ends.
    pub has_text: bool,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Column {
    pub name: String,
    /// What is shown where it is pointed at.
    pub note: String,
    /// Whose figures these are, by the numbers of a page's key.
    pub who: Option<usize>,
    pub colour: usize,
    pub is_ours: bool,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Group {
    /// The heading; empty: there is none.
    pub title: String,
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Cell {
    pub text: String,
    pub small: String,
    /// What is shown where it is pointed at.
    pub title: String,
    /// Whom the row is about, by the numbers of a page's key.
    pub who: Option<usize>,
    pub sort: String,
    pub class: &'static str,
}

impl<T: Into<String>> From<T> for Column {
    fn from(name: T) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        let text = text.into();
        Self { sort: text.to_lowercase(), text, ..Self::default() }
    }
}

impl Cell {
    pub fn over(mut self, small: impl Into<String>) -> Self {
        self.small = small.into();
        self
    }

    fn lines(&self) -> String {
        let gap = if self.small.is_empty() { "" } else { "\n" };
        text::visible(&format!("{}{gap}{}", self.text, self.small)).into_owned()
    }
}

impl Table {
    /// One without rows. The first column names them.
    pub fn new<C: Into<Column>>(columns: impl IntoIterator<Item = C>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { lead: 1, columns, ..Self::default() }
    }

    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        if self.groups.is_empty() {
            self.groups.push(Group::default());
        }
        if let Some(group) = self.groups.last_mut() {
            group.rows.push(cells.into_iter().map(Into::into).collect());
        }
    }

    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| group.rows.is_empty())
    }

    pub fn rows(&self) -> impl Iterator<Item = &Vec<Cell>> {
        self.groups.iter().flat_map(|group| &group.rows)
    }

    /// The same without the smaller lines.
    pub fn brief(mut self) -> Self {
        let rows = self.groups.iter_mut().flat_map(|group| &mut group.rows);
        rows.flatten().for_each(|cell| cell.small.clear());
        self
    }

    /// Lines of columns. What does not fit into `width` stands below, under the same leading columns; text is wrapped.
    pub fn text(&self, width: Option<usize>) -> String {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let widths = self.grid(&all, &[]).column_max_content_widths();
        let taken = |columns: &[usize]| -> usize {
            columns.iter().map(|&c| usize::from(widths[c]) + GAP).sum()
        };
        let mut text = String::new();
        if !self.title.is_empty() {
            text += &(text::wrapped(&self.title, 0, width) + "\n");
        }
        let Some(width) = width.filter(|width| taken(&all) > *width) else {
            return text + &self.block(&all, &[]);
        };
        if let (true, [beside @ .., last]) = (self.has_text, &all[..]) {
            return text + &self.with_text(beside, *last, taken(beside) + GAP, width);
        }
        let lead = &all[..self.lead];
        let mut rest = &all[self.lead..];
        while !rest.is_empty() {
            let fits = |n: &usize| taken(lead) + taken(&rest[..*n]) <= width;
            let n = (1..=rest.len()).rev().find(fits).unwrap_or(1);
            text += &self.block(&[lead, &rest[..n]].concat(), &[]);
            rest = &rest[n..];
            if !rest.is_empty() {
                text.push('\n');
            }
        }
        text
    }

    /// The last column beside the others where it has some place there, else below them.
    fn with_text(&self, beside: &[usize], last: usize, indent: usize, width: usize) -> String {
        let head = self.columns[last].name.as_str();
        let texts =
            || core::iter::once(head.to_owned()).chain(self.rows().map(|row| row[last].lines()));
        if indent + text::LEAST <= width {
            let wrapped: Vec<String> =
                texts().map(|text| text::wrapped(&text, 0, Some(width - indent))).collect();
            return self.block(&[beside, &[last]].concat(), &wrapped);
        }
        let mut lines = self.block(beside, &[]).lines().map(str::to_owned).collect::<Vec<_>>();
        for (line, text) in lines.iter_mut().zip(texts()) {
            if !text.is_empty() {
                *line +=
                    &format!("\n{}{}", " ".repeat(BELOW), text::wrapped(&text, BELOW, Some(width)));
            }
        }
        lines.join("\n") + "\n"
    }

    fn block(&self, columns: &[usize], last: &[String]) -> String {
        self.grid(columns, last)
            .lines()
            .map(|line| format!(" {line}").trim_end().to_owned() + "\n")
            .collect()
    }

    /// Some columns, aligned; `last`, if there is any, stands for the cells of the last of them.
    fn grid(&self, columns: &[usize], last: &[String]) -> Grid {
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING);
        let heads = self.columns.iter().map(|column| column.name.clone()).collect();
        let cells = |row: &Vec<Cell>| row.iter().map(Cell::lines).collect::<Vec<_>>();
        let rows = core::iter::once(heads).chain(self.rows().map(cells));
        for (number, mut row) in rows.enumerate() {
            if let (Some(text), Some(&at)) = (last.get(number), columns.last()) {
                row[at].clone_from(text);
            }
            grid.add_row(columns.iter().map(|&column| row[column].clone()));
        }
        for column in grid.column_iter_mut() {
            column.set_padding((1, 1));
        }
        grid
    }

    /// In Markdown: the title in bold, then the table; figures to the right.
    pub fn markdown(&self) -> String {
        let mut grid = Grid::new();
        grid.load_style(presets::ASCII_MARKDOWN);
        grid.set_header(self.columns.iter().map(|column| text::markdown(&column.name)));
        for row in self.rows() {
            grid.add_row(row.iter().map(|cell| text::markdown(&cell.lines())));
        }
        let figures = if self.has_text { self.columns.len() } else { self.lead };
        for column in grid.column_iter_mut().skip(figures) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let title = match self.title.as_str() {
            "" => String::new(),
            title => format!("**{}**\n\n", text::markdown(title)),
        };
        format!("{title}{grid}\n")
    }

    /// As comma-separated values, the heads first.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let heads = self.columns.iter().map(|column| column.name.as_str());
        let rows = self.rows().map(|row| row.iter().map(|cell| cell.text.as_str()).collect());
        for row in core::iter::once(heads.collect::<Vec<_>>()).chain(rows) {
            // A vector takes all that is written, and every row has all columns.
            let _ = writer.write_record(row);
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

/// Blanks between two columns.
const GAP: usize = 2;
/// By how much text is indented that has no place beside its row.
const BELOW: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let mut table =
            Table { title: "time ÷ glibc's".to_owned(), ..Table::new(rows[0].to_vec()) };
        rows[1..].iter().for_each(|row| table.row(row.to_vec()));
        table
    }

    #[test]
    fn columns_that_do_not_fit_go_below() {
        let table = table(&[&["a", "1111111", "2222222", "3333333"], &["long", "1", "22", "333"]]);
        assert_eq!(table.text(Some(100)).lines().count(), 3);
        let narrow = table.text(Some(26));
        assert_eq!(narrow.lines().count(), 6, "{narrow}");
        assert!(narrow.lines().all(|line| line.chars().count() <= 26), "{narrow}");
        assert!(narrow.lines().nth(4).unwrap().trim_start().starts_with('a'), "{narrow}");
    }

    #[test]
    fn a_cell_of_two_lines_makes_its_row_two_lines_high() {
        let mut table = table(&[&["allocator", "wall"]]);
        table.row([Cell::from("glibc").over("  2.36"), Cell::from("1.2 s").over("1")]);
        table.row(["none", "failed"]);
        let wanted = "time ÷ glibc's\n  allocator  wall\n  glibc      1.2 s\n    2.36     1\n  none       failed\n";
        assert_eq!(table.text(None), wanted);
        assert_eq!(table.brief().text(None).lines().count(), 4);
    }

    #[test]
    fn text_breaks_between_words() {
        let mut table = table(&[
            &["name", "what"],
            &["one", "a word and another word and more of them, and on"],
        ]);
        (table.has_text, table.title) = (true, String::new());
        let wide = "  name  what\n  one   a word and another word and more of them, and on\n";
        assert_eq!(table.text(None), wide);
        let narrow =
            "  name  what\n  one   a word and another word and more\n        of them, and on\n";
        assert_eq!(table.text(Some(40)), narrow);
        let below =
            "  name\n    what\n  one\n    a word and another word and\n    more of them, and on\n";
        assert_eq!(table.text(Some(34)), below);
    }

    #[test]
    fn markdown_has_the_same_cells() {
        let table =
            table(&[&["", "glibc", "ours"], &["a|b", "1", "0.51 ±0.02 *"], &["c\nd", "1", "-"]]);
        let text = table.markdown();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "**time ÷ glibc's**");
        assert!(lines[4].contains("a\\|b") && lines[4].contains("0.51 ±0.02 \\*"), "{text}");
        assert!(lines[5].contains("c<br>d"), "{text}");
        assert!(lines[2..].iter().all(|l| l.starts_with('|') && l.ends_with('|')), "{text}");
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        assert_eq!(table(&[&["a", "b"], &["x,y", "1"]]).csv(), "a,b\n\"x,y\",1\n");
    }
}

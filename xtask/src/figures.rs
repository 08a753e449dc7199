//! Tables of figures, as chores print them.

use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

use crate::files;

/// An empty table with this header: names to the left, figures to the right.
pub fn table<'a>(header: impl IntoIterator<Item = &'a str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header.into_iter().collect::<Vec<_>>());
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The text of `page` with `text` between the two lines that mark the part of a chore.
pub fn replaced(page: &Path, chore: &str, text: &str) -> Result<String, String> {
    let old = files::read(page)?;
    let [begin, end] = marks(chore);
    between(&old, &begin, &end, text)
        .ok_or_else(|| format!("{}: the lines {begin:?} and {end:?} are missing", page.display()))
}

pub fn marks(chore: &str) -> [String; 2] {
    ["begin", "end"]
        .map(|which| format!("<!-- written by cargo xtask {chore} --write: {which} -->"))
}

fn between(old: &str, begin: &str, end: &str, text: &str) -> Option<String> {
    let (before, rest) = old.split_once(begin)?;
    let (_, after) = rest.split_once(end)?;
    Some(format!("{before}{begin}\n\n{text}\n\n{end}{after}"))
}

/// The geometric mean of ratios, which are positive; of one it is that one. `None`: there are none.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    match ratios {
        [] => None,
        [one] => Some(*one),
        #[expect(clippy::cast_precision_loss, reason = "some dozens")]
        _ => Some((ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp()),
    }
}

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn a_page_keeps_what_is_around_the_lines() {
        let page = "a\nBEGIN\nold\nEND\nb\n";
        let new = between(page, "BEGIN", "END", "new");
        assert_eq!(new.as_deref(), Some("a\nBEGIN\n\nnew\n\nEND\nb\n"));
        assert_eq!(between("nothing", "BEGIN", "END", "new"), None);
    }
}

//! Tables of figures, as chores print them.

use comfy_table::{CellAlignment, Table, presets};

/// An empty table with this header: names to the left, figures to the right.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

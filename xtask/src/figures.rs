//! Tables of figures, as chores print them.

use comfy_table::{CellAlignment, Table, presets};

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

/// The geometric mean of ratios, which are positive; of one it is that one. `None`: there are none.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    match ratios {
        [] => None,
        [one] => Some(*one),
        #[expect(clippy::cast_precision_loss, reason = "some dozens")]
        _ => Some((ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp()),
    }
}

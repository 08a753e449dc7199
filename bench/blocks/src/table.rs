//! Tables in Markdown: the same text for the terminal and for the document.
use comfy_table::{Table, presets};

/// An empty table with these columns.
pub(crate) fn markdown(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header.to_vec());
    table
}

/// A figure with `digits` digits; nothing where it was not measured.
pub(crate) fn figure(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(String::new, |value| format!("{value:.digits$}"))
}

/// A number with commas.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| core::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}

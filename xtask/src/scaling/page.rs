//! The tables in docs/scaling.md: what stands between two marks is replaced.

use std::fs;
use std::path::Path;

const FROM: &str = "<!-- written by cargo xtask scaling --write: begin -->";
const TO: &str = "<!-- written by cargo xtask scaling --write: end -->";

/// Puts `tables` into a page.
pub(super) fn write(page: &Path, tables: &str) -> Result<(), String> {
    let why = |e: std::io::Error| format!("{}: {e}", page.display());
    let text = fs::read_to_string(page).map_err(why)?;
    let new = replaced(&text, tables)
        .ok_or(format!("{}: the marks {FROM} and {TO} are not there", page.display()))?;
    fs::write(page, new).map_err(why)
}

fn replaced(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(FROM)?;
    let (_, after) = rest.split_once(TO)?;
    Some(format!("{before}{FROM}\n\n{}\n\n{TO}{after}", tables.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_marks_is_replaced() {
        let page = format!("a\n{FROM}\nold\n{TO}\nb\n");
        let new = replaced(&page, "\n| x |\n").expect("marks");
        assert_eq!(new, format!("a\n{FROM}\n\n| x |\n\n{TO}\nb\n"));
        assert_eq!(replaced(&new, "| x |"), Some(new.clone()));
        assert_eq!(replaced("no marks", "| x |"), None);
    }
}

//! What happens from each mark of the program to the next.

use show::number::{bytes, count};
use show::text::cut;
use show::{Column, Table};

use crate::facts::Facts;
use crate::marks::ByMark;

/// Rows, and characters of a name.
const ROWS: usize = 12;
const NAME: usize = 18;

/// Of the marks that come again and again, the one that keeps most in all. Where a few keep much, the middle one is not the mean.
pub(super) fn sentence(facts: &Facts) -> Option<String> {
    let often = facts.marks.iter().filter(|mark| mark.times > 2);
    let most = often.max_by_key(|mark| mark.kept).filter(|mark| mark.kept > 0)?;
    let mean = mean(most);
    let median = match (mean - most.keeps as f64).abs() > mean / 10.0 {
        true => format!(" in the mean (the median: {})", signed(most.keeps as f64)),
        false => String::new(),
    };
    Some(format!(
        "Each mark “{}” leaves {} behind{median}: {} after {}.",
        most.name,
        bytes(mean),
        bytes(most.kept as f64),
        count(most.times as f64)
    ))
}

fn mean(mark: &ByMark) -> f64 {
    mark.kept as f64 / mark.times.max(1) as f64
}

fn signed(n: f64) -> String {
    if n < 0.0 { format!("-{}", bytes(-n)) } else { bytes(n) }
}

/// A row for each, in the order in which they were first made.
pub(super) fn table(facts: &Facts) -> Table {
    let heads =
        ["from mark to next", "times", "keeps", "median", "at most", "blocks", "live at last"];
    let mut table = Table::new(heads.map(Column::from));
    for mark in facts.marks.iter().take(ROWS) {
        table.row([
            cut(&mark.name, NAME),
            count(mark.times as f64),
            signed(mean(mark)),
            signed(mark.keeps as f64),
            bytes(mark.peak as f64),
            count(mark.blocks as f64),
            bytes(mark.live.1 as f64),
        ]);
    }
    if let Some(more) = facts.marks.len().checked_sub(ROWS).filter(|more| *more > 0) {
        table.row([format!("{more} more")]);
    }
    table
}

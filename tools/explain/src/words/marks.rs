//! What happens from each mark of the program to the next.

use show::number::{bytes, count};
use show::text::cut;
use show::{Column, Table};

use crate::facts::Facts;
use crate::marks::ByMark;

/// Rows, and characters of a name.
const ROWS: usize = 12;
const NAME: usize = 24;

/// Of the marks that come again and again, the one that keeps most.
pub(super) fn sentence(facts: &Facts) -> Option<String> {
    let all = |mark: &ByMark| mark.keeps.saturating_mul(mark.times.cast_signed());
    let most = facts.marks.iter().filter(|mark| mark.times > 2).max_by_key(|mark| all(mark))?;
    (most.keeps > 0).then(|| {
        format!(
            "Each mark “{}” leaves {} behind (the median of {}): {} in all.",
            most.name,
            bytes(most.keeps as f64),
            count(most.times as f64),
            bytes(all(most) as f64)
        )
    })
}

/// A row for each, in the order in which they were first made.
pub(super) fn table(facts: &Facts) -> Table {
    let heads =
        ["from a mark to the next", "times", "keeps", "peak", "most", "blocks", "live", "at last"];
    let mut table = Table::new(heads.map(Column::from));
    for mark in facts.marks.iter().take(ROWS) {
        let keeps = bytes(mark.keeps.unsigned_abs() as f64);
        table.row([
            cut(&mark.name, NAME),
            count(mark.times as f64),
            if mark.keeps < 0 { format!("-{keeps}") } else { keeps },
            bytes(mark.usual_peak as f64),
            bytes(mark.peak as f64),
            count(mark.blocks as f64),
            bytes(mark.live.0 as f64),
            bytes(mark.live.1 as f64),
        ]);
    }
    if let Some(more) = facts.marks.len().checked_sub(ROWS).filter(|more| *more > 0) {
        table.row([format!("{more} more")]);
    }
    table
}

//! The figures behind the words.

use show::number::{NONE, bytes, count, nanoseconds, percent};
use show::{Cell, Column, Table};

use super::sizes as named;
use crate::facts::{Facts, Moment};

/// Rows of sizes.
const ROWS: usize = 6;

/// What the memory was, at the moments that matter.
pub(super) fn moments(facts: &Facts) -> Table {
    let mut moments: Vec<(&str, &Moment)> = vec![("at the peak", &facts.peak)];
    moments.extend(facts.much_worse().map(|worst| ("most free", worst)));
    moments.push(("work done", &facts.last));
    let heads = moments.iter().map(|(name, _)| Column::from(*name));
    let mut table = Table::new([Column::from("")].into_iter().chain(heads));
    let mut row = |name: &str, figure: &dyn Fn(&Moment) -> String| {
        let cells = moments.iter().map(|(_, moment)| Cell::from(figure(moment)));
        table.row([Cell::from(name)].into_iter().chain(cells));
    };
    let part = |n: u64| if n == 0 { NONE.to_owned() } else { bytes(n as f64) };
    row("at", &|moment| nanoseconds(moment.time as f64));
    row("resident", &|moment| part(moment.resident));
    row("  asked for", &|moment| part(moment.account.asked));
    row("  added by malloc", &|moment| part(moment.account.rounding));
    row("  free, on a page with blocks", &|moment| part(moment.account.pinned));
    row("  free pages, blocks near", &|moment| part(moment.account.scattered));
    row("  free pages, none near", &|moment| part(moment.account.kept));
    row("  mapped by the program", &|moment| part(moment.account.mapped()));
    row("  stacks, static data, other", &|moment| part(moment.account.elsewhere));
    let first = if facts.program.begins_late { "  there before" } else { "  code and libraries" };
    row(first, &|moment| part(moment.account.base + moment.account.files));
    row("live blocks", &|moment| count(moment.blocks as f64));
    table
}

/// The sizes that are most of what is live at the peak, and whether they grow.
pub(super) fn sizes(facts: &Facts) -> Table {
    let heads = ["live at the peak", "blocks", "asked for", "share", "growth"];
    let mut table = Table::new(heads.map(Column::from));
    for row in facts.peak.by_size.iter().take(ROWS) {
        let bin = facts.growth.by_size.iter().find(|bin| bin.from <= row.from && row.to <= bin.to);
        let growth = bin.map_or(0, |bin| bin.growth());
        let growth = match growth {
            0 => NONE.to_owned(),
            n if n > 0 => format!("+{}", bytes(n as f64)),
            n => bytes(n as f64),
        };
        table.row([
            named(row.from, row.to),
            count(row.blocks as f64),
            bytes(row.bytes as f64),
            percent(row.bytes as f64 / facts.peak.live.max(1) as f64),
            growth,
        ]);
    }
    table
}

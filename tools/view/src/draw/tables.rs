//! Size × lifetime and who allocated × who freed, as shares of all blocks.

use show::number::{bytes, count};
use show::text::cut;
use show::{Cell, Table};

use super::ink::{Ink, Line};
use crate::lifetimes::Sum;
use crate::pictures::Pictures;

/// Columns of six fit twelve times into 80.
const HEADS: [&str; 12] =
    ["<100ns", "1µs", "10µs", "100µs", "1ms", "10ms", "100ms", "1s", "10s", "100s", "more", "kept"];

/// A line for each size.
pub(crate) fn lifetimes(pictures: &Pictures) -> Vec<Line> {
    let rows = pictures.lifetimes.rows();
    let all: u64 = rows.iter().flat_map(|(_, sums)| sums.iter()).map(|sum| sum.blocks).sum();
    let used: Vec<usize> =
        (0..HEADS.len()).filter(|c| rows.iter().any(|(_, sums)| sums[*c].blocks > 0)).collect();
    let mut head = format!("{:>9}", "");
    used.iter().for_each(|column| head += &format!("{:>7}", HEADS[*column]));
    let mut lines = vec![Line::of(&(head + "    bytes"), Ink::Mute)];
    for (name, sums) in rows {
        let mut line = Line::of(&format!("{name:>9}"), Ink::Mute);
        for column in &used {
            let text = share(sums[*column].blocks, all);
            let is_much = sums[*column].blocks * 20 >= all;
            line.put(&format!("{text:>7}"), if is_much { Ink::Strong } else { Ink::Plain });
        }
        let total: u64 = sums.iter().fold(0, |total, sum| total.saturating_add(sum.bytes));
        line.put(&format!("  {:>9}", bytes(total as f64)), Ink::Mute);
        lines.push(line);
    }
    lines
}

/// Letters of a size and of a number, and the longest bar.
const SIZE: usize = 9;
const NUMBER: usize = 14;
const BAR: usize = 48;

/// A bar for each size: how many blocks were allocated, and how many were freed.
pub(crate) fn sizes(pictures: &Pictures, width: usize) -> Vec<Line> {
    let rows = pictures.lifetimes.by_size();
    let most = rows.iter().map(|row| row.allocated).max().unwrap_or(0).max(1);
    let room = width.saturating_sub(SIZE + 2 * NUMBER + 2).clamp(1, BAR);
    let head = format!("{:SIZE$}{:>NUMBER$}{:>NUMBER$}", "", "allocated", "freed");
    let mut lines = vec![Line::of(&head, Ink::Mute)];
    for row in rows {
        let [allocated, freed] = [row.allocated, row.freed].map(|n| count(n as f64));
        let mut line = Line::of(&format!("{:>SIZE$}", row.name), Ink::Mute);
        line.put(&format!("{allocated:>NUMBER$}{freed:>NUMBER$}  "), Ink::Plain);
        let bar = (u128::from(row.allocated) * room as u128).div_ceil(u128::from(most));
        line.put(&"█".repeat(bar as usize), Ink::Live);
        lines.push(line);
    }
    lines
}

/// A row for each thread that allocated.
pub(crate) fn pairs(pictures: &Pictures, width: usize) -> Vec<Line> {
    let matrix = &pictures.pairs;
    let all: u64 = matrix.sums.iter().flatten().map(|sum| sum.blocks).sum();
    let name = |name: &String| cut(name, 14);
    let columns = matrix.names.iter().map(name).chain(["nobody".to_owned()]);
    let mut table = Table::new(core::iter::once(String::new()).chain(columns));
    for (by, sums) in matrix.names.iter().zip(&matrix.sums) {
        let cell = |sum: &Sum| Cell::from(share(sum.blocks, all));
        table.row(core::iter::once(Cell::from(name(by))).chain(sums.iter().map(cell)));
    }
    table.text(Some(width)).lines().map(|line| Line::of(line, Ink::Plain)).collect()
}

/// `12`, `0.4`, `<0.1`; a point for none.
pub(crate) fn share(part: u64, all: u64) -> String {
    match part as f64 * 100.0 / all.max(1) as f64 {
        _ if part == 0 => "·".to_owned(),
        s if s < 0.05 => "<0.1".to_owned(),
        s if s < 9.95 => format!("{s:.1}"),
        s => format!("{s:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_short() {
        assert_eq!(
            [0, 1, 40, 996, 100_000].map(|part| share(part, 100_000)),
            ["·", "<0.1", "<0.1", "1.0", "100"]
        );
    }
}

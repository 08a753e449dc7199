//! What people read first: how much, and the twenty places that hold most.

use show::number::{bytes, count, nanoseconds, percent};
use show::text::wrapped;
use show::{Cell, Table};
use trace::Estimate;

use crate::compare::{Change, Comparison};
use crate::cost::Cost;
use crate::gather::Profile;
use crate::sites::{Site, sites};

const ROWS: usize = 20;

/// The headline and the table, by falling cost.
pub fn text(profile: &Profile, by: Cost, width: Option<usize>) -> String {
    let mut text = String::new();
    for line in head(profile) {
        text += &wrapped(&line, 9, width);
        text.push('\n');
    }
    let sites = sites(profile, by);
    let is_there = |site: &&Site| site.costs.of(by).bytes >= 0.5;
    let shown: Vec<&Site> = sites.iter().filter(is_there).take(ROWS).collect();
    if shown.is_empty() {
        text += &format!("\nNothing is {}.\n", by.name());
        return text;
    }
    text.push('\n');
    text += &table(profile, &shown, by).text(width);
    let rest = sites.iter().filter(is_there).skip(ROWS);
    let (n, left) = rest.fold((0, 0.0), |(n, sum), site| (n + 1, sum + site.costs.of(by).bytes));
    if n > 0 {
        let n = show::text::many(n, "more place");
        text += &format!("{n}: {} {}\n", bytes(left), by.name());
    }
    for trouble in &profile.names.troubles {
        text += &wrapped(&format!("names    {trouble}"), 9, width);
        text.push('\n');
    }
    text
}

/// How much there is, in lines of a name and what it is.
fn head(profile: &Profile) -> Vec<String> {
    let sample = match profile.interval {
        0 => format!("every block, {} of them", count(profile.samples as f64)),
        interval => format!(
            "a block each {}, {} in all; ± is for 95 of 100 cases, and what is not listed is less than {}",
            bytes(interval as f64),
            count(profile.samples as f64),
            bytes(Estimate::default().between(interval).1)
        ),
    };
    let of = |cost: Cost| with_margin(profile.all.of(cost), profile.interval);
    let allocated = profile.all.of(Cost::Allocated).bytes;
    let temporary = profile.all.of(Cost::Temporary).bytes;
    let mut lines = vec![
        format!(
            "program  {}, process {}, on {}, {}",
            profile.command,
            profile.pid,
            profile.malloc,
            nanoseconds(profile.duration as f64)
        ),
        format!("sample   {sample}"),
        format!(
            "live     {} at the peak, after {}; {} at the end",
            of(Cost::Peak),
            nanoseconds(profile.peak_time as f64),
            of(Cost::Live)
        ),
        format!(
            "all      {} allocated; {} of it temporary: freed within a millisecond",
            of(Cost::Allocated),
            if allocated > 0.0 { percent(temporary / allocated) } else { "none".to_owned() }
        ),
    ];
    lines.extend(profile.missing.iter().map(|missing| format!("missing  {missing}")));
    lines
}

/// `96.1 MiB ±2 %`; without a sample the number alone.
pub(crate) fn with_margin(estimate: &Estimate, interval: u64) -> String {
    match interval {
        0 => bytes(estimate.bytes),
        _ if estimate.bytes < 0.5 => {
            format!("less than {}", bytes(estimate.between(interval).1))
        }
        _ => format!("{} {}", bytes(estimate.bytes), off(estimate, interval)),
    }
}

fn table(profile: &Profile, sites: &[&Site], by: Cost) -> Table {
    let others = Cost::ALL.into_iter().filter(|&cost| cost != by && cost != Cost::Temporary);
    let others: Vec<Cost> = others.collect();
    let mut columns = vec![by.name().to_owned()];
    columns.extend((profile.interval > 0).then(|| "±".to_owned()));
    columns.push("%".to_owned());
    columns.extend(others.iter().map(|cost| cost.name().to_owned()));
    columns.push("where".to_owned());
    let mut table = Table::new(columns);
    table.has_text = true;
    let all = profile.all.of(by).bytes;
    for site in sites {
        let own = site.costs.of(by);
        let mut row = vec![bytes(own.bytes)];
        row.extend((profile.interval > 0).then(|| off(own, profile.interval)));
        row.push(percent(own.bytes / all.max(1.0)));
        row.extend(others.iter().map(|&cost| bytes(site.costs.of(cost).bytes)));
        row.push(site.name.clone());
        table.row(row.into_iter().map(Cell::from));
    }
    table
}

/// How far off a figure may be: `±7 %`; where the sample has few blocks of it, more upward than down: `−61 +183 %`.
pub(crate) fn off(estimate: &Estimate, interval: u64) -> String {
    /// Up to this both sides are about the same.
    const ALIKE: f64 = 1.2;
    let (low, high) = estimate.between(interval);
    let [down, up] = [estimate.bytes - low, high - estimate.bytes].map(|off| off / estimate.bytes);
    match up {
        up if up < 0.0005 => "±0 %".to_owned(),
        up if up < down * ALIKE => format!("±{}", percent(up)),
        up => format!("−{:.0} +{:.0} %", down * 100.0, up * 100.0),
    }
}

/// What was never freed, by where it was allocated: all of it.
pub fn leaks(profile: &Profile, width: Option<usize>) -> String {
    let sites = sites(profile, Cost::Live);
    let left: Vec<&Site> =
        sites.iter().filter(|site| site.costs.of(Cost::Live).bytes >= 0.5).collect();
    let all = profile.all.of(Cost::Live);
    if left.is_empty() {
        return "leaks    all that was allocated was freed\n".to_owned();
    }
    let blocks = count(all.blocks.round());
    let places = show::text::many(left.len(), "place");
    let line = format!(
        "leaks    {} in {blocks} blocks were never freed, of {places}",
        with_margin(all, profile.interval)
    );
    let mut table = Table::new(["never freed", "blocks", "where"]);
    table.has_text = true;
    for site in left {
        let live = site.costs.of(Cost::Live);
        table.row([
            with_margin(live, profile.interval),
            count(live.blocks.round()),
            site.name.clone(),
        ]);
    }
    format!("{}\n\n{}", wrapped(&line, 9, width), table.text(width))
}

pub fn compared(comparison: &Comparison, width: Option<usize>) -> String {
    let Comparison { what, all, changes } = comparison;
    let said = if what == "inuse_space" { "in use" } else { "allocated" };
    let line = format!(
        "{} {said} before, {} now: {}. + grew, − shrank; ± is for 95 of 100 cases.",
        bytes(all.old),
        bytes(all.new),
        grew(all)
    );
    let mut text = wrapped(&line, 0, width) + "\n";
    let (sure, chance): (Vec<&Change>, Vec<&Change>) = changes
        .iter()
        .filter(|change| change.by().abs() >= 0.5)
        .partition(|change| change.is_sure());
    if !sure.is_empty() {
        let mut table = Table::new(["change", "±", "before", "now", "where"]);
        table.has_text = true;
        for change in sure.iter().take(ROWS) {
            let margin = if change.margin > 0.0 { bytes(change.margin) } else { String::new() };
            let cells = [
                signed(change.by()),
                margin,
                bytes(change.old),
                bytes(change.new),
                change.name.clone(),
            ];
            table.row(cells);
        }
        text += &format!("\n{}", table.text(width));
    }
    let more: f64 = sure.iter().skip(ROWS).map(|change| change.by()).sum();
    if sure.len() > ROWS {
        let places = show::text::many(sure.len() - ROWS, "more place");
        text += &format!("{places}: {}\n", signed(more));
    }
    let small: f64 = chance.iter().map(|change| change.by()).sum();
    if !chance.is_empty() {
        let places = show::text::many(chance.len(), "place");
        let line = format!(
            "{places} changed by less than the margin, {} together: this may be chance.",
            signed(small)
        );
        text += &(wrapped(&line, 0, width) + "\n");
    } else if sure.is_empty() {
        text += "Nothing changed.\n";
    }
    text
}

fn grew(all: &Change) -> String {
    let margin = if all.margin > 0.0 { format!(" ±{}", bytes(all.margin)) } else { String::new() };
    format!("{}{margin}", signed(all.by()))
}

/// `+ 3.10 MiB`, `− 12 B`.
fn signed(v: f64) -> String {
    let sign = if v < 0.0 { "−" } else { "+" };
    format!("{sign} {}", bytes(v.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn the_table_fits_80_columns_and_says_what_is_asked_for() {
        for by in Cost::ALL {
            let text = text(&profile(), by, Some(80));
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            assert!(text.contains("?+0x5000") && text.contains("every block, 4 of them"), "{text}");
        }
        assert!(leaks(&profile(), Some(80)).starts_with("leaks    2.44 KiB in 2 blocks"));
    }

    #[test]
    fn few_blocks_of_a_sample_are_known_upward_less_well_than_down() {
        let of = |blocks: u32| {
            let mut sum = Estimate::default();
            (0..blocks).for_each(|_| sum.add(100, trace::likely(100, 524_288)));
            off(&sum, 524_288)
        };
        assert_eq!([of(1), of(4), of(1000)], ["−82 +466 %", "−61 +157 %", "±6.4 %"]);
        let mut large = Estimate::default();
        large.add(1 << 30, trace::likely(1 << 30, 524_288));
        assert_eq!(off(&large, 524_288), "±0 %");
    }
}

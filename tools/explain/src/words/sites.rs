//! Sites in words: beside the finding that they explain, and as a table.

use show::number::{NONE, bytes, count, number, percent};
use show::{Column, Table};
use symbols::{Trouble, fitted};

use crate::facts::{Amount, Facts};
use crate::rules::{Finding, Part, Role, parts};

/// Characters of a line, of which a site has what the figures leave, and no fewer than these.
const LINE: usize = 80;
const LEAST: usize = 16;
/// Characters between two columns.
const GAP: usize = 2;
/// Reasons for missing names that are told.
const TROUBLES: usize = 2;

/// Of which site a finding is the most; nothing where none stands out.
pub(super) fn main(facts: &Facts, finding: &Finding) -> Option<String> {
    let part = finding.site?;
    let site = facts.sites.list.get(part.site)?;
    let (name, share) = (&site.name, percent(part.share));
    let about = if facts.sites.interval > 0 { "About " } else { "" };
    Some(match part.role {
        Role::Pins => format!("{about}{share} of it is held by blocks from {name}."),
        _ => format!("{about}{share} of what grows is allocated in {name}."),
    })
}

/// The sites of each role.
pub(super) fn table(facts: &Facts) -> Table {
    let heads = ["by site", "allocated in", "bytes", "blocks", "share"];
    let row = |part: &Part| {
        let role = match part.role {
            Role::Peak => "at the peak",
            Role::Pins => "holds free",
            Role::Grows => "grows",
            Role::Temporary => "temporary",
            Role::Elsewhere => "cross-thread",
        };
        let Amount { blocks, bytes: size, margin, blocks_margin } = part.amount;
        let is_sampled = facts.sites.interval > 0;
        let size = if is_sampled { with_margin(size, margin) } else { bytes(size) };
        // Of small blocks few are sampled: their bytes may be known, and their number not.
        let blocks = if blocks > blocks_margin { count(blocks.round()) } else { NONE.to_owned() };
        [role.to_owned(), String::new(), size, blocks, percent(part.share)]
    };
    let parts = parts(facts);
    let mut rows: Vec<[String; 5]> = parts.iter().map(row).collect();
    let wide = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].len()]).max().unwrap_or_default() + GAP
    };
    let taken: usize = [0, 2, 3, 4].map(wide).iter().sum();
    let most = LINE.saturating_sub(taken + GAP).max(LEAST);
    for (row, part) in rows.iter_mut().zip(&parts) {
        row[1] = facts
            .sites
            .list
            .get(part.site)
            .map_or_else(String::new, |site| fitted(&site.name, most));
    }
    let mut table = Table::new(heads.map(Column::from));
    rows.into_iter().for_each(|row| table.row(row));
    table
}

/// `1.21 ±0.32 MiB`: both in one unit.
fn with_margin(size: f64, margin: f64) -> String {
    let whole = bytes(size);
    let Some((figure, unit)) = whole.split_once(' ') else { return whole };
    let plain: f64 = figure.replace(',', "").parse().unwrap_or(0.0);
    format!("{figure} ±{} {unit}", number(plain * margin / size.max(1.0)))
}

/// What the table's figures are, and why some sites have no name.
pub(super) fn notes(facts: &Facts) -> Vec<String> {
    let sites = &facts.sites;
    let mut notes = Vec::new();
    if sites.interval > 0 && sites.blocks > 0 {
        notes.push(format!(
            "Estimates, from the stacks of {} blocks: one for {} allocated. The truth is within ± in 95 of 100 cases.",
            count(sites.blocks as f64),
            bytes(sites.interval as f64)
        ));
    }
    // Of a file whose names would not be shown nothing has to be said.
    let shown = parts(facts);
    let is_shown = |trouble: &&Trouble| {
        let mut sites = shown.iter().filter_map(|part| sites.list.get(part.site));
        sites.any(|site| site.module == trouble.path && site.line == 0)
    };
    let troubles = sites.troubles.iter().filter(is_shown).take(TROUBLES);
    let troubles = troubles.map(|trouble| format!("Names: {trouble}."));
    notes.extend(troubles);
    notes
}

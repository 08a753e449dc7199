//! How long blocks live, by the place that allocates them: of what it allocated, which share went when.

use show::number::{bytes, percent};
use show::{Cell, Table};

use crate::cost::{Cost, Costs, LIVED};
use crate::gather::Profile;
use crate::sites::{Site, sites};

const ROWS: usize = 20;
pub(crate) const ABOUT: &str =
    "of what each place allocated, which share was freed within that time";

/// The places that allocate most, with the shares of what they allocated that were freed sooner and later, or never.
pub fn lifetimes(profile: &Profile, width: Option<usize>) -> String {
    format!("lifetimes: {ABOUT}\n\n{}", table(profile).text(width))
}

pub(crate) fn table(profile: &Profile) -> Table {
    let sites = sites(profile, Cost::Allocated);
    let is_there = |site: &&Site| site.costs.of(Cost::Allocated).bytes >= 0.5;
    let mut columns = vec!["allocated".to_owned()];
    columns.extend(LIVED.map(|(name, _)| format!("< {name}")));
    columns.extend(["later", "at the end", "where"].map(str::to_owned));
    let mut table = Table::new(columns);
    (table.id, table.has_text) = ("lifetimes", true);
    let mut row = |costs: &Costs, place: &str| {
        let all = costs.of(Cost::Allocated).bytes;
        let mut row = vec![bytes(all)];
        row.extend(shares(costs).map(percent));
        row.push(place.to_owned());
        table.row(row.into_iter().map(Cell::from));
    };
    for site in sites.iter().filter(is_there).take(ROWS) {
        row(&site.costs, &site.name);
    }
    row(&profile.all, "(all)");
    table
}

/// Shares of what was allocated: freed within each time, but not within the one before; later; and never.
fn shares(costs: &Costs) -> [f64; LIVED.len() + 2] {
    let all = costs.of(Cost::Allocated).bytes.max(1.0);
    let mut shares = [0.0; LIVED.len() + 2];
    let [within @ .., later, live] = &mut shares;
    for (share, bytes) in within.iter_mut().zip(costs.lived) {
        *share = bytes / all;
    }
    *live = costs.of(Cost::Live).bytes / all;
    // What is freed was allocated: only rounding makes it less than nothing.
    *later = (1.0 - within.iter().sum::<f64>() - *live).max(0.0);
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn the_shares_of_a_place_are_all_of_it() {
        let profile = profile();
        // Of 3,570 bytes 1,000 went at once, 70 after 5 ms, and 2,500 stay.
        let all = shares(&profile.all).map(|share| (share * 3570.0).round());
        assert_eq!(all, [1000.0, 70.0, 0.0, 0.0, 2500.0]);
        let text = lifetimes(&profile, Some(80));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let whole = text.lines().find(|line| line.ends_with("(all)")).expect("its last row");
        assert!(whole.contains("28 %") && whole.contains("70 %"), "{text}");
    }
}

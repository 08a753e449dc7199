//! What a process that runs holds, by where it was allocated, and what is free beside it: fragmentation, by site.

use serde_json::{Value, json};
use show::Table;
use show::number::{bytes, count};
use show::text::wrapped;
use trace::Estimate;

use crate::cost::Cost;
use crate::gather::Profile;
use crate::sites::{Site, sites};
use crate::text::{off, with_margin};

const ROWS: usize = 20;

/// What is there, those sites first that most is free beside, or, where that is not known, that hold most.
fn there(profile: &Profile) -> Vec<Site> {
    let mut sites = sites(profile, Cost::Live);
    sites.retain(|site| site.costs.of(Cost::Live).bytes >= 0.5);
    if profile.knows_beside {
        let beside = |site: &Site| site.costs.of(Cost::Beside).bytes;
        sites.sort_by(|a, b| beside(b).total_cmp(&beside(a)));
    }
    sites
}

/// The totals and the table.
pub fn now(profile: &Profile, width: Option<usize>) -> String {
    let sites = there(profile);
    let total = |cost: Cost| with_margin(profile.all.of(cost), profile.interval);
    let sample = match profile.interval {
        0 => String::new(),
        interval => format!(
            ", by a sample of a block each {}; ± is for 95 of 100 cases",
            bytes(interval as f64)
        ),
    };
    let mut lines = vec![format!("live     {}{sample}", total(Cost::Live))];
    if profile.knows_beside {
        lines.push(format!(
            "beside   {} are free on pages where these blocks lie, and stay for them: a page's free bytes are shared among its \
             blocks",
            total(Cost::Beside)
        ));
    }
    lines.extend(profile.missing.iter().map(|missing| format!("missing  {missing}")));
    let mut text: String = lines.iter().map(|line| wrapped(line, 9, width) + "\n").collect();
    if sites.is_empty() {
        return text + "\nOf what is recorded nothing is live.\n";
    }
    text.push('\n');
    text += &table(profile, &sites).text(width);
    if sites.len() > ROWS {
        let left: f64 = sites[ROWS..].iter().map(|site| site.costs.of(Cost::Live).bytes).sum();
        let places = show::text::many(sites.len() - ROWS, "more place");
        text += &format!("{places}: {} live\n", bytes(left));
    }
    for trouble in &profile.names.troubles {
        text += &(wrapped(&format!("names    {trouble}"), 9, width) + "\n");
    }
    text
}

fn table(profile: &Profile, sites: &[Site]) -> Table {
    let is_sample = profile.interval > 0;
    let costs = [(Cost::Beside, "free beside"), (Cost::Live, "live")];
    let costs = &costs[usize::from(!profile.knows_beside)..];
    let mut columns = Vec::new();
    for (_, name) in costs {
        columns.push(*name);
        columns.extend(is_sample.then_some("±"));
    }
    columns.extend(["blocks", "where"]);
    let mut table = Table::new(columns);
    table.has_text = true;
    for site in sites.iter().take(ROWS) {
        let mut row = Vec::new();
        for (cost, _) in costs {
            let estimate = site.costs.of(*cost);
            row.push(bytes(estimate.bytes));
            row.extend(is_sample.then(|| margin(estimate, profile.interval)));
        }
        row.push(count(site.costs.of(Cost::Live).blocks.round()));
        row.push(site.name.clone());
        table.row(row);
    }
    table
}

fn margin(estimate: &Estimate, interval: u64) -> String {
    if estimate.bytes < 0.5 { String::new() } else { off(estimate, interval) }
}

pub fn now_json(profile: &Profile) -> Value {
    let estimate = |estimate: &Estimate| {
        let (low, high) = estimate.between(profile.interval);
        json!({ "bytes": estimate.bytes, "between": [low, high] })
    };
    let sites = there(profile).into_iter().map(|site| {
        let mut value = json!({
            "where": site.name,
            "blocks": site.costs.of(Cost::Live).blocks,
            "live": estimate(site.costs.of(Cost::Live)),
        });
        if profile.knows_beside {
            value["beside"] = estimate(site.costs.of(Cost::Beside));
        }
        value
    });
    json!({
        "interval": profile.interval,
        "missing": profile.missing,
        "sites": sites.collect::<Vec<Value>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn what_is_live_is_told_with_what_is_free_beside_it_where_that_is_known() {
        let mut profile = profile();
        let text = now(&profile, Some(80));
        assert!(text.starts_with("live     2.44 KiB\n") && !text.contains("beside"), "{text}");
        assert!(now_json(&profile)["sites"][0]["beside"].is_null());
        profile.knows_beside = true;
        for stack in &mut profile.stacks {
            let live = *stack.costs.of(Cost::Live);
            *stack.costs.of_mut(Cost::Beside) = live;
        }
        let text = now(&profile, Some(80));
        assert!(text.contains("free beside") && text.contains("?+0x5000"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let json = now_json(&profile);
        assert_eq!(json["sites"][0]["beside"]["bytes"], 2000.0, "{json:#}");
    }
}

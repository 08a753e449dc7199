//! What all runs did together: how many of each storm, and sums of what they say they did.

use super::watch::{Ending, Watched};
use crate::figures;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
struct Row {
    runs: u64,
    skipped: u64,
    failed: u64,
    /// In the order in which the storm names them.
    sums: Vec<(String, u64)>,
}

#[derive(Debug, Default)]
pub(super) struct Tally(BTreeMap<&'static str, Row>);

impl Tally {
    pub(super) fn add(&mut self, storm: &'static str, watched: &Watched) {
        let row = self.0.entry(storm).or_default();
        row.runs += 1;
        match watched.ending {
            Ending::Passed => {}
            Ending::Skipped => row.skipped += 1,
            Ending::Failed(_) => row.failed += 1,
        }
        for (name, count) in watched.did.as_deref().map(counts).unwrap_or_default() {
            match row.sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += count,
                None => row.sums.push((name, count)),
            }
        }
    }

    pub(super) fn all_passed(&self) -> bool {
        self.0.values().all(|row| row.failed == 0)
    }

    /// "13 runs passed", or what did not.
    pub(super) fn verdict(&self) -> String {
        let sum = |of: fn(&Row) -> u64| self.0.values().map(of).sum::<u64>();
        let (runs, skipped, failed) = (sum(|r| r.runs), sum(|r| r.skipped), sum(|r| r.failed));
        let passed = runs - skipped - failed;
        format!("{runs} runs: {passed} passed, {skipped} skipped, {failed} failed")
    }

    pub(super) fn table(&self) -> String {
        let mut table = figures::table(["storm", "runs", "skipped", "failed", "what they did"]);
        for (name, row) in &self.0 {
            let did: Vec<String> =
                row.sums.iter().map(|(what, sum)| format!("{what} {sum}")).collect();
            let [runs, skipped, failed] =
                [row.runs, row.skipped, row.failed].map(|n| n.to_string());
            table.add_row([(*name).to_owned(), runs, skipped, failed, did.join(", ")]);
        }
        format!("{table}\n")
    }
}

/// The numbers of `rounds 7, forks 267; resident …`: up to the semicolon, the name before each.
pub(super) fn counts(did: &str) -> Vec<(String, u64)> {
    let sums = did.split(';').next().unwrap_or_default();
    let one = |part: &str| {
        let (name, count) = part.trim().rsplit_once(' ')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    sums.split(',').filter_map(one).collect()
}

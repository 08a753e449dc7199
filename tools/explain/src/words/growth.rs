//! What grows, in sentences.

use show::number::{bytes, count};

use super::sizes;
use crate::facts::{Facts, Growing};
use crate::rules::{Finding, Kind, builds};

pub(super) fn sentences(facts: &Facts, findings: &[Finding]) -> Vec<String> {
    let is = |kind| findings.iter().any(|finding| finding.kind == kind);
    let mut said = Vec::new();
    if !is(Kind::Leak) && !is(Kind::GrowingCache) {
        if !rises_to_the_end(facts) && own_maps(facts).is_none() {
            said.push("Nothing grows without end.".to_owned());
        }
        return said;
    }
    let grows: Vec<&Growing> = facts.growth.by_size.iter().filter(|bin| bin.growth() > 0).collect();
    if let Some(first) = grows.first() {
        let whole = facts.growth.all.growth();
        let most = match first.growth() as f64 / whole.max(1) as f64 {
            all if all >= 0.95 => "all of it",
            much if much >= 0.5 => "most of it",
            _ => "the largest part",
        };
        said.push(format!(
            "Live memory grew by {} in the second half of its work, {most} blocks of {} ({} of them lived then).",
            bytes(whole as f64),
            sizes(first.from, first.to),
            count(first.live_blocks as f64),
        ));
    }
    said
}

/// Whether live memory rises until the work is done, though that is no finding: the program builds something.
pub(super) fn rises_to_the_end(facts: &Facts) -> bool {
    let grew = facts.growth.all.growth();
    builds(facts) && grew > 0 && grew.cast_unsigned() * 5 > facts.peak_live
}

/// What the program's own mappings grew by in the second half of the work, if that is a fifth of them.
pub(super) fn own_maps(facts: &Facts) -> Option<u64> {
    let grew = u64::try_from(facts.growth.own_maps).unwrap_or(0);
    (grew > 0 && grew.saturating_mul(5) > facts.peak.account.mapped()).then_some(grew)
}

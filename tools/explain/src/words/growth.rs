//! What grows, in sentences.

use show::number::{bytes, count};

use super::sizes;
use crate::facts::{Facts, Growing};
use crate::rules::{Finding, Kind};

pub(super) fn sentences(facts: &Facts, findings: &[Finding]) -> Vec<String> {
    let is = |kind| findings.iter().any(|finding| finding.kind == kind);
    let mut said = Vec::new();
    if !is(Kind::Leak) && !is(Kind::GrowingCache) {
        said.push("Nothing grows without end.".to_owned());
        return said;
    }
    let grows: Vec<&Growing> =
        facts.growth.by_size.iter().filter(|bin| bin.growth() > 0).take(3).collect();
    if let Some(first) = grows.first() {
        let all: i64 = facts.growth.by_size.iter().map(Growing::growth).filter(|n| *n > 0).sum();
        let others =
            if grows.len() > 1 && first.growth() * 10 < all * 9 { ", most of all" } else { ":" };
        let per = if first.allocated > 0 {
            format!("; {} of these were allocated", count(first.blocks as f64))
        } else {
            String::new()
        };
        said.push(format!(
            "What grows is {} over the second half of the work{others} blocks of {}{per}.",
            bytes(all as f64),
            sizes(first.from, first.to),
        ));
    }
    for mark in facts.growth.by_mark.iter().filter(|mark| mark.grew > 0 && mark.times > 1).take(1) {
        let each = mark.grew as f64 / mark.times as f64;
        said.push(format!("That is {} for each mark “{}”.", bytes(each), mark.name));
    }
    said
}

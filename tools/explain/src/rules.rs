//! From facts to findings: a rule is a function of the facts alone, and none knows the others.
//!
//! ```text
//! live grows ─────────────► growth      leak, or a cache that grows
//! free and kept ──────────► free        fragmentation, thread caches, or retention after a peak
//! not the blocks' ────────► outside     mappings of the program's own, huge pages
//! more than asked for ────► rounding
//! who allocates it ───────► sites       the main ones of each
//! ```
//!
//! They are told in words in docs/memory-grows.md, which changes with them.

mod free;
mod growth;
mod outside;
mod rounding;
mod set;
mod sites;

pub(crate) use free::{is_notable, is_sparse, threads as spread};
pub(crate) use growth::{builds, has_table, slows_down};
pub(crate) use outside::in_huge_steps;
use serde::Serialize;
pub(crate) use set::bears;
pub use sites::{Part, Role, parts};

use crate::facts::Facts;

/// Less than this is not worth a word.
pub(crate) const LEAST: u64 = 1 << 20;

/// What holds the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Blocks become more and are never freed.
    Leak,
    /// Blocks become more, but old ones are freed too.
    GrowingCache,
    /// Free memory among blocks that live on.
    Fragmentation,
    /// Free memory that each of several threads keeps.
    ThreadCaches,
    /// Free memory that was once needed.
    Retention,
    /// Resident in pages of 2 MiB of which little was touched.
    HugePages,
    /// Not malloc's at all.
    OwnMappings,
    /// Blocks are larger than what was asked for.
    Rounding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// Something else would look the same.
    Possible,
    /// The figures fit, and hardly anything else.
    Likely,
    /// It follows from what was recorded.
    Sure,
}

/// One reason for memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    pub kind: Kind,
    pub confidence: Confidence,
    /// Bytes that it explains, at its moment; of what grows, by how much in the second half of the work.
    pub bytes: u64,
    /// The same as a share of the peak.
    pub share: f64,
    /// When: nanoseconds since the recording began.
    pub time: u64,
    pub remedy: Remedy,
    /// The site that most of it is allocated at, if stacks were recorded and one stands out.
    pub site: Option<Part>,
}

/// What helps against a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// The program must free it.
    Free,
    /// The program must limit it.
    Limit,
    Allocator,
    /// A setting by which free memory goes back.
    GiveBack,
    FewerArenas,
    /// Smaller caches of threads: what was set for them is large.
    SmallerCaches,
    SmallPages,
    /// The settings of the runtime that maps.
    Runtime,
}

/// What the facts say, the most important first. Nothing: nothing stands out.
pub fn findings(facts: &Facts) -> Vec<Finding> {
    let mut found: Vec<Finding> = [
        growth::rule(facts),
        free::rule(facts),
        outside::huge_pages(facts),
        outside::own_mappings(facts),
        rounding::rule(facts),
    ]
    .into_iter()
    .flatten()
    .collect();
    for one in &mut found {
        one.site = sites::of(facts, one.kind);
    }
    // What grows matters more than what is: it has no end. But not when it is a small part. Rounding every program has: sure as it
    // is, it goes before nothing that is only possible.
    found.sort_by_key(|one| {
        let grows = matches!(one.kind, Kind::Leak | Kind::GrowingCache);
        // Of what grows on huge pages that nobody wrote, those are the reason.
        let is_empty = one.kind == Kind::HugePages && one.confidence == Confidence::Sure;
        let weight = if grows || is_empty { one.bytes.saturating_mul(8) } else { one.bytes };
        let is_first = one.confidence != Confidence::Possible && one.kind != Kind::Rounding;
        core::cmp::Reverse((is_first, weight))
    });
    found
}

/// Whether what is free and kept is the main thing, and is there until the end.
pub fn stays(facts: &Facts, findings: &[Finding]) -> bool {
    let is_free = |kind| matches!(kind, Kind::Fragmentation | Kind::ThreadCaches | Kind::Retention);
    let is_first = findings.first().is_some_and(|first| is_free(first.kind));
    // A program that frees all at its end has nothing there to compare.
    let ends_so = facts.end.bytes * 5 >= facts.last.live * 4;
    is_first && ends_so && facts.last.account.free() * 5 >= facts.worst.account.free() * 4
}

/// Whether blocks come to be only to stay: the program builds up data, and does little else with malloc.
pub(crate) fn only_builds(facts: &Facts) -> bool {
    let all = &facts.growth.all;
    all.live_blocks * 10 > all.blocks * 7
}

/// The most memory that the program had: resident, or live where that is all that is known.
pub(crate) fn peak(facts: &Facts) -> u64 {
    facts.peak.resident.max(if facts.peak.resident == 0 { facts.peak_live } else { 0 }).max(1)
}

pub(crate) fn finding(
    facts: &Facts,
    kind: Kind,
    confidence: Confidence,
    bytes: u64,
    time: u64,
    remedy: Remedy,
) -> Finding {
    let share = bytes as f64 / peak(facts) as f64;
    Finding { kind, confidence, bytes, share, time, remedy, site: None }
}

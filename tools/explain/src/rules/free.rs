//! What is free and kept: by where it lies, and who allocated there.
//!
//! ```text
//! beside live blocks, in 64 KiB that were full once   fragmentation
//! apart from them, after several threads              thread caches
//! apart from them, after one or two                   retention
//! ```

use super::set::in_tcaches;
use super::{Confidence, Finding, Kind, LEAST, Remedy, finding, peak};
use crate::facts::{Facts, Moment};
use crate::units::UNIT;

/// Notable is a part of the peak.
const PART: u64 = 5;

pub(super) fn rule(facts: &Facts) -> Option<Finding> {
    let moment = &facts.worst;
    let account = &moment.account;
    let free = account.free();
    if moment.resident == 0 || !is_notable(facts, free) {
        return None;
    }
    let held = account.pinned + account.scattered;
    let found = |kind, confidence, bytes, remedy| {
        Some(finding(facts, kind, confidence, bytes, moment.time, remedy))
    };
    if held * 2 >= free && held >= LEAST {
        if !is_sparse(moment) {
            return None;
        }
        let confidence = if were_full(moment) { Confidence::Likely } else { Confidence::Possible };
        return found(Kind::Fragmentation, confidence, held, Remedy::Allocator);
    }
    if threads(moment) >= 2.5 {
        let is_cached = in_tcaches(facts, free);
        let remedy = if is_cached { Remedy::SmallerCaches } else { Remedy::FewerArenas };
        return found(Kind::ThreadCaches, Confidence::Likely, free, remedy);
    }
    found(Kind::Retention, Confidence::Likely, free, Remedy::GiveBack)
}

/// Whether so much free memory is worth a word.
pub(crate) fn is_notable(facts: &Facts, free: u64) -> bool {
    free >= LEAST && free * PART >= peak(facts)
}

/// Whether most of what live blocks hold is in pieces that are less than half full. What is free among as much that is live is slack.
pub(crate) fn is_sparse(moment: &Moment) -> bool {
    let held = moment.account.pinned + moment.account.scattered;
    moment.sparse.all.holds * 2 >= held
}

/// Whether the pieces that are sparse now were more than half full once.
fn were_full(moment: &Moment) -> bool {
    let sparse = &moment.sparse;
    sparse.units > 0 && sparse.were * 2 >= sparse.units * UNIT
}

/// Over how many threads the free pages are spread: 1 for one, n for n with equal parts.
pub(crate) fn threads(moment: &Moment) -> f64 {
    let all: f64 = moment.free_by_thread.iter().map(|&(_, bytes)| bytes as f64).sum();
    let squares: f64 =
        moment.free_by_thread.iter().map(|&(_, bytes)| (bytes as f64 / all).powi(2)).sum();
    if squares > 0.0 { 1.0 / squares } else { 0.0 }
}

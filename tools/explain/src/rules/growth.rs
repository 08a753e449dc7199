//! Leak, or something that grows: live bytes rise over the whole second half of the work, and what becomes of old blocks tells
//! which it is.
//!
//! ```text
//! by size     old blocks freed    freed while cleaning up
//!             none                no                         as in a leak
//!             none                yes                        the program knows them; no finding if it did nothing else
//!             some                                           the program knows them
//! ```
//!
//! A leak frees nothing of its kind: nearly all that grows must look so. What stores data frees some of it, or has a table that
//! grows with it. Whether a block that is never freed is ever used again, no recording of malloc can say.

use super::{Confidence, Finding, Kind, Remedy, finding, only_builds};
use crate::facts::{Facts, Growing, WINDOWS};

/// Growth is notable from here on: bytes, and a part of what is live at the peak.
const LEAST: u64 = 64 << 10;
const PART: u64 = 50;
/// More than one in so many old bytes freed: they can be freed.
const SOME: u64 = 50;

/// What becomes of the blocks by which a size grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    NeverFreed,
    FreedAtTheEnd,
    FreedSometimes,
}

pub(super) fn rule(facts: &Facts) -> Option<Finding> {
    let mut grew = [0_u64; 3];
    let mut others = 0;
    for bin in &facts.growth.by_size {
        let by = bin.growth().max(0).cast_unsigned();
        if is_steady(bin) {
            grew[fate(bin) as usize] += by;
        } else {
            others += by;
        }
    }
    let [never, at_end, sometimes] = grew;
    let steady = never + at_end + sometimes;
    let whole = facts.growth.all.growth().max(0).cast_unsigned();
    if steady < LEAST
        || steady * PART < facts.peak_live
        || whole < LEAST
        || !rises(&facts.growth.all)
    {
        return None;
    }
    let found = |kind, confidence, remedy| {
        Some(finding(facts, kind, confidence, whole, facts.growth.until, remedy))
    };
    if never * 5 >= (steady + others) * 4 && !has_table(facts) {
        let confidence = if only_builds(facts) { Confidence::Possible } else { Confidence::Likely };
        return found(Kind::Leak, confidence, Remedy::Free);
    }
    if at_end > sometimes + never && only_builds(facts) {
        return None;
    }
    let is_seen = sometimes >= at_end.max(never) || has_table(facts);
    let confidence = if is_seen { Confidence::Likely } else { Confidence::Possible };
    found(Kind::GrowingCache, confidence, Remedy::Limit)
}

/// Whether a block came to be in the second half that is as large as a table of all that grew: 4 to 64 bytes for each.
fn has_table(facts: &Facts) -> bool {
    let grows = facts.growth.by_size.iter().filter(|bin| bin.growth() > 0);
    let blocks: u64 = grows.map(|bin| bin.live_blocks).sum();
    let table = facts.growth.youngest_large;
    table >= blocks.saturating_mul(4) && table <= blocks.saturating_mul(64) && blocks > 0
}

/// It rises over the second half, through most windows, and is highest at the end.
fn is_steady(bin: &Growing) -> bool {
    let rising = |windows: &[u64; WINDOWS]| {
        let later = &windows[WINDOWS / 2 - 1..];
        later.windows(2).filter(|pair| pair[1] > pair[0]).count()
    };
    let highest = bin.by_count.iter().max().copied().unwrap_or(0);
    rises(bin) && rising(&bin.by_count) * 4 >= WINDOWS / 2 * 3 && bin.live() * 20 >= highest * 19
}

/// It rises in both halves of the second half by allocations, and over the second half by time: a program that waits in between
/// grows in steps.
fn rises(bin: &Growing) -> bool {
    let at = |n: usize| bin.by_count[n * WINDOWS / 4 - 1];
    at(2) < at(3) && at(3) < at(4) && bin.growth() > 0
}

fn fate(bin: &Growing) -> Fate {
    let young_only = bin.born[..WINDOWS / 2].iter().sum::<u64>() * SOME < bin.live();
    if bin.old_freed * SOME > bin.old || young_only || bin.enlarged * 2 > bin.live() {
        return Fate::FreedSometimes;
    }
    if bin.freed_after * 2 > bin.live() { Fate::FreedAtTheEnd } else { Fate::NeverFreed }
}

//! Leak, or something that grows: what is live rises through the second half of the work, and what becomes of old blocks tells
//! which it is.
//!
//! ```text
//! by size     old blocks freed           freed while cleaning up
//!             not any more               no                         as in a leak
//!             not any more               yes                        the program knows them; no finding if it did nothing else
//!             until the last quarter                                the program knows them
//! ```
//!
//! A leak's blocks lie among others of their size that are freed in time: those go early, so that what is old later on is never
//! freed. What stores data and replaces it frees old blocks as long as it runs, or has a table that grows with it. Whether a block
//! that is never freed is ever used again, no recording of malloc can say.

use super::{Confidence, Finding, Kind, Remedy, finding, only_builds};
use crate::facts::{Facts, Growing, WINDOWS};

/// Growth is notable from here on: bytes, and a part of what is live at the peak.
const LEAST: u64 = 64 << 10;
const PART: u64 = 50;
/// More than one in so many old bytes freed: they can be freed.
const SOME: u64 = 50;
/// It still rises if a quarter of the work adds one part in so many of what the quarter before it added.
const STILL: u64 = 4;
/// A program that keeps more than one in so many of its blocks may be building up what it needs.
const BUILDS: u64 = 4;

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
        let all = &facts.growth.all;
        let builds = all.live_blocks * BUILDS > all.blocks;
        let confidence = if builds { Confidence::Possible } else { Confidence::Likely };
        return found(Kind::Leak, confidence, Remedy::Free);
    }
    if at_end > sometimes + never && only_builds(facts) {
        return None;
    }
    let is_seen = sometimes >= at_end.max(never) || has_table(facts);
    let confidence = if is_seen { Confidence::Likely } else { Confidence::Possible };
    found(Kind::GrowingCache, confidence, Remedy::Limit)
}

/// Whether a table grew that is as large as one of all that grew: at most 64 bytes for each block, and 8 for each entry of up to 16 of
/// them.
fn has_table(facts: &Facts) -> bool {
    let grows = facts.growth.by_size.iter().filter(|bin| bin.growth() > 0);
    let blocks: u64 = grows.map(|bin| bin.live_blocks).sum();
    let table = facts.growth.table;
    blocks > 0 && table >= blocks / 2 && table <= blocks.saturating_mul(64)
}

/// It rises over the second half, through most eighths, and is highest at the end.
fn is_steady(bin: &Growing) -> bool {
    let rising = eighths(&bin.by_count)[3..].windows(2).filter(|pair| pair[1] > pair[0]).count();
    let quarters = Growing::quarters(&bin.by_count);
    let highest = quarters.into_iter().max().unwrap_or(0);
    rises(bin) && still_rises(bin) && rising >= 3 && quarters[3] * 20 >= highest * 19
}

/// The least that was live in each eighth of the work.
fn eighths(windows: &[u64; WINDOWS]) -> [u64; 8] {
    core::array::from_fn(|n| windows[2 * n].min(windows[2 * n + 1]))
}

/// The least that is live rises from quarter to quarter, by number of allocations and by time.
fn rises(bin: &Growing) -> bool {
    let mut quarters = [&bin.by_count, &bin.by_time].into_iter().map(Growing::quarters);
    quarters.all(|[_, second, third, last]| second < third && third < last)
}

/// It has not come to a rest. What is least in an eighth is what lived as that began, mostly.
fn still_rises(bin: &Growing) -> bool {
    [&bin.by_count, &bin.by_time].into_iter().map(eighths).all(|least| {
        let of = |from: usize| least[from + 2].saturating_sub(least[from]);
        of(5) * STILL >= of(3)
    })
}

fn fate(bin: &Growing) -> Fate {
    let young_only = bin.born[..WINDOWS / 2].iter().sum::<u64>() * SOME < bin.live;
    let is_freed_late = bin.old_freed_late * SOME > bin.old_late();
    if is_freed_late || young_only || bin.enlarged * 2 > bin.live {
        return Fate::FreedSometimes;
    }
    // What came last may be work in hand, and is freed by any program.
    let (freed, of) = if bin.settled > 0 {
        (bin.settled_freed, bin.settled)
    } else {
        (bin.freed_after, bin.live)
    };
    if freed * 2 > of { Fate::FreedAtTheEnd } else { Fate::NeverFreed }
}

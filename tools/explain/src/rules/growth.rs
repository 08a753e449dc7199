//! Leak, or something that grows: what is live rises through the second half of the work, and what becomes of old blocks tells
//! which it is.
//!
//! ```text
//! by size     old blocks freed           freed while cleaning up
//!             not any more               no                         as in a leak; no finding if it did nothing else
//!             not any more               yes                        the program knows them; no finding if it did nothing else
//!             until the last quarter                                the program knows them
//! together    ever more slowly                                      a store: what is asked for again is there already
//! ```
//!
//! A leak's blocks lie among others of their size that are freed in time: those go early, so that what is old later on is never
//! freed. What stores data and replaces it frees old blocks as long as it runs, or has a table that grows with it. Whether a block
//! that is never freed is ever used again, no recording of malloc can say.

use super::{Confidence, Finding, Kind, Remedy, finding, only_builds};
use crate::facts::{Facts, Growing, WINDOWS};
use crate::growth::sum;

/// Growth is notable from here on: bytes, and a part of what is live at the peak.
const LEAST: u64 = 64 << 10;
const PART: u64 = 50;
/// More than one in so many old bytes freed: they can be freed.
const SOME: u64 = 50;
/// It still rises if a quarter of the work adds one part in so many of what the quarter before it added.
const STILL: u64 = 4;
/// A program that keeps more than one in so many of its blocks may be building up what it needs.
const BUILDS: u64 = 4;
/// It cleans up at its end if it frees one in so many bytes then.
const CLEANS: u64 = 20;
/// Blocks from here on are looked at together.
const LARGE: u64 = 256 << 10;
/// What a program makes of all that it has built is no smaller than one part in so many of it.
const RESULT: u64 = 32;
/// Of fewer blocks that grew it is hard to say what they are.
const FEW: u64 = 8;

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
    // Large blocks are few, and each has a size of its own.
    let (large, small): (Vec<_>, Vec<_>) =
        facts.growth.by_size.iter().partition(|bin| bin.from >= LARGE);
    let large = sum(large);
    for bin in small.into_iter().chain([&large]) {
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
    let is_store = has_table(facts) || slows_down(facts);
    if never * 5 >= (steady + others) * 4 && !is_store {
        if builds(facts) {
            return None;
        }
        let confidence = if is_lost(facts) { Confidence::Likely } else { Confidence::Possible };
        return found(Kind::Leak, confidence, Remedy::Free);
    }
    if at_end > sometimes + never && only_builds(facts) && !is_store {
        return None;
    }
    let is_seen = sometimes >= at_end.max(never) || is_store;
    let confidence = if is_seen { Confidence::Likely } else { Confidence::Possible };
    found(Kind::GrowingCache, confidence, Remedy::Limit)
}

/// Whether the program builds something from its begin to its end, and is done: nearly all that it allocates stays; or much does,
/// from the first block on, nothing is freed at the end, and the largest block of all comes last, as what is made of it.
pub(crate) fn builds(facts: &Facts) -> bool {
    let all = &facts.growth.all;
    let from_the_first = all.by_count[1] * 6 <= all.live;
    let makes = facts.growth.result * RESULT >= all.live.max(1);
    only_builds(facts) || !is_lost(facts) && from_the_first && makes
}

/// Whether what is never freed is hardly what the program builds until it ends: it keeps few of its blocks, or it frees others then.
fn is_lost(facts: &Facts) -> bool {
    let all = &facts.growth.all;
    let keeps_few = all.live_blocks * BUILDS <= all.blocks;
    let is_many = all.live_blocks >= FEW;
    is_many && (keeps_few || all.freed_after * CLEANS > all.live)
}

/// Whether it grows ever more slowly, from eighth to eighth of the time or of the allocations: an entry that is there already is not
/// stored again. A leak goes on as the work does.
pub(crate) fn slows_down(facts: &Facts) -> bool {
    let grows = sum(facts.growth.by_size.iter().filter(|bin| bin.growth() > 0));
    [&grows.by_count, &grows.by_time].into_iter().map(eighths).any(|least| {
        let rises: Vec<u64> =
            least[1..].windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        let is_falling = rises.windows(2).all(|pair| pair[1] <= pair[0] + pair[0] / 20);
        let of = |at: usize| rises[at] + rises[at + 1];
        // After a beginning that adds much, the rest may be even: it has to fall on.
        is_falling && of(4) > 0 && of(4) * 5 <= of(0) * 3 && of(4) * 4 <= of(2) * 3
    })
}

/// Whether a table grew that is as large as one of all that grew: at most 64 bytes for each block, and 8 for each entry of up to 16 of
/// them.
pub(crate) fn has_table(facts: &Facts) -> bool {
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

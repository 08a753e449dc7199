//! Leak, or a cache that grows: live bytes rise over the whole second half of the work, and what becomes of old blocks tells
//! which it is.
//!
//! ```text
//! by size     rises steadily?    old blocks freed    freed while cleaning up
//!             yes                none                no         leak
//!             yes                none                yes        cache; no finding if the program did nothing else
//!             yes                some                           cache
//! ```
//!
//! Whether a block that is never freed is ever used again, no recording of malloc can say.

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
    let mut grew = [0; 3];
    let mut live = [0; 3];
    for bin in facts.growth.by_size.iter().filter(|bin| is_steady(bin)) {
        let fate = fate(bin) as usize;
        grew[fate] += bin.growth().max(0).cast_unsigned();
        live[fate] += bin.live();
    }
    let all: u64 = grew.iter().sum();
    if all < LEAST || all * PART < facts.peak_live || !rises(&facts.growth.all) {
        return None;
    }
    let [never, at_end, sometimes] = grew;
    let until = facts.growth.until;
    let bytes: u64 = live.iter().sum();
    let is_leak = never >= at_end + sometimes;
    if is_leak {
        let confidence = if only_builds(facts) { Confidence::Possible } else { Confidence::Likely };
        return Some(finding(facts, Kind::Leak, confidence, bytes, until, Remedy::Free));
    }
    if at_end > sometimes && only_builds(facts) {
        return None;
    }
    let confidence = if sometimes >= at_end { Confidence::Likely } else { Confidence::Possible };
    Some(finding(facts, Kind::GrowingCache, confidence, bytes, until, Remedy::Limit))
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

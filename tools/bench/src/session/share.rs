//! Who runs next, once all have enough rounds and time is left: whoever had less time than the others.
//!
//! ```text
//!             had         level, up to which the time that is left brings those below it
//! gxx         174 s ──────┊─────    above it: has its ten rounds, and no more
//! cfrac        51 s ──────┊
//! sh6          23 s ───   ┊         below it: runs
//! addresses    18 s ──    ┊
//! ```
//!
//! Noise falls with the root of the rounds, so a minute is worth more to a workload of a tenth of a second than to one of
//! two. What the results are is not asked: who decides by them when to stop flatters what it stops at.
//!
//! Cost: a sort of the workloads.

use core::time::Duration;

use super::WorkloadIndex;

#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) workload: WorkloadIndex,
    pub(super) cost: Duration,
    pub(super) spent: Duration,
}

/// Which of `candidates` run a round next, when `left` is all the time there is: those that one more round brings to the level
/// at most; if there is none, all.
pub(super) fn next(candidates: &[Candidate], left: Duration) -> Vec<WorkloadIndex> {
    let level = level(candidates, left);
    let below: Vec<WorkloadIndex> =
        candidates.iter().filter(|c| c.spent + c.cost <= level).map(|c| c.workload).collect();
    if below.is_empty() { candidates.iter().map(|c| c.workload).collect() } else { below }
}

/// The time that those have had in the end which had least of it, if all that is `left` goes to them.
fn level(candidates: &[Candidate], left: Duration) -> Duration {
    let mut spent: Vec<Duration> = candidates.iter().map(|c| c.spent).collect();
    spent.sort_unstable();
    let (mut sum, mut level) = (left, Duration::ZERO);
    for (count, had) in (0u32..).zip(spent) {
        if count != 0 && had >= level {
            break;
        }
        sum += had;
        level = sum / (count + 1);
    }
    level
}

#[cfg(test)]
mod tests;

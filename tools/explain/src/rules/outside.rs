//! Memory on which no block ever lay: the program's own mappings, or huge pages around what it touched.

use super::{Confidence, Finding, Kind, LEAST, Remedy, finding, peak};
use crate::facts::Facts;

/// Notable is a part of the peak.
const PART: u64 = 4;
const HUGE: u64 = 2 << 20;

/// From this size on a block can have a huge page of its own.
const LARGE: u64 = 1 << 20;

/// What was never written of huge pages, where the recorder has looked.
pub(super) fn huge_pages(facts: &Facts) -> Option<Finding> {
    let Some(huge) = facts.program.huge_pages else { return by_rises(facts) };
    let is_notable = huge.empty >= HUGE && huge.empty * PART >= peak(facts);
    is_notable.then(|| {
        let (kind, remedy) = (Kind::HugePages, Remedy::SmallPages);
        finding(facts, kind, Confidence::Sure, huge.empty, huge.time, remedy)
    })
}

/// Resident memory rises in steps of 2 MiB, and either there is more of it than all blocks could have touched, or most of it
/// are large blocks, of which it may be little that was touched.
fn by_rises(facts: &Facts) -> Option<Finding> {
    let (moment, rises) = (&facts.peak, &facts.rises);
    let beyond = moment.account.elsewhere;
    let large: u64 =
        moment.by_size.iter().filter(|row| row.from >= LARGE).map(|row| row.bytes).sum();
    let found = |bytes, confidence| {
        let remedy = Remedy::SmallPages;
        let is_notable = bytes >= 2 * HUGE && bytes * PART >= peak(facts);
        is_notable.then(|| finding(facts, Kind::HugePages, confidence, bytes, moment.time, remedy))
    };
    if rises.of_huge_pages < 2 || rises.of_huge_pages * 2 <= rises.large {
        return None;
    }
    let large = large.min(moment.account.asked);
    found(beyond, Confidence::Likely)
        .or_else(|| in_huge_steps(facts).then(|| found(large, Confidence::Likely))?)
}

/// Nearly all rises of resident memory are of whole huge pages. Mappings of such a size that are used as a whole rise alike.
pub(crate) fn in_huge_steps(facts: &Facts) -> bool {
    let rises = &facts.rises;
    rises.of_huge_pages >= 4 && rises.of_huge_pages * 5 >= rises.large * 4
}

/// What the program mapped itself, and what is resident beside every block.
pub(super) fn own_mappings(facts: &Facts) -> Option<Finding> {
    let account = &facts.peak.account;
    if huge_pages(facts).is_some() {
        return None;
    }
    let mapped = account.mapped();
    let bytes = mapped + account.elsewhere;
    if bytes < LEAST || bytes * PART < peak(facts) {
        return None;
    }
    let is_known = mapped >= account.elsewhere;
    let confidence = if is_known { Confidence::Likely } else { Confidence::Possible };
    Some(finding(facts, Kind::OwnMappings, confidence, bytes, facts.peak.time, Remedy::Runtime))
}

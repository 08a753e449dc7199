//! Blocks take more than what was asked for: many are much smaller than the header and the size class they get.

use super::{Confidence, Finding, Kind, LEAST, Remedy, finding, peak};
use crate::facts::{Facts, RoundingFrom};

/// Notable is a part of the peak.
const PART: u64 = 3;

pub(super) fn rule(facts: &Facts) -> Option<Finding> {
    let bytes = facts.peak.account.rounding;
    if bytes < LEAST || bytes * PART < peak(facts) {
        return None;
    }
    let confidence = match facts.peak.rounding_from {
        RoundingFrom::Rule => Confidence::Sure,
        RoundingFrom::Addresses => Confidence::Likely,
        RoundingFrom::Estimate => Confidence::Possible,
    };
    Some(finding(facts, Kind::Rounding, confidence, bytes, facts.peak.time, Remedy::Allocator))
}

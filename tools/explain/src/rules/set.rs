//! What the program's environment had set for its malloc, and may be why there is a finding.

use super::Kind;
use crate::facts::Facts;

/// What a setting has in it that bears on a finding.
const BEARS: [(Kind, &[&str]); 3] = [
    (Kind::ThreadCaches, &["tcache", "arena", "ARENA"]),
    (
        Kind::Retention,
        &[
            "trim_threshold",
            "TRIM_THRESHOLD",
            "top_pad",
            "TOP_PAD",
            "decay_ms",
            "retain",
            "PURGE_DELAY",
            "keep=",
        ],
    ),
    (Kind::HugePages, &["thp", "hugetlb", "hugepages", "LARGE_OS_PAGES"]),
];

/// The setting that may be why, as `NAME=VALUE`.
pub(crate) fn bears(facts: &Facts, kind: Kind) -> Option<&str> {
    let (_, parts) = BEARS.iter().find(|(of, _)| *of == kind)?;
    let all = facts.program.settings.iter().map(String::as_str);
    all.into_iter().find(|set| parts.iter().any(|part| set.contains(part)))
}

/// Blocks of each size that a thread of glibc keeps, if that was set.
const TCACHE: &str = "glibc.malloc.tcache_count=";
/// All sizes of them together: 16 to 1,032 bytes, every 16.
const SIZES: u64 = 64 * 528;

/// Whether so much free memory may lie in the caches of glibc's threads: they are in no arena, and have room for half of it at least.
pub(super) fn in_tcaches(facts: &Facts, bytes: u64) -> bool {
    let set = facts.program.settings.iter().find_map(|set| set.split_once(TCACHE));
    let count = set.and_then(|(_, rest)| rest.split(':').next()?.parse::<u64>().ok());
    let threads = facts.worst.free_by_thread.len() as u64;
    count.is_some_and(|count| count.saturating_mul(SIZES).saturating_mul(threads) >= bytes / 2)
}

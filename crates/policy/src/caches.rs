//! Caches: how large a thread's magazines become, and what a shelf keeps.
use crate::table::{
    ALL_DEPOTS, ALL_RUNS, FLUSHES_PER_RETURN, KEEP_EMPTY_SLAB, LEAST_DEPOT, LEAST_RUNS, MOST_DEPOT,
    MOST_RUNS, PUT_AWAY, SLOW_PATHS_PER_LOOK,
};

/// The next capacity of a magazine, up to `most`. The first is twice the objects that fill whole
/// cache lines, `mates`, or `first` if that is more; each time it is found full or empty it doubles: idle threads
/// keep little.
#[inline]
pub fn grown(capacity: usize, first: usize, mates: usize, most: usize) -> usize {
    (capacity * 2 + 2 * mates).max(first).min(most)
}

/// Objects that a refill asks for: half, so that there is room for as many frees as allocations.
#[inline]
pub const fn refill(capacity: usize) -> usize {
    capacity.div_ceil(2)
}

/// Objects that a flush gives back: one less than a refill asks for, so that a program that takes
/// and frees the same batch has one more each time, until it needs neither (cache-N4).
#[inline]
pub const fn flush(capacity: usize) -> usize {
    let most = capacity.div_ceil(2) - 1;
    if most == 0 { 1 } else { most }
}

/// Whether half a magazine of objects of this size is put away in the thread's depot when it is full.
#[inline]
pub const fn is_put_away(size: usize) -> bool {
    size <= PUT_AWAY
}

/// In how many granules objects of `bytes` may lie to be put away: in one more than they fill.
#[inline]
pub const fn granules_together(bytes: usize, granule: usize) -> usize {
    bytes.div_ceil(granule) + 1
}

/// Bytes that each of `threads` threads may put away.
#[inline]
pub fn depot(threads: u32) -> usize {
    (ALL_DEPOTS / (threads as usize).max(1)).clamp(LEAST_DEPOT, MOST_DEPOT)
}

/// Bytes in runs that each of `threads` threads may keep.
#[inline]
pub fn runs(threads: u32) -> usize {
    (ALL_RUNS / (threads as usize).max(1)).clamp(LEAST_RUNS, MOST_RUNS)
}

/// Whether the oldest half that was put away goes back at this flush.
#[inline]
pub const fn lets_go(flushes: u64) -> bool {
    flushes.is_multiple_of(FLUSHES_PER_RETURN)
}

/// Whether a shelf keeps its last slab, of this many bytes, when it is empty.
#[inline]
pub const fn keeps_last(slab: usize) -> bool {
    slab <= KEEP_EMPTY_SLAB
}

/// Whether a thread that has been in its slow path this often looks at the clock.
#[inline]
pub const fn looks_at_clock(slow_paths: u64) -> bool {
    slow_paths % SLOW_PATHS_PER_LOOK == SLOW_PATHS_PER_LOOK - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depots_share_what_there_is() {
        let kib = [0, 1, 16, 17, 32, 128, 10_000].map(|threads| depot(threads) / 1024);
        assert_eq!(kib, [512, 512, 512, 481, 256, 64, 64]);
    }

    #[test]
    fn runs_share_what_there_is() {
        let kib = [0, 1, 16, 17, 32, 64, 10_000].map(|threads| runs(threads) / 1024);
        assert_eq!(kib, [1024, 1024, 1024, 963, 512, 256, 256]);
    }

    #[test]
    fn capacities_double_up_to_the_most() {
        let mut capacity = 0;
        let steps = [2, 6, 14, 30, 62, 126, 126].map(|_| {
            capacity = grown(capacity, 0, 1, 126);
            capacity
        });
        assert_eq!(steps, [2, 6, 14, 30, 62, 126, 126]);
        assert_eq!((grown(0, 14, 1, 126), grown(14, 14, 1, 126), grown(0, 14, 1, 2)), (14, 30, 2));
        assert_eq!((refill(126), flush(126), refill(2), flush(2), flush(1)), (63, 62, 1, 1, 1));
    }
}

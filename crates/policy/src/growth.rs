//! Growth: how much is committed ahead, and when a limit and huge pages begin to matter.
use crate::table::{
    AHEAD_SHARE, KEEP_MOVED, MOST_AHEAD, MOST_MOVED, MOST_SMALL_BLOCKS, SMALL_HEAP,
};

/// Blocks to commit where `wanted` are needed, `used` are there and `left` can be had.
#[must_use]
pub fn ahead(wanted: u32, used: u32, left: u32) -> u32 {
    wanted.max((used / AHEAD_SHARE).min(MOST_AHEAD)).min(left)
}

/// Whether a heap of this many bytes is large enough for a memory limit to matter.
#[must_use]
pub const fn nears_limits(bytes: usize) -> bool {
    bytes > SMALL_HEAP
}

/// Whether a program uses what it takes: of the pages looked at half and more are resident, of the blocks half have such.
#[must_use]
pub const fn is_used(resident: usize, taken: usize) -> bool {
    resident >= taken / 2
}

/// At which size of the heap that is looked at again: when what has come since is an eighth.
#[must_use]
pub const fn next_look(bytes: usize) -> usize {
    bytes + bytes / 8
}

/// Whether one more block may be taken out of huge pages.
#[must_use]
pub const fn may_split(small_blocks: u32) -> bool {
    small_blocks < MOST_SMALL_BLOCKS
}

/// Whether pages may be moved into `count` more blocks after `moved` (P2).
#[must_use]
pub const fn may_move(moved: u32, count: u32) -> bool {
    moved + count <= MOST_MOVED
}

/// Whether an empty block with moved pages is to be one mapping again at once.
#[must_use]
pub const fn joins_at_once(moved: u32) -> bool {
    moved > KEEP_MOVED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heap_grows_by_an_eighth_up_to_64_mib() {
        let grown = [0, 7, 8, 80, 256, 9999].map(|used| ahead(1, used, 500));
        assert_eq!(grown, [1, 1, 1, 10, 32, 32]);
        assert_eq!((ahead(40, 80, 500), ahead(1, 800, 5)), (40, 5));
    }
}

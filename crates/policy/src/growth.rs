//! Growth: how much is committed ahead, and when a limit and huge pages begin to matter.
use crate::table::{
    AHEAD_SHARE, COPY_AT_MOST, KEEP_MOVED, MOST_AHEAD, MOST_MOVED, MOVE_FROM, SLABS_SHARE,
    SMALL_HEAP, STEP_SHARE,
};

/// Blocks to commit where `wanted` are needed, `used` are there and `left` can be had.
pub fn ahead(wanted: u32, used: u32, left: u32) -> u32 {
    wanted.max((used / AHEAD_SHARE).min(MOST_AHEAD)).min(left)
}

/// Of a region's `blocks` those that large blocks may grow into; the rest is for slabs.
pub const fn for_runs(blocks: u32) -> u32 {
    blocks - blocks / SLABS_SHARE
}

/// Whether a heap of this many bytes is large enough for a memory limit to matter.
pub const fn nears_limits(bytes: usize) -> bool {
    bytes > SMALL_HEAP
}

/// Whether pages may be moved into `count` more blocks after `moved` (moved-P2).
pub const fn may_move(moved: u32, count: u32) -> bool {
    moved + count <= MOST_MOVED
}

/// Whether an empty block with moved pages is to be one mapping again at once.
pub const fn joins_at_once(moved: u32) -> bool {
    moved > KEEP_MOVED
}

/// Whether `len` bytes of contents move by page tables, and not as a copy, to memory that is `clean`: not resident.
pub const fn moves_pages(len: usize, clean: bool) -> bool {
    len >= MOVE_FROM && (clean || len > COPY_AT_MOST)
}

/// Whether a block of `held` bytes that is to have `size`, and cannot where it is, grows by steps.
pub const fn grows_by_steps(held: usize, size: usize) -> bool {
    held > COPY_AT_MOST && size > held && size - held <= held / STEP_SHARE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_move_where_a_copy_costs_more() {
        const MIB: usize = 1 << 20;
        let onto = |clean| [MIB / 4, MIB, 4 * MIB, 5 * MIB].map(|len| moves_pages(len, clean));
        assert_eq!(onto(true), [false, true, true, true]);
        assert_eq!(onto(false), [false, false, false, true]);
        let by = |grown| [MIB, 8 * MIB].map(|held| grows_by_steps(held, held + grown));
        assert_eq!((by(64 << 10), by(MIB)), ([false, true], [false, true]));
        assert_eq!((by(MIB + 1), by(0)), ([false, false], [false, false]));
        assert!(!grows_by_steps(8 * MIB, 7 * MIB), "it shrinks");
    }

    #[test]
    fn a_heap_grows_by_an_eighth_up_to_64_mib() {
        let grown = [0, 7, 8, 80, 256, 9999].map(|used| ahead(1, used, 500));
        assert_eq!(grown, [1, 1, 1, 10, 32, 32]);
        assert_eq!((ahead(40, 80, 500), ahead(1, 800, 5)), (40, 5));
    }
}

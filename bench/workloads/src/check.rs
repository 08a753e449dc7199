//! Marks in blocks, so that an allocator that hands out the same memory twice, or changes it, is found out.
//!
//! A block's mark is eight bytes that depend on its key and on its address, written again and again from its start: its
//! first and its last eight bytes (all of a smaller one) are really written and read. Costs
//! two words and five instructions each time, with no branch on the size but for blocks of less than eight bytes.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::results::wrong;

const WORD: usize = size_of::<u64>();
/// One of the mark of a block that has no room for that.
const HALF: usize = size_of::<u32>();

/// Which bits of marks have to be right: all, or none when the allocator's blocks hold no data.
static COUNT: AtomicU64 = AtomicU64::new(u64::MAX);

/// From now on what is in blocks means nothing. A check costs the same as before, so that it is seen what it costs.
pub(crate) fn expect_nothing() {
    COUNT.store(0, Ordering::Relaxed);
}

/// The eight bytes of `key` in a block at `block`.
#[inline(always)]
pub(crate) fn pattern(block: *const u8, key: u64) -> u64 {
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ block.addr() as u64
}

/// Writes the mark of `key` to both ends of the block.
/// The caller promises: `block` is null or has `size` writable bytes.
#[inline(always)]
pub(crate) unsafe fn mark(block: *mut u8, size: usize, key: u64) {
    if block.is_null() {
        return;
    }
    let pattern = pattern(block, key);
    if size < WORD {
        // SAFETY: the caller's promise.
        return unsafe { mark_small(block, size, pattern) };
    }
    // SAFETY: there are eight bytes.
    unsafe { block.cast::<u64>().write_unaligned(pattern) };
    // SAFETY: `size` is at least 8.
    let last = unsafe { block.add(size - WORD) };
    // SAFETY: the block's last eight bytes.
    unsafe { last.cast::<u64>().write_unaligned(at_end(pattern, size)) };
}

/// Ends the program unless the mark of `key` is there.
/// The caller promises: `block` is null or has `size` readable bytes that [`mark`] wrote to.
#[inline(always)]
pub(crate) unsafe fn verify(block: *const u8, size: usize, key: u64) {
    if !block.is_null() {
        // SAFETY: the caller's promise.
        unsafe { verify_pattern(block, size, pattern(block, key)) };
    }
}

/// Ends the program unless both ends of the block hold what [`pattern`] said, here or where the block was before.
/// The caller promises: `block` has `size` readable bytes.
#[inline(always)]
pub(crate) unsafe fn verify_pattern(block: *const u8, size: usize, pattern: u64) {
    // SAFETY: the caller's promise.
    let differs = unsafe { difference(block, size, pattern) };
    if differs & COUNT.load(Ordering::Relaxed) != 0 {
        lost(block, size);
    }
}

/// Ends the program unless the block begins as [`pattern`] said: what is left of a block that was cut short.
/// The caller promises: `block` has `size` readable bytes.
pub(crate) unsafe fn verify_start(block: *const u8, size: usize, pattern: u64) {
    // SAFETY: the caller's promise.
    unsafe { verify_pattern(block, size.min(WORD), pattern) };
}

#[cold]
#[inline(never)]
fn lost(block: *const u8, size: usize) -> ! {
    wrong(format_args!("a block of {size} bytes at {block:p} lost its mark"))
}

/// The pattern as it stands in the last eight bytes: the first one of them is byte `size` modulo 8 of it.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the lowest bits are all that counts")]
fn at_end(pattern: u64, size: usize) -> u64 {
    pattern.rotate_right(size as u32 % 8 * 8)
}

/// Not 0 where the block is not as marked.
/// The caller promises: `block` has `size` readable bytes.
#[inline(always)]
unsafe fn difference(block: *const u8, size: usize, pattern: u64) -> u64 {
    if size < WORD {
        // SAFETY: the caller's promise.
        return unsafe { difference_small(block, size, pattern) };
    }
    // SAFETY: there are eight bytes.
    let first = unsafe { block.cast::<u64>().read_unaligned() };
    // SAFETY: `size` is at least 8.
    let last = unsafe { block.add(size - WORD) };
    // SAFETY: the block's last eight bytes.
    let last = unsafe { last.cast::<u64>().read_unaligned() };
    (first ^ pattern) | (last ^ at_end(pattern, size))
}

/// Of blocks of less than eight bytes: two words of four that overlap, or three bytes.
/// The caller promises: `block` has `size` writable bytes.
#[inline(never)]
unsafe fn mark_small(block: *mut u8, size: usize, pattern: u64) {
    if size >= HALF {
        for at in [0, size - HALF] {
            // SAFETY: four bytes from there are in the block.
            let word = unsafe { block.add(at) };
            // SAFETY: the caller's promise.
            unsafe { word.cast::<u32>().write_unaligned(half_at(pattern, at)) };
        }
    } else if size > 0 {
        for at in [0, size / 2, size - 1] {
            // SAFETY: less than `size`.
            let byte = unsafe { block.add(at) };
            // SAFETY: the caller's promise.
            unsafe { byte.write(pattern.to_le_bytes()[at]) };
        }
    }
}

/// The caller promises: `block` has `size` readable bytes.
#[inline(never)]
unsafe fn difference_small(block: *const u8, size: usize, pattern: u64) -> u64 {
    let mut differs = 0;
    if size >= HALF {
        for at in [0, size - HALF] {
            // SAFETY: four bytes from there are in the block.
            let word = unsafe { block.add(at) };
            // SAFETY: the caller's promise.
            let word = unsafe { word.cast::<u32>().read_unaligned() };
            differs |= u64::from(word ^ half_at(pattern, at));
        }
    } else if size > 0 {
        for at in [0, size / 2, size - 1] {
            // SAFETY: less than `size`.
            let byte = unsafe { block.add(at) };
            // SAFETY: the caller's promise.
            differs |= u64::from(unsafe { byte.read() } ^ pattern.to_le_bytes()[at]);
        }
    }
    differs
}

/// Four bytes of the pattern, from the one at `at` on.
#[inline(always)]
fn half_at(pattern: u64, at: usize) -> u32 {
    ((pattern >> (8 * at)) & 0xffff_ffff) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks `size` bytes, changes some, and says whether that is seen.
    fn is_seen(size: usize, change: impl FnOnce(&mut [u8])) -> bool {
        let mut block = vec![0_u8; size];
        let at = block.as_mut_ptr();
        // SAFETY: `size` bytes.
        unsafe { mark(at, size, 77) };
        change(&mut block);
        // SAFETY: as above.
        unsafe { difference(block.as_ptr(), size, pattern(at, 77)) != 0 }
    }

    #[test]
    fn every_byte_of_both_ends_counts() {
        for size in 0..64 {
            assert!(!is_seen(size, |_| ()), "{size}");
            for i in (0..size).filter(|i| *i < 8 || i + 8 >= size) {
                assert!(is_seen(size, |block| block[i] ^= 1), "{size} at {i}");
            }
            if size > 16 {
                assert!(!is_seen(size, |block| block[8..size - 8].fill(9)), "{size}");
            }
        }
    }

    #[test]
    fn blocks_that_overlap_are_seen_whatever_their_keys() {
        let mut memory = [0_u8; 256];
        let memory = memory.as_mut_ptr();
        for (size, apart, keys) in
            [(64, 0, [1, 2]), (64, 32, [5, 5]), (64, 57, [5, 5]), (24, 16, [5, 5]), (9, 8, [5, 6])]
        {
            // SAFETY: in the array.
            unsafe { mark(memory, size, keys[0]) };
            let other = memory.wrapping_add(apart);
            // SAFETY: in the array.
            unsafe { mark(other, size, keys[1]) };
            let first = pattern(memory, keys[0]);
            // SAFETY: in the array. Where the blocks' ends lie in each other's middle, nobody can see it.
            let is_seen = unsafe { difference(memory, size, first) } != 0;
            assert_eq!(is_seen, apart != 32, "{size} {apart}");
        }
    }
}

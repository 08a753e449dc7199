//! A block of the heap as an owned value: it knows its size and its mark, may go to other threads, and is freed once.
//!
//! Layer: between [`heap`] and the workloads. Costs sixteen bytes, and the writing and reading of the mark ([`check`]);
//! the rules of each call are checked where it is made. A block that was refused is none.

use core::{ptr, slice};

use crate::check::{self, mark, verify, verify_pattern, verify_start};
use crate::heap;
use crate::results::wrong;

/// The least that a processor's page has on any machine of ours.
const PAGE: usize = 4096;

/// A block of [`heap`], or none. Whoever drops it without freeing leaks it.
pub(crate) struct Block {
    at: *mut u8,
    size: u32,
    /// The lower bits are the key, the upper ones which power of two it is aligned to.
    key_and_align: u32,
}

const KEY_BITS: u32 = 28;

// SAFETY: a block is its owner's alone, in whichever thread that is.
unsafe impl Send for Block {}

impl Block {
    /// No block; freeing it does nothing.
    pub(crate) const NONE: Self = Self { at: ptr::null_mut(), size: 0, key_and_align: 0 };

    /// `malloc`, marked with the lower 28 bits of `key`.
    #[inline(always)]
    pub(crate) fn new(size: usize, key: u64) -> Self {
        Self::marked(heap::malloc(size), size, key)
    }

    /// `malloc`; every page is touched.
    #[inline(always)]
    pub(crate) fn touched(size: usize, key: u64) -> Self {
        let at = heap::malloc(size);
        if !at.is_null() {
            // Pages that hold neither end.
            for offset in (PAGE..size.saturating_sub(PAGE)).step_by(PAGE) {
                // SAFETY: the offset is in the block.
                let page = unsafe { at.add(offset) };
                // SAFETY: ours to write to.
                unsafe { page.write(1) };
            }
        }
        Self::marked(at, size, key)
    }

    /// `malloc`; every byte is written. For [`free_filled`](Self::free_filled).
    #[inline(always)]
    pub(crate) fn filled(size: usize, key: u64) -> Self {
        let block = Self::unmarked(heap::malloc(size), size, key);
        if !block.is_none() {
            // SAFETY: a block of `size`.
            unsafe { block.at.write_bytes(block.byte(), size) };
        }
        block
    }

    /// `calloc`: every byte has to be 0. Of a large block only some are read, others each time, from every page.
    pub(crate) fn zeroed(size: usize, key: u64) -> Self {
        let at = heap::calloc(size);
        if !at.is_null() {
            // SAFETY: calloc wrote `size` bytes.
            let bytes = unsafe { slice::from_raw_parts(at, size) };
            if !is_zero(bytes, key) && !heap::is_null() {
                wrong(format_args!("calloc: the {size} bytes at {at:p} are not all 0"));
            }
        }
        Self::marked(at, size, key)
    }

    /// `posix_memalign`: the address has to be a multiple of `align`, a power of two.
    #[inline(always)]
    pub(crate) fn aligned(align: usize, size: usize, key: u64) -> Self {
        let at = heap::aligned(align, size);
        if at.addr() & (align - 1) != 0 {
            wrong(format_args!("{size} bytes at {at:p} are not aligned to {align}"));
        }
        Self::marked_at(at, size, align, key)
    }

    /// `realloc`: what was there has to be there; `false` and the old block if it is refused.
    pub(crate) fn resize(&mut self, size: usize, key: u64) -> bool {
        self.verify();
        let (old, pattern) = (self.size as usize, check::pattern(self.at, u64::from(self.key())));
        // SAFETY: a live block of ours, or null.
        let at = unsafe { heap::realloc(self.at, size, old, self.align()) };
        if at.is_null() {
            return false;
        }
        if self.is_none() {
            // It was no block before.
        } else if size >= old {
            // SAFETY: `old` of its `size` bytes.
            unsafe { verify_pattern(at, old, pattern) };
        } else {
            // SAFETY: a block of `size`.
            unsafe { verify_start(at, size, pattern) };
        }
        *self = Self::marked(at, size, key);
        true
    }

    /// Puts another block in its place, when this one is verified and freed.
    #[inline(always)]
    pub(crate) fn replace(&mut self, make: impl FnOnce() -> Self) {
        Self { ..*self }.free();
        *self = make();
    }

    /// Verifies its mark, frees it.
    #[inline(always)]
    pub(crate) fn free(self) {
        if self.is_none() {
            return;
        }
        self.verify();
        // SAFETY: a live block of ours; `self` is gone after this.
        unsafe { heap::free(self.at, self.size as usize, self.align()) };
    }

    /// Verifies all bytes of a block that [`filled`](Self::filled) made; frees it.
    #[inline(always)]
    pub(crate) fn free_filled(self) {
        if !self.is_none() {
            // SAFETY: `filled` wrote `size` bytes.
            let bytes = unsafe { slice::from_raw_parts(self.at, self.size as usize) };
            if !are_all(bytes, self.byte()) && !heap::is_null() {
                wrong(format_args!("a block of {} bytes at {:p} was changed", self.size, self.at));
            }
        }
        self.free_unmarked();
    }

    /// Frees a block whose mark was written over.
    #[inline(always)]
    pub(crate) fn free_unmarked(self) {
        // SAFETY: a live block of ours, or null; `self` is gone after this.
        unsafe { heap::free(self.at, self.size as usize, self.align()) };
    }

    /// Ends the program unless the mark is there.
    #[inline(always)]
    pub(crate) fn verify(&self) {
        // SAFETY: `marked` wrote `size` bytes.
        unsafe { verify(self.at, self.size as usize, u64::from(self.key())) };
    }

    /// Whether there is no block: it was refused, or never asked for.
    #[inline(always)]
    pub(crate) fn is_none(&self) -> bool {
        self.at.is_null()
    }

    /// The bytes it has; 0 for none.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        if self.is_none() { 0 } else { self.size as usize }
    }

    /// The bytes that were asked for, granted or not.
    #[inline(always)]
    pub(crate) fn asked(&self) -> usize {
        self.size as usize
    }

    /// What it is marked with: the lower 28 bits of the key it was made with.
    #[inline(always)]
    pub(crate) fn key(&self) -> u32 {
        self.key_and_align & ((1 << KEY_BITS) - 1)
    }

    #[inline(always)]
    fn align(&self) -> usize {
        1 << (self.key_and_align >> KEY_BITS)
    }

    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.at
    }

    #[inline(always)]
    fn marked(at: *mut u8, size: usize, key: u64) -> Self {
        Self::marked_at(at, size, heap::ALIGN, key)
    }

    #[inline(always)]
    fn marked_at(at: *mut u8, size: usize, align: usize, key: u64) -> Self {
        let block = Self::unmarked_at(at, size, align, key);
        // SAFETY: a block of `size`, or null.
        unsafe { mark(at, size, u64::from(block.key())) };
        block
    }

    #[inline(always)]
    fn unmarked(at: *mut u8, size: usize, key: u64) -> Self {
        Self::unmarked_at(at, size, heap::ALIGN, key)
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "workloads ask for less than 4 GiB; any bits of the key will do"
    )]
    fn unmarked_at(at: *mut u8, size: usize, align: usize, key: u64) -> Self {
        let key = key as u32 & ((1 << KEY_BITS) - 1);
        Self { at, size: size as u32, key_and_align: key | align.ilog2() << KEY_BITS }
    }

    #[inline(always)]
    fn byte(&self) -> u8 {
        let pattern = check::pattern(self.at, u64::from(self.key()));
        pattern.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()[7]
    }
}

/// Whether all bytes are `byte`; by words, the last of which may overlap the one before.
#[inline(always)]
fn are_all(bytes: &[u8], byte: u8) -> bool {
    let word = u64::from_ne_bytes([byte; 8]);
    let Some(last) = bytes.last_chunk::<8>() else {
        return bytes.iter().fold(0, |all, found| all | (found ^ byte)) == 0;
    };
    let words = bytes.as_chunks::<8>().0.iter().chain([last]);
    words.fold(0, |all, found| all | (u64::from_ne_bytes(*found) ^ word)) == 0
}

/// Bytes that are read at each end of a block of zeros; of each stretch of this length between, eight are.
const READ: usize = 512;

/// Whether the bytes are 0: those at both ends, and of each `READ` between them eight, which `key` chooses.
fn is_zero(bytes: &[u8], key: u64) -> bool {
    let all = |bytes: &[u8]| are_all(bytes, 0);
    let Some((first, rest)) = bytes.split_at_checked(READ) else { return all(bytes) };
    let Some((between, last)) = rest.split_at_checked(rest.len().saturating_sub(READ)) else {
        return all(bytes);
    };
    let place = usize::from(key.to_le_bytes()[0]) % (READ / 8) * 8;
    let sampled = between.chunks(READ).map(|chunk| chunk.get(place..place + 8).unwrap_or(chunk));
    all(first) && all(last) && sampled.fold(true, |is_zero, bytes| is_zero & all(bytes))
}

pub(crate) fn table(count: usize) -> Vec<Block> {
    (0..count).map(|_| Block::NONE).collect()
}

/// Verifies and frees all of `blocks`, the first of them first.
pub(crate) fn free_all(blocks: &mut Vec<Block>) {
    for block in blocks.drain(..) {
        block.free();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_filled_block_counts() {
        for size in 0..80 {
            let mut bytes = vec![7_u8; size];
            assert!(are_all(&bytes, 7));
            for i in 0..size {
                bytes[i] = 6;
                assert!(!are_all(&bytes, 7), "{i} of {size}");
                bytes[i] = 7;
            }
        }
    }

    #[test]
    fn a_byte_that_is_not_zero_is_seen_in_the_end() {
        for size in [1, 511, 512, 513, 1024, 1025, 5000] {
            let mut bytes = vec![0_u8; size];
            assert!((0..64).all(|key| is_zero(&bytes, key)));
            for i in [0, size / 2, size.saturating_sub(READ + 1), size - 1] {
                bytes[i] = 1;
                assert!((0..64).any(|key| !is_zero(&bytes, key)), "{i} of {size}");
                bytes[i] = 0;
            }
        }
    }

    const SIZES: [usize; 13] = [0, 1, 4, 7, 8, 9, 16, 100, 4095, 4096, 4097, 3 * 4096, 100_000];

    #[test]
    fn blocks_of_all_calls_hold_their_marks() {
        for size in SIZES {
            let mut all = table(4);
            all[0].replace(|| Block::new(size, 5));
            all[1].replace(|| Block::zeroed(size, 6));
            all[2].replace(|| Block::aligned(256, size, 7));
            all[3].replace(|| Block::touched(size, 8));
            for (i, block) in all.iter_mut().enumerate() {
                for size in [1, 4, 8, 300, 12, 3, 10_000] {
                    assert!(block.resize(size, (i + size) as u64));
                }
                assert!(!block.resize(usize::MAX / 2, 1), "refused, and the block stays");
                assert_eq!((block.size(), block.key() as usize), (10_000, i + 10_000));
            }
            free_all(&mut all);
            Block::filled(size, 9).free_filled();
        }
        Block::NONE.free();
        assert_eq!(Block::NONE.size(), 0);
    }
}

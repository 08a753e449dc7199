//! A block with its size and its mark, from each of the calls that allocate.
//!
//! Layer: between [`heap`] and the workloads of this folder. Costs sixteen bytes and the writing and reading of two
//! words; the rules of each call are checked where it is made. A block that was refused is none.

use core::{mem, ptr, slice};

use crate::check::{mark, verify};
use crate::heap;
use crate::results::wrong;

/// A block of [`heap`], or none. Whoever drops it without [`free`](Block::free) leaks it.
#[derive(Debug)]
pub(super) struct Block {
    at: *mut u8,
    size: u32,
    key: u32,
}

// SAFETY: a block is its owner's alone, in whichever thread that is.
unsafe impl Send for Block {}

impl Block {
    /// No block; freeing it does nothing.
    pub(super) const NONE: Self = Self { at: ptr::null_mut(), size: 0, key: 0 };

    /// `malloc`.
    #[inline(always)]
    pub(super) fn new(size: usize, key: usize) -> Self {
        Self::marked(heap::malloc(size), size, key)
    }

    /// `calloc`: every byte has to be 0.
    pub(super) fn zeroed(size: usize, key: usize) -> Self {
        let at = heap::calloc(size);
        if !at.is_null() {
            // SAFETY: calloc wrote so many bytes.
            let bytes = unsafe { slice::from_raw_parts(at, size) };
            if bytes.iter().fold(0, |all, byte| all | byte) != 0 && !heap::is_null() {
                wrong(format_args!("calloc: the {size} bytes at {at:p} are not all 0"));
            }
        }
        Self::marked(at, size, key)
    }

    /// `posix_memalign`: the address has to be a multiple of `align`, a power of two.
    #[inline(always)]
    pub(super) fn aligned(align: usize, size: usize, key: usize) -> Self {
        let at = heap::aligned(align, size);
        if at.addr() & (align - 1) != 0 {
            wrong(format_args!("{size} bytes at {at:p} are not aligned to {align}"));
        }
        Self::marked(at, size, key)
    }

    /// `realloc`: what was there has to be there; `false` and the old block if it is refused.
    pub(super) fn resize(&mut self, size: usize, key: usize) -> bool {
        self.verify();
        let (kept, old) = (size.min(self.size as usize), u64::from(self.key));
        // SAFETY: a live block of ours, or null.
        let at = unsafe { heap::realloc(self.at, size) };
        if at.is_null() {
            return false;
        }
        // A shorter block has another mark.
        if !self.is_none() && kept >= 8 {
            // SAFETY: the mark's first word was among the bytes that are kept.
            unsafe { verify(at, 8, old) };
        }
        *self = Self::marked(at, size, key);
        true
    }

    /// Puts another block in its place, when this one is verified and freed.
    #[inline(always)]
    pub(super) fn replace(&mut self, make: impl FnOnce() -> Self) {
        mem::replace(self, Self::NONE).free();
        *self = make();
    }

    /// Verifies and frees it.
    #[inline(always)]
    pub(super) fn free(self) {
        self.verify();
        // SAFETY: a live block of ours, or null; `self` is gone after this.
        unsafe { heap::free(self.at) };
    }

    /// Whether there is no block: it was refused, or never asked for.
    #[inline(always)]
    pub(super) fn is_none(&self) -> bool {
        self.at.is_null()
    }

    #[inline(always)]
    fn verify(&self) {
        // SAFETY: `marked` wrote so many bytes.
        unsafe { verify(self.at, self.size as usize, u64::from(self.key)) };
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "workloads ask for less than 4 GiB; any bits of the key will do"
    )]
    fn marked(at: *mut u8, size: usize, key: usize) -> Self {
        let block = Self { at, size: size as u32, key: key as u32 };
        // SAFETY: a block of `size`, or null.
        unsafe { mark(at, size, u64::from(block.key)) };
        block
    }
}

/// A table of `count` empty slots.
pub(super) fn table(count: usize) -> Vec<Block> {
    (0..count).map(|_| Block::NONE).collect()
}

/// Verifies and frees all of `table`, the first of them first.
pub(super) fn free_all(table: &mut Vec<Block>) {
    for block in table.drain(..) {
        block.free();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_calls_hold_their_marks() {
        for size in [0, 1, 7, 8, 9, 16, 100, 5000] {
            let mut all = table(3);
            all[0].replace(|| Block::new(size, 5));
            all[1].replace(|| Block::zeroed(size, 6));
            all[2].replace(|| Block::aligned(256, size, 7));
            for (i, block) in all.iter_mut().enumerate() {
                for size in [1, 4, 8, 300, 12, 10_000] {
                    assert!(block.resize(size, i + size));
                }
                assert!(!block.resize(usize::MAX / 2, i), "refused, and the block stays");
            }
            free_all(&mut all);
        }
        Block::NONE.free();
    }
}

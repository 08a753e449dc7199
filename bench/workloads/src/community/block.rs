//! A block as an owned value: it knows its size and its mark, goes to other threads, and is freed once.
//!
//! Costs sixteen bytes, and the writing and reading of the mark; a block that was refused is empty.

use core::ptr;

use crate::check::{mark, verify};
use crate::heap;
use crate::results::wrong;

/// A block of `malloc`, or none.
#[derive(Debug)]
pub(super) struct Block {
    at: *mut u8,
    size: u32,
    key: u32,
}

// SAFETY: a block is its owner's alone, in whichever thread that is.
unsafe impl Send for Block {}

impl Block {
    /// No block.
    pub(super) const NONE: Self = Self { at: ptr::null_mut(), size: 0, key: 0 };

    /// Allocates `size` bytes, and marks the first and the last of them.
    #[inline(always)]
    pub(super) fn new(size: usize, key: u64) -> Self {
        let block = Self::unmarked(size, key);
        // SAFETY: a block of `size`, or null.
        unsafe { mark(block.at, size, block.mark()) };
        block
    }

    /// Ends the program unless the mark is there; frees.
    #[inline(always)]
    pub(super) fn free(self) {
        // SAFETY: `new` marked it.
        unsafe { verify(self.at, self.size as usize, self.mark()) };
        // SAFETY: allocated by `unmarked`, and nobody else's.
        unsafe { heap::free(self.at) };
    }

    /// Frees a block whose mark was written over.
    pub(super) fn free_unmarked(self) {
        // SAFETY: allocated by `unmarked`, and nobody else's.
        unsafe { heap::free(self.at) };
    }

    /// Allocates `size` bytes, and writes all of them.
    pub(super) fn filled(size: usize, key: u64) -> Self {
        let block = Self::unmarked(size, key);
        if !block.at.is_null() {
            // SAFETY: a block of `size`.
            unsafe { block.at.write_bytes(block.byte(), size) };
        }
        block
    }

    /// Reads all bytes of a block that [`filled`](Self::filled) made; frees.
    pub(super) fn free_filled(self) {
        if !self.at.is_null() {
            // SAFETY: `filled` wrote so many bytes.
            let bytes = unsafe { core::slice::from_raw_parts(self.at, self.size as usize) };
            let differs = bytes.iter().fold(0, |all, byte| all | (byte ^ self.byte()));
            if differs != 0 && !heap::is_null() {
                wrong(format_args!("a block of {} bytes at {:p} was changed", self.size, self.at));
            }
        }
        self.free_unmarked();
    }

    /// The bytes that were asked for; 0 if they were refused.
    pub(super) fn size(&self) -> usize {
        if self.at.is_null() { 0 } else { self.size as usize }
    }

    /// The block's start, for whoever writes to it.
    pub(super) fn as_ptr(&self) -> *mut u8 {
        self.at
    }

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "workloads ask for less than 4 GiB; any bits of the key will do"
    )]
    fn unmarked(size: usize, key: u64) -> Self {
        Self { at: heap::malloc(size), size: size as u32, key: key as u32 }
    }

    #[inline(always)]
    fn mark(&self) -> u64 {
        u64::from(self.key).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn byte(&self) -> u8 {
        self.mark().to_le_bytes()[7]
    }
}

/// Frees all of `blocks`, the first of them first.
pub(super) fn free_all(blocks: &mut Vec<Block>) {
    for block in blocks.drain(..) {
        block.free();
    }
}

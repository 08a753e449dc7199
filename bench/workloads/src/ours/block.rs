//! A block with its size and its mark: allocated, marked and touched in one step, verified and freed in another.
//!
//! Layer: between [`heap`] and the workloads of this folder. Cost: a call of the heap, two words written or read, and a
//! byte of every page of a block larger than a page.

use core::ptr;

use crate::check::{mark, verify};
use crate::heap;
use crate::rng::Rng;

/// The least that a processor's page has on any machine of ours.
const PAGE: usize = 4096;

/// A block of [`heap`], or nothing where it was refused or never asked for. Whoever drops it without
/// [`free`](Block::free) leaks it.
#[derive(Debug)]
pub(super) struct Block {
    at: *mut u8,
    size: u32,
    key: u32,
}

// SAFETY: a block belongs to whoever has it, and any thread may free it.
unsafe impl Send for Block {}

impl Block {
    /// No block; freeing it does nothing.
    pub(super) const NONE: Self = Self { at: ptr::null_mut(), size: 0, key: 0 };

    /// Allocates `size` bytes and marks them with `key`; every page is touched.
    #[inline(always)]
    pub(super) fn new(size: u32, key: u32) -> Self {
        let at = heap::malloc(size as usize);
        let block = Self { at, size, key };
        block.write();
        block
    }

    #[inline(always)]
    fn write(&self) {
        if self.at.is_null() {
            return;
        }
        let size = self.size as usize;
        // Pages that hold neither mark.
        for offset in (PAGE..size.saturating_sub(PAGE)).step_by(PAGE) {
            // SAFETY: the offset is in the block.
            let page = unsafe { self.at.add(offset) };
            // SAFETY: ours to write to.
            unsafe { page.write(1) };
        }
        // SAFETY: `size` bytes are ours.
        unsafe { mark(self.at, size, u64::from(self.key)) };
    }

    /// Its size; 0 for no block.
    #[inline(always)]
    pub(super) fn size(&self) -> usize {
        self.size as usize
    }

    /// The number it was marked with.
    #[inline(always)]
    pub(super) fn key(&self) -> u32 {
        self.key
    }

    /// Ends the program unless the mark is there.
    #[inline(always)]
    pub(super) fn verify(&self) {
        // SAFETY: `new` marked so many bytes.
        unsafe { verify(self.at, self.size as usize, u64::from(self.key)) };
    }

    /// Verifies and frees it.
    #[inline(always)]
    pub(super) fn free(self) {
        self.verify();
        // SAFETY: a live block, or null; `self` is gone after this.
        unsafe { heap::free(self.at) };
    }
}

/// A size from `2^low` to below `2^high`: every doubling is as frequent as the others.
#[inline(always)]
pub(super) fn size_between(rng: &mut Rng, low: u32, high: u32) -> u32 {
    let number = rng.next();
    let doubling = low + (number >> 56) as u32 % (high - low);
    let within = (number >> 32) as u32 & ((1 << doubling) - 1);
    (1 << doubling) + within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_doubling_is_as_frequent() {
        let mut rng = Rng::new(5);
        let mut seen = [0_u32; 4];
        for _ in 0..4000 {
            let size = size_between(&mut rng, 4, 8);
            assert!((16..256).contains(&size));
            seen[size.ilog2() as usize - 4] += 1;
        }
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
    }

    #[test]
    fn blocks_of_all_sizes_hold_their_marks() {
        for size in [0, 1, 7, 8, 16, 4095, 4096, 4097, 3 * 4096, 100_000] {
            let block = Block::new(size, 7);
            assert_eq!((block.size(), block.key()), (size as usize, 7));
            block.free();
        }
        Block::NONE.free();
    }
}

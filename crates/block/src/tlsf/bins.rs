//! The bins: lists of free blocks by size, and a bitmap of those that are not empty.
//!
//! ```text
//! bitmap  0 0 1 0 0 1 0 …      bin 2 ─► [ 32, prev 2 ] ⇄ [ 32 ] ⇄ [ 32 ]
//!             │     └────────► bin 5 ─► [ 80, prev 5 ]
//! ```
//!
//! - **T3** a free block is in the bin of its size, and in no other.
//! - **T4** a bin's bit is set exactly when its list is not empty.
//! - **T5** the first block of a list has its bin's number in the place of a block before it, so
//!   that unlinking neither computes a bin nor cares where the control block is.
//!
//! The bitmap is one row of words, read upward from the bin wanted; as many zero words follow
//! it, so that the search needs no end. Nothing here loops: `WORDS` is a constant.

use core::marker::PhantomData;
use core::num::NonZero;

use super::block::Block;
use super::control::{Control, Head, Parts};
use super::map::{self, BITS};
use super::tier::Tier;

/// How many blocks of the bin that a request falls into are looked at for one that is large
/// enough, before and after the bins above it.
pub(super) const PROBES: usize = 3;

/// A control block during one operation. Copying it is copying three addresses.
pub(super) struct Table<C, T> {
    pub(super) head: *mut Head,
    bits: *mut usize,
    bins: *mut Block,
    kind: PhantomData<(C, T)>,
}

impl<C, T> Clone for Table<C, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, T> Copy for Table<C, T> {}

/// A free block and where it was found.
pub(super) struct Found {
    pub(super) block: Block,
    pub(super) size: usize,
}

impl<C: Control, T: Tier> Table<C, T> {
    #[inline(always)]
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { head, bits, bins } = parts;
        Table { head, bits, bins, kind: PhantomData }
    }

    /// The bin of a block of `size` bytes.
    #[inline(always)]
    pub(super) fn bin(size: usize) -> usize {
        map::bin::<C>(size / C::GRAIN)
    }

    /// Word `word` of the bitmap; those after the last are zero.
    #[inline(always)]
    pub(super) fn bits(self, word: usize) -> usize {
        debug_assert!(word < 2 * C::WORDS, "{word}");
        // SAFETY: the bitmap has twice `WORDS` words.
        unsafe { self.bits.wrapping_add(word).read() }
    }

    #[inline(always)]
    fn set_bits(self, word: usize, bits: usize) {
        debug_assert!(word < C::WORDS, "{word}");
        // SAFETY: the bitmap has `WORDS` words, and this operation is its only user.
        unsafe { self.bits.wrapping_add(word).write(bits) }
    }

    /// The first block of a bin.
    #[inline(always)]
    pub(super) fn first(self, bin: usize) -> Block {
        debug_assert!(bin < C::BINS, "{bin}");
        // SAFETY: a bin that a block of this memory can be in is there.
        unsafe { self.bins.wrapping_add(bin).read() }
    }

    #[inline(always)]
    fn set_first(self, bin: usize, block: Block) {
        debug_assert!(bin < C::BINS, "{bin}");
        // SAFETY: as in `first`, and this operation is the bins' only user.
        unsafe { self.bins.wrapping_add(bin).write(block) }
    }

    /// Puts a free block of `size` bytes first into its bin.
    ///
    /// # Safety
    ///
    /// The block is free, of this size, ours, and in no bin.
    #[inline(always)]
    pub(super) unsafe fn insert(self, block: Block, size: usize) {
        let bin = Self::bin(size);
        let first = self.first(bin);
        // SAFETY: the block is free.
        unsafe { block.set_next(first) };
        // SAFETY: as above.
        unsafe { block.set_prev(Block::bin(bin)) };
        self.set_first(bin, block);
        if first.is_none() {
            let word = bin / BITS;
            self.set_bits(word, self.bits(word) | 1 << (bin % BITS));
        } else {
            // SAFETY: by T3 it is free and in this bin.
            unsafe { first.set_prev(block) };
        }
    }

    /// Takes a free block out of its bin, wherever in the list it is.
    ///
    /// # Safety
    ///
    /// The block is free and in a bin.
    #[inline(always)]
    pub(super) unsafe fn unlink(self, block: Block) {
        // SAFETY: the caller's promise.
        let prev = unsafe { block.prev() };
        if prev.address() < C::BINS {
            // SAFETY: by T5 the block is the first of bin `prev`.
            unsafe { self.pop(block, prev.address()) };
        } else {
            // SAFETY: the caller's promise.
            let next = unsafe { block.next() };
            // SAFETY: `prev` is the block before it in the list.
            unsafe { prev.set_next(next) };
            if !next.is_none() {
                // SAFETY: `next` is the block after it in the list.
                unsafe { next.set_prev(prev) };
            }
        }
    }

    /// Takes the first block out of `bin`.
    ///
    /// # Safety
    ///
    /// `block` is the first of it.
    #[inline(always)]
    unsafe fn pop(self, block: Block, bin: usize) {
        // SAFETY: the block is in a bin.
        let next = unsafe { block.next() };
        self.set_first(bin, next);
        if next.is_none() {
            let word = bin / BITS;
            self.set_bits(word, self.bits(word) ^ 1 << (bin % BITS));
        } else {
            // SAFETY: `next` is in this bin, and now its first (T5).
            unsafe { next.set_prev(Block::bin(bin)) };
        }
    }

    /// Takes a free block of at least `size` bytes out of its bin: the first of the bin that
    /// `size` falls into if it is large enough, the first of the lowest bin above it, or one of
    /// the next few of its own bin.
    #[inline(always)]
    pub(super) fn take(self, size: usize) -> Option<Found> {
        let bin = Self::bin(size);
        let word = bin / BITS;
        let here = self.bits(word) >> (bin % BITS);
        if here & 1 != 0 {
            let block = self.first(bin);
            // SAFETY: by T4 the bin is not empty.
            let found = unsafe { self.size(block) };
            if found >= size {
                // SAFETY: it is the first of the bin.
                unsafe { self.pop(block, bin) };
                return Some(Found { block, size: found });
            }
        }
        let Some(bin) = self.above(bin, here & !1) else { return self.probe(bin, size) };
        let block = self.first(bin);
        // SAFETY: by T4 the bin is not empty.
        unsafe { self.pop(block, bin) };
        // SAFETY: as above.
        let found = unsafe { self.size(block) };
        Some(Found { block, size: found })
    }

    /// The lowest bin above `bin` that is not empty; `here` is the rest of its bitmap word.
    #[inline(always)]
    fn above(self, bin: usize, here: usize) -> Option<usize> {
        if let Some(here) = NonZero::new(here) {
            return Some(bin + here.trailing_zeros() as usize);
        }
        let word = bin / BITS;
        let mut further = 1;
        while further < C::WORDS {
            if let Some(bits) = NonZero::new(self.bits(word + further)) {
                return Some((word + further) * BITS + bits.trailing_zeros() as usize);
            }
            further += 1;
        }
        None
    }

    /// The last resort: the second to the `PROBES`-th block of the bin.
    #[cold]
    fn probe(self, bin: usize, size: usize) -> Option<Found> {
        let mut block = self.first(bin);
        let mut probes = 1;
        if block.is_none() {
            return None;
        }
        while probes < PROBES {
            // SAFETY: the block is in the bin.
            block = unsafe { block.next() };
            if block.is_none() {
                return None;
            }
            // SAFETY: as above.
            let found = unsafe { self.size(block) };
            if found >= size {
                // SAFETY: as above.
                unsafe { self.unlink(block) };
                return Some(Found { block, size: found });
            }
            probes += 1;
        }
        None
    }

    /// The size of a free block.
    ///
    /// # Safety
    ///
    /// The block is free and in a bin.
    #[inline(always)]
    pub(super) unsafe fn size(self, block: Block) -> usize {
        // SAFETY: the caller's promise.
        let header = unsafe { block.header::<T>() };
        // By T2 a free block's only flag is `FREE`.
        header - super::block::FREE
    }

    /// Empties every bin. Those beyond a control block cut short are empty: their bits are clear.
    pub(super) fn clear_bins(self) {
        for word in 0..C::WORDS {
            let mut bits = self.bits(word);
            while bits != 0 {
                self.set_first(word * BITS + bits.trailing_zeros() as usize, Block::NONE);
                bits &= bits - 1;
            }
            self.set_bits(word, 0);
        }
    }
}

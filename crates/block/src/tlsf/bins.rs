//! The bins: lists of free blocks by size, and a bitmap of those that are not empty.
//!
//! ```text
//! bitmap  0 0 1 0 0 1 0 …      bin 2 ─► [ 32, prev 2 ] ⇄ [ 32 ] ⇄ [ 32 ]
//!             │     └────────► bin 5 ─► [ 80, prev 5 ]
//! ```
//!
//! - **bins-T3** a free block is in the bin of its size, and in no other.
//! - **bins-T4** a bin's bit is set exactly when its list is not empty.
//! - **bins-T5** the first block of a list has its bin's number in the place of a block before it, so
//!   that unlinking neither computes a bin nor cares where the control block is.
//!
//! The bitmap is one row of words, read upward from the bin wanted; as many zero words follow
//! it, so that the search needs no end. Inserting, unlinking and taking do not loop, unless the feature
//! `compact` asks for less code.

use core::hint::select_unpredictable;
use core::marker::PhantomData;
use core::num::NonZero;

use super::block::Block;
use super::control::{Control, Head};
use super::map::{self, BITS};
use super::tier::Tier;

/// How many blocks of the bin that a request falls into are looked at for one that is large
/// enough: the first before the bins above it, the others after.
pub(super) const PROBES: usize = 2;

/// Less code, a longer path.
pub(super) const COMPACT: bool = cfg!(feature = "compact");

/// Whether the processor guesses where a branch goes and runs ahead, so that a wrong guess costs
/// more than a few instructions.
pub(super) const GUESSES: bool =
    cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) && !COMPACT;

/// A control block during one operation, by address.
pub(super) struct Table<C, T> {
    at: *mut u8,
    kind: PhantomData<(C, T)>,
}

impl<C, T> Clone for Table<C, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, T> Copy for Table<C, T> {}

pub(super) struct Found {
    pub(super) block: Block,
    pub(super) size: usize,
    /// It is known to be of the size asked for, so that nothing is to be cut off.
    pub(super) exact: bool,
}

impl<C: Control, T: Tier> Table<C, T> {
    /// Whether there are crumbs; a sealed header has no room for a link.
    pub(super) const CRUMBS: bool = C::CRUMBS && !T::CANARIES;
    /// Whether the floor bin's first block is taken only if it is of the very size. That it is a
    /// little larger is a coin toss, and where the coin is wrong it costs as much as the rest; a
    /// program that asks for the same size again foretells it. Half-fit's first block always fits.
    const EXACT_FLOOR: bool = GUESSES && C::STEPS > 1;
    /// Whether freeing goes by the layout: blocks are exactly as large as their requests make them.
    pub(super) const EXACT: bool = Self::CRUMBS && GUESSES;
    pub(super) const SMALLEST: usize = if Self::CRUMBS { C::GRAIN } else { C::LISTED };

    #[inline(always)]
    pub(super) fn new(at: *mut u8) -> Self {
        Table { at, kind: PhantomData }
    }

    pub(super) fn address(self) -> *mut u8 {
        self.at
    }

    #[inline(always)]
    pub(super) fn head(self) -> *mut Head {
        self.at.cast()
    }

    #[inline(always)]
    fn word(self, word: usize) -> *mut usize {
        self.at.wrapping_add(C::BITS_AT).cast::<usize>().wrapping_add(word)
    }

    #[inline(always)]
    fn slot(self, bin: usize) -> *mut Block {
        self.at.wrapping_add(C::BINS_AT).cast::<Block>().wrapping_add(bin)
    }

    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) fn bin(size: usize) -> usize {
        map::bin::<C>(size / C::GRAIN)
    }

    /// The word of the bitmap that speaks for `bin`.
    #[inline(always)]
    fn word_of(bin: usize) -> usize {
        if C::WORDS == 1 { 0 } else { bin / BITS }
    }

    /// Word `word` of the bitmap; those after the last are zero.
    #[inline(always)]
    pub(super) fn bits(self, word: usize) -> usize {
        debug_assert!(word < 2 * C::WORDS, "{word}");
        // SAFETY: the bitmap has twice `WORDS` words.
        unsafe { self.word(word).read() }
    }

    #[inline(always)]
    pub(super) fn set_bits(self, word: usize, bits: usize) {
        debug_assert!(word < C::WORDS, "{word}");
        // SAFETY: the bitmap has `WORDS` words, and this operation is its only user.
        unsafe { self.word(word).write(bits) }
    }

    #[inline(always)]
    pub(super) fn first(self, bin: usize) -> Block {
        debug_assert!(bin < C::BINS, "{bin}");
        // SAFETY: a bin that a block of this memory can be in is there.
        unsafe { self.slot(bin).read() }
    }

    #[inline(always)]
    pub(super) fn set_first(self, bin: usize, block: Block) {
        debug_assert!(bin < C::BINS, "{bin}");
        // SAFETY: as in `first`, and this operation is the bins' only user.
        unsafe { self.slot(bin).write(block) }
    }

    /// Puts a free block of `size` bytes first into its bin.
    /// The caller promises: the block is free, of this size, ours, and in no bin.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) unsafe fn insert(self, block: Block, size: usize) {
        let bin = Self::bin(size);
        let first = self.first(bin);
        // SAFETY: the block is free.
        unsafe { block.set_next(first) };
        // SAFETY: as above.
        unsafe { block.set_prev(Block::bin(bin)) };
        self.set_first(bin, block);
        if first.is_none() {
            let word = Self::word_of(bin);
            self.set_bits(word, self.bits(word) | 1 << (bin % BITS));
        }
        // SAFETY: by bins-T3 it is free and in this bin, if there is one.
        unsafe { self.set_prev_of(first, block) };
    }

    /// Notes in a listed block what is before it; there may be no block.
    /// The caller promises: `block` is free, or none.
    #[inline(always)]
    unsafe fn set_prev_of(self, block: Block, prev: Block) {
        if !block.is_none() {
            // SAFETY: the caller's promise.
            unsafe { block.set_prev(prev) };
        }
    }

    /// Clears the bin's bit if it is `empty` now.
    #[inline(always)]
    fn clear_bit(self, bin: usize, empty: bool) {
        if empty {
            let word = Self::word_of(bin);
            self.set_bits(word, self.bits(word) ^ 1 << (bin % BITS));
        }
    }

    /// Takes a free block out of its bin, wherever in the list it is.
    /// The caller promises: the block is free and in a bin.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) unsafe fn unlink(self, block: Block) {
        // SAFETY: the caller's promise.
        let prev = unsafe { block.prev() };
        let is_first = prev.address() < C::BINS;
        if GUESSES {
            // SAFETY: the caller's promise.
            let next = unsafe { block.next() };
            let slot = select_unpredictable(is_first, self.slot(prev.address()), prev.next_at());
            // SAFETY: the bin's slot, or the link of the block before.
            unsafe { slot.write(next) };
            // SAFETY: it is the block after it, or none.
            unsafe { self.set_prev_of(next, prev) };
            if is_first {
                self.clear_bit(prev.address(), next.is_none());
            }
        } else if is_first {
            // SAFETY: by bins-T5 the block is the first of bin `prev`.
            unsafe { self.pop(block, prev.address()) };
        } else {
            // SAFETY: `prev` is the block before it in the list.
            unsafe { self.skip(prev, block) };
        }
    }

    /// Takes a block that is not the first out of its list.
    /// The caller promises: `prev` is the block before it.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    unsafe fn skip(self, prev: Block, block: Block) {
        // SAFETY: the block is in a bin.
        let next = unsafe { block.next() };
        // SAFETY: the caller's promise.
        unsafe { prev.set_next(next) };
        // SAFETY: `next` is the block after it in the list, or none.
        unsafe { self.set_prev_of(next, prev) };
    }

    /// Takes the first block out of `bin`.
    /// The caller promises: `block` is the first of it.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    unsafe fn pop(self, block: Block, bin: usize) {
        // SAFETY: the block is in a bin.
        let next = unsafe { block.next() };
        self.set_first(bin, next);
        self.clear_bit(bin, next.is_none());
        // SAFETY: `next` is in this bin, and now its first (bins-T5), or none.
        unsafe { self.set_prev_of(next, Block::bin(bin)) };
    }

    /// Takes a free block of at least `size` bytes out of its bin: the first of the bin that
    /// `size` falls into if it is large enough (of the very size, where the processor guesses),
    /// otherwise the first of the lowest bin above it.
    /// Fails with the former, or none: blocks behind it may be large enough.
    #[inline(always)]
    pub(super) fn take(self, size: usize) -> Result<Found, Block> {
        let bin = Self::bin(size);
        let word = self.word(Self::word_of(bin));
        // SAFETY: no block is larger than `LARGEST`, whose bin has a bit in the bitmap.
        let bits = unsafe { word.read() };
        // The floor's bit is the lowest. A bin whose bit is clear may lie beyond the last there is.
        let here = bits >> (bin % BITS);
        let mut floor = Block::NONE;
        if here & 1 != 0 {
            floor = self.first(bin);
            // SAFETY: the block is in a bin.
            let found = unsafe { self.size(floor) };
            // Of a crumb it is a link, which is more than any size (block-T8).
            let fits = if Self::EXACT_FLOOR {
                found == size || (Self::CRUMBS && size == C::GRAIN)
            } else {
                found >= size
            };
            if fits {
                if found == size {
                    // SAFETY: this is the word of the bin's bit, which is set.
                    let found = unsafe { self.take_first(bin, word, bits ^ 1 << (bin % BITS)) };
                    return Ok(Found { exact: true, ..found });
                }
                if Self::is_crumb(found) {
                    // SAFETY: it says so.
                    unsafe { self.unlink_crumb(floor) };
                    return Ok(Found { block: floor, size, exact: false });
                }
                // SAFETY: this is the word of the bin's bit, which is set.
                return Ok(unsafe { self.take_first(bin, word, bits ^ 1 << (bin % BITS)) });
            }
        }
        if let Some(higher) = NonZero::new(here & !1) {
            let bin = bin + higher.trailing_zeros() as usize;
            // SAFETY: this is the word of the bin's bit, which is set.
            return Ok(unsafe { self.take_first(bin, word, bits ^ 1 << (bin % BITS)) });
        }
        // Written out, so that no compiler makes it a loop: the bound on the words is a constant.
        macro_rules! further_word {
            ($($further:literal)*) => {$(
                if $further < C::WORDS {
                    let word = word.wrapping_add($further);
                    // SAFETY: the bitmap has as many zero words behind it.
                    let bits = unsafe { word.read() };
                    if let Some(bit) = NonZero::new(bits) {
                        let bit = bit.trailing_zeros() as usize;
                        let bin = (bin | (BITS - 1)) + 1 + ($further - 1) * BITS + bit;
                        // SAFETY: as above, and it is the word's lowest bit.
                        return Ok(unsafe { self.take_first(bin, word, bits & (bits - 1)) });
                    }
                }
            )*};
        }
        further_word!(1 2 3 4 5 6 7);
        Err(floor)
    }

    /// Takes the first block out of `bin`, whose bitmap word becomes `cleared` if it was the only
    /// one.
    /// The caller promises: the bin is not empty, and `cleared` is what `word` holds without the bin's bit.
    #[inline(always)]
    unsafe fn take_first(self, bin: usize, word: *mut usize, cleared: usize) -> Found {
        let block = self.first(bin);
        // SAFETY: by bins-T4 the bin is not empty.
        let next = unsafe { block.next() };
        self.set_first(bin, next);
        if next.is_none() {
            // SAFETY: the caller's promise.
            unsafe { word.write(cleared) };
        }
        // SAFETY: `next` is in this bin, and now its first (bins-T5), or none.
        unsafe { self.set_prev_of(next, Block::bin(bin)) };
        // SAFETY: it was the first of a bin.
        let size = unsafe { self.size(block) };
        Found { block, size, exact: false }
    }

    /// [`take`](Self::take) and, when it fails, [`probe`](Self::probe).
    pub(super) fn find(self, size: usize) -> Option<Found> {
        if COMPACT {
            return self.find_compact(size);
        }
        match self.take(size) {
            Ok(found) => Some(found),
            Err(first) => self.probe(first, size),
        }
    }

    /// The same in less code: words are read in a loop, and only one block of the bin is looked at.
    fn find_compact(self, size: usize) -> Option<Found> {
        let bin = Self::bin(size);
        let mut word = Self::word_of(bin);
        let mut bits = self.bits(word) & !0 << (bin % BITS);
        if bits >> (bin % BITS) & 1 != 0 {
            // SAFETY: by bins-T4 the bin is not empty.
            let found = unsafe { self.size(self.first(bin)) };
            bits &= !(usize::from(found < size) << (bin % BITS));
        }
        while bits == 0 {
            word += 1;
            if word >= C::WORDS {
                return None;
            }
            bits = self.bits(word);
        }
        let block = self.first(word * BITS + bits.trailing_zeros() as usize);
        // SAFETY: it is the first of a bin.
        unsafe { self.unlink(block) };
        // SAFETY: it was free and in a bin.
        let size = unsafe { self.size(block) };
        Some(Found { block, size, exact: false })
    }

    /// The last resort: the blocks behind `first`, the first of the bin that `size` falls into.
    #[inline]
    pub(super) fn probe(self, first: Block, size: usize) -> Option<Found> {
        let mut block = first;
        if block.is_none() {
            return None;
        }
        if Self::EXACT_FLOOR {
            // SAFETY: the block is in the bin.
            let found = unsafe { self.size(block) };
            if found >= size {
                // SAFETY: as above.
                unsafe { self.unlink(block) };
                return Some(Found { block, size: found, exact: false });
            }
        }
        let mut probed = 1;
        while probed < PROBES {
            let before = block;
            // SAFETY: the block is in the bin.
            block = unsafe { before.next() };
            if block.is_none() {
                return None;
            }
            // SAFETY: as above.
            let found = unsafe { self.size(block) };
            if found >= size {
                // SAFETY: `before` is before it.
                unsafe { self.skip(before, block) };
                return Some(Found { block, size: found, exact: false });
            }
            probed += 1;
        }
        None
    }

    /// The size of a free block: its header (block-T2).
    /// The caller promises: the block is free and in a bin.
    #[inline(always)]
    pub(super) unsafe fn size(self, block: Block) -> usize {
        // SAFETY: the caller's promise.
        unsafe { block.header::<T>() }
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

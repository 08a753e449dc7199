//! Crumbs: free blocks of two words, which have room for their links and nothing else.
//!
//! ```text
//! bin 1 ─► [ next ┼ END ] ⇄ [ next ┼ prev ] ⇄ [ END ┼ prev ]
//! ```
//!
//! They are what is left when a request of one word is freed between two neighbours in use, and
//! what lets such a request cost two words instead of four. All are in bin 1, whose blocks have
//! one size; `END` ends the list on both sides (block-T8).

use super::bins::Table;
use super::block::{Block, CRUMB, END, FLAGS, USED};
use super::control::Control;
use super::tier::Tier;

/// The bin of the blocks of one grain.
const BIN: usize = 1;

impl<C: Control, T: Tier> Table<C, T> {
    /// Whether this word, a free block's first or last or a used block's header, is a crumb's link.
    #[inline(always)]
    pub(super) fn is_crumb(word: usize) -> bool {
        Self::CRUMBS && word & CRUMB != 0
    }

    #[inline(always)]
    pub(super) fn size_of(header: usize) -> usize {
        if Self::is_crumb(header) { C::GRAIN } else { header & !FLAGS }
    }

    /// The size of the free block below.
    /// The caller promises: the block's header says that there is one.
    #[inline(always)]
    pub(super) unsafe fn size_below(self, block: Block) -> usize {
        // SAFETY: the caller's promise.
        let word = unsafe { block.word_below() };
        if Self::is_crumb(word) { C::GRAIN } else { word }
    }

    /// Makes `size` free bytes a block in its bin, crumb or not. The block above must know.
    /// The caller promises: the bytes are the allocator's and in no block.
    pub(super) unsafe fn list(self, block: Block, size: usize) {
        if Self::CRUMBS && size == C::GRAIN {
            // SAFETY: the caller's promise.
            return unsafe { self.insert_crumb(block) };
        }
        // SAFETY: the block's last word.
        unsafe { block.above(size).set_size_below(size) };
        // SAFETY: the block's first word.
        unsafe { block.set_header::<T>(size) };
        // SAFETY: free, of this size, in no bin.
        unsafe { self.insert(block, size) };
    }

    /// Takes a free block out of its bin, crumb or not.
    /// The caller promises: the block is free and in a bin.
    pub(super) unsafe fn unlink_any(self, block: Block) {
        // SAFETY: the caller's promise.
        let header = unsafe { block.header::<T>() };
        debug_assert!(header & USED == 0, "{:#x} is in use", block.address());
        if Self::is_crumb(header) {
            // SAFETY: as above.
            unsafe { self.unlink_crumb(block) };
        } else {
            // SAFETY: as above.
            unsafe { self.unlink(block) };
        }
    }

    /// Puts two free words first into the crumbs' bin.
    /// The caller promises: they are the allocator's, in no block, and the block above knows that they are free.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) unsafe fn insert_crumb(self, block: Block) {
        let first = self.first(BIN);
        let next = if first.is_none() { Block::bin(END) } else { first };
        // SAFETY: the first word is free.
        unsafe { block.set_link(0, next) };
        // SAFETY: the second word is free.
        unsafe { block.set_link(1, Block::bin(END)) };
        self.set_first(BIN, block);
        if first.is_none() {
            self.set_bits(0, self.bits(0) | 1 << BIN);
        } else {
            // SAFETY: it is a crumb in the bin.
            unsafe { first.set_link(1, block) };
        }
    }

    /// Takes a crumb out of its bin.
    /// The caller promises: the block is one.
    #[cfg_attr(not(feature = "compact"), inline(always))]
    pub(super) unsafe fn unlink_crumb(self, block: Block) {
        // SAFETY: the caller's promise.
        let next = unsafe { block.link(0) };
        // SAFETY: as above.
        let prev = unsafe { block.link(1) };
        let last = next.address() == END;
        if prev.address() == END {
            self.set_first(BIN, if last { Block::NONE } else { next });
            if last {
                self.set_bits(0, self.bits(0) ^ 1 << BIN);
            }
        } else {
            // SAFETY: `prev` is the crumb before it.
            unsafe { prev.set_link(0, next) };
        }
        if !last {
            // SAFETY: `next` is the crumb after it.
            unsafe { next.set_link(1, prev) };
        }
    }
}

//! What is known of a block: which granules are free, and which of them were touched.
//!
//! ```text
//! free   1 1 0 0 1 …      1: nobody has the granule
//! dirty  1 0 1 1 0 …      1: it may hold old contents; 0: it reads as zero and costs nothing
//! ```
//!
//! - **block-B1** every granule that is ours and not free is dirty.
//! - **block-B2** a block whose `free` is not 0 is in the bin of its longest free run; full and
//!   foreign blocks are in none.
//!
//! dirty-blocks-B3 is module `dirty_blocks`'.
//!
//! 64 bytes, all zero for a block that is not ours.
use core::mem::offset_of;

use base::bits::{low64, ones, whole_groups};
use base::live::{Number, Table};
use base::sync::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// What the system was told of a block's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Advice {
    /// Nothing.
    None,
    /// Huge pages.
    Huge,
    /// Small pages.
    Small,
}

/// Descriptor of a block. All fields are written under the page heap's lock.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct BlockInfo {
    free: [AtomicU64; 2],
    dirty: [AtomicU64; 2],
    pub(crate) next: AtomicU32,
    pub(crate) prev: AtomicU32,
    /// When it became empty, in the page heap's ticks.
    pub(crate) emptied: AtomicU32,
    /// The bin it is in, plus 1; 0 for none.
    pub(crate) bin: AtomicU8,
    /// Granules of it that are ours, from its start: 128, or fewer where addresses are limited.
    pub(crate) owned: AtomicU8,
    advice: AtomicU8,
    /// How often pages were moved into it since its mapping was fresh.
    pub(crate) moved: AtomicU8,
    /// The block that entered the queue of dirty ones after it.
    pub(crate) younger: AtomicU32,
    pub(crate) queued: AtomicU8,
}

const _: () = assert!(size_of::<BlockInfo>() == 64, "one cache line a block");

fn load(words: &[AtomicU64; 2]) -> u128 {
    let low = words[0].load(Ordering::Relaxed);
    let high = words[1].load(Ordering::Relaxed);
    u128::from(high) << 64 | u128::from(low)
}

fn store(words: &[AtomicU64; 2], bits: u128) {
    words[0].store(low64(bits), Ordering::Relaxed);
    words[1].store(low64(bits >> 64), Ordering::Relaxed);
}

impl BlockInfo {
    pub(crate) const fn show(table: Table) -> Table {
        table
            .number(Number::Block, size_of::<Self>())
            .number(Number::BlockFree, offset_of!(Self, free))
            .number(Number::BlockDirty, offset_of!(Self, dirty))
            .number(Number::BlockOwned, offset_of!(Self, owned))
    }

    /// The free granules.
    pub fn free(&self) -> u128 {
        load(&self.free)
    }

    /// The granules that may hold old contents.
    pub fn dirty(&self) -> u128 {
        load(&self.dirty)
    }

    /// A bit for each granule that is ours.
    pub fn owned(&self) -> u128 {
        match u32::from(self.owned.load(Ordering::Relaxed)) {
            0 => 0,
            count => ones(0, count),
        }
    }

    /// Whether all that is ours of it is free.
    pub fn is_empty(&self) -> bool {
        let owned = self.owned();
        owned != 0 && self.free() == owned
    }

    pub(crate) fn advice(&self) -> Advice {
        match self.advice.load(Ordering::Relaxed) {
            advice if advice == Advice::Huge as u8 => Advice::Huge,
            advice if advice == Advice::Small as u8 => Advice::Small,
            _ => Advice::None,
        }
    }

    pub(crate) fn is_huge(&self) -> bool {
        self.advice() == Advice::Huge
    }

    pub(crate) fn set_advice(&self, advice: Advice) {
        self.advice.store(advice as u8, Ordering::Relaxed);
    }

    /// Free granules that cost memory which can go back, where `page` granules (1 where pages are
    /// smaller) are the system's page: those of wholly free pages that are not wholly clean.
    ///
    /// ```text
    /// free   1 1 1 1   1 1 0 1   1 1 1 1
    /// dirty  0 1 0 0   1 1 1 0   0 0 0 0      with pages of four granules:
    ///        1 1 1 1   0 0 0 0   0 0 0 0      a page costs as a whole, and goes back as a whole
    /// ```
    pub fn dirty_free(&self, page: u32) -> u128 {
        whole_groups(self.free(), page) & !whole_groups(!self.dirty(), page)
    }

    pub(crate) fn set_free(&self, bits: u128) {
        store(&self.free, bits);
    }

    pub(crate) fn set_dirty(&self, bits: u128) {
        store(&self.dirty, bits);
    }
}

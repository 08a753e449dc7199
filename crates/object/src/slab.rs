//! The descriptor of a slab: what its granules hold, and which objects are free.
//!
//! ```text
//! ┌ link ┬ tag ┬ granule ┬ next ┬ prev ┬ holes ┬ word 0 ┬ word 1 ┬ … ┐   64, 128 or 192 bytes
//!   Meta's  state  first of   list links        1 = free, object 64 w + bit
//! ```
//!
//! The tag is the state, class and owner of the slab (protocol-P3).
//!
//! - **slab-S1** bits beyond the slab's last object are 0.
//! - **slab-S2** the descriptor lives in a pool of its own size (meta-M1), so a stale reference still
//!   reads a tag and words.
//!
//! Layer *object*. The objects themselves are never read or written.
use core::mem::offset_of;

use base::bits::{index, low32};
use base::live::{Number, Table};
use base::sync::{AtomicU32, AtomicU64, Ordering};
use page::Pool;

use crate::protocol::{LARGE, LISTED, RETIRED, Tag, UNLISTED};
use crate::size_class::{ClassInfo, info};

const HEADER: usize = 32;

/// A slab's descriptor; the words beyond its end follow in the same piece of metadata.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Slab {
    link: AtomicU64,
    pub(crate) tag: AtomicU32,
    granule: AtomicU32,
    pub(crate) next: AtomicU32,
    pub(crate) prev: AtomicU32,
    /// A bit for each page that was given back while free (see `holes`).
    pub(crate) holes: AtomicU64,
    words: [AtomicU64; 4],
}

const _: () = assert!(size_of::<Slab>() == 64 && offset_of!(Slab, words) == HEADER);

impl Slab {
    /// Where its fields are, for who reads the process from outside.
    pub const fn show(table: Table) -> Table {
        table
            .number(Number::SlabTag, offset_of!(Self, tag))
            .number(Number::SlabGranule, offset_of!(Self, granule))
            .number(Number::SlabHoles, offset_of!(Self, holes))
            .number(Number::SlabWords, HEADER)
    }

    /// The pool for descriptors of `class`.
    pub fn pool(class: usize) -> Pool {
        match (HEADER + info(class).words() * 8).div_ceil(64) {
            1 => Pool::Slab1,
            2 => Pool::Slab2,
            _ => Pool::Slab3,
        }
    }

    /// The descriptor at an address that a span map entry or a list link gave.
    /// # Safety
    /// `at` is the address of a descriptor, in use or retired (slab-S2).
    #[inline]
    pub unsafe fn at<'a>(at: usize) -> &'a Self {
        // SAFETY: descriptors are never unmapped and are all atomics.
        unsafe { &*core::ptr::with_exposed_provenance::<Self>(at) }
    }

    /// Its address.
    #[inline]
    pub fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    /// State, class and owner.
    #[inline]
    pub fn tag(&self) -> Tag {
        Tag(self.tag.load(Ordering::Acquire))
    }

    /// The first granule of its objects.
    #[inline]
    pub fn granule(&self) -> usize {
        self.granule.load(Ordering::Relaxed) as usize
    }

    /// A word of the bitmap, below the class's number of words.
    #[inline]
    pub fn word(&self, index: usize) -> &AtomicU64 {
        let at = self.address() + HEADER + index * 8;
        // SAFETY: the piece has room for all words of its class (see `pool`).
        unsafe { &*core::ptr::with_exposed_provenance::<AtomicU64>(at) }
    }

    /// All words of the bitmap.
    pub fn words(&self, class: &ClassInfo) -> impl Iterator<Item = &AtomicU64> {
        (0..class.words()).map(|index| self.word(index))
    }

    /// Objects that are free now.
    pub fn free_objects(&self, class: &ClassInfo) -> u32 {
        self.words(class).map(|word| word.load(Ordering::Relaxed).count_ones()).sum()
    }

    /// Whether every object is free.
    pub fn is_empty(&self, class: &ClassInfo) -> bool {
        (0..class.words())
            .all(|index| self.word(index).load(Ordering::Acquire) == class.word_mask(index))
    }

    /// Takes a descriptor of the smallest pool into use for one large block of a heap.
    pub fn open_large(&self, granule: usize, count: usize, owner: u32) {
        self.granule.store(low32(granule), Ordering::Relaxed);
        self.word(0).store(count as u64, Ordering::Relaxed);
        self.tag.store(Tag::new(LARGE, 0, owner).0, Ordering::Release);
    }

    /// The granules of the large block, if the descriptor stands for one.
    pub fn large(&self) -> Option<usize> {
        (self.tag().state() == LARGE).then(|| index(self.word(0).load(Ordering::Relaxed)))
    }

    /// Marks the descriptor as not in use.
    pub fn retire(&self) {
        self.tag.store(RETIRED, Ordering::Release);
    }

    /// Takes the descriptor into use: its first `taken` objects are, and it is UNLISTED if those are
    /// all of them, else LISTED. Under the owner's lock.
    pub(crate) fn open(&self, granule: u32, class: usize, owner: u32, taken: usize) {
        let class_info = info(class);
        for index in 0..class_info.words() {
            let gone = match taken.saturating_sub(index * 64) {
                count @ 0..64 => (1 << count) - 1,
                _ => u64::MAX,
            };
            self.word(index).store(class_info.word_mask(index) & !gone, Ordering::Relaxed);
        }
        self.holes.store(0, Ordering::Relaxed);
        self.granule.store(granule, Ordering::Relaxed);
        let state = if taken == class_info.objects as usize { UNLISTED } else { LISTED };
        self.tag.store(Tag::new(state, class, owner).0, Ordering::Release);
    }
}

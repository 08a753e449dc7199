//! Holes: pages inside live slabs that only free objects cover, given back to the system.
//!
//! ```text
//! objects  [ free │ free │ LIVE │ free │ free │ free │ free │ free │ LIVE ]
//! pages    [      p0      │      p1      │      p2      │      p3        ]
//!                                          └─ purged: nobody holds a byte of it
//! ```
//!
//! - **O1** pages are purged under the shelf's lock, so no object of them is claimed meanwhile;
//!   objects that come back meanwhile only make more holes.
//! - **O2** `holes` has a bit for each purged page of a slab, counted from the first page that
//!   lies wholly in it (a page may be larger than a slab), and is 0 after the next claim
//!   from it: claimed objects may lie in any of them.
//!
//! Purged objects stay claimable: their pages fault in as zeroes when they are next used.
//! After Bun's and others' wish for it; no malloc in general use does this.
//!
//! Layer *object*. O(words and pages) a slab, one system call a run of pages.
use base::bits::{align_up, index, low32};
use base::sync::Ordering;
use page::geometry::{GRANULE, GRANULES_PER_BLOCK};
use page::{Attempt, PageHeap, System};

use crate::shelf::{Shelf, Supply};
use crate::size_class::{ClassInfo, info};
use crate::slab::Slab;

impl<S: System> Shelf<S> {
    /// Purges the holes of every slab with free objects, until the attempt is over; the bytes
    /// given back.
    pub fn purge_holes(&self, supply: Supply<'_, S>, class: usize, attempt: &Attempt<'_>) -> usize {
        let _guard = self.lock.lock();
        let slabs = self.partial.iter(supply.pages.region.descriptors());
        slabs
            .take_while(|_| !attempt.is_over())
            .map(|slab| purge_slab(supply, slab, info(class), attempt))
            .sum()
    }
}

/// Purges the holes of one slab. Under the shelf's lock (O1).
fn purge_slab<S: System>(
    supply: Supply<'_, S>,
    slab: &Slab,
    class: &ClassInfo,
    attempt: &Attempt<'_>,
) -> usize {
    let page = supply.pages.source.page_size();
    let start = supply.pages.region.address_of(slab.granule());
    let first_page = align_up(start, page);
    let old = slab.holes.load(Ordering::Relaxed);
    let mut found = free_pages(slab, class, page, first_page - start) & !old;
    let mut purged = 0;
    while found != 0 {
        let first = found.trailing_zeros();
        let count = (found >> first).trailing_ones();
        let run = u64::MAX >> (64 - count) << first;
        if purged == 0 {
            supply.pages.use_small_pages(low32(slab.granule() / GRANULES_PER_BLOCK));
        }
        found &= !run;
        let at = first_page + first as usize * page;
        // SAFETY: pages that only free objects cover, none of which can be claimed now (O1).
        if !attempt.note(unsafe { supply.pages.source.purge(at, count as usize * page) }) {
            break;
        }
        purged |= run;
    }
    let bytes = purged.count_ones() as usize * page;
    if bytes != 0 {
        slab.holes.store(old | purged, Ordering::Relaxed);
        supply.pages.note_holes(bytes);
    }
    bytes
}

/// A bit for each page of the slab that no object in use touches; the first begins `offset` bytes
/// behind the slab's start. Pages beyond the last object are never touched and never counted.
fn free_pages(slab: &Slab, class: &ClassInfo, page: usize, offset: usize) -> u64 {
    let size = class.size as usize;
    let end = class.objects as usize * size;
    let pages = (class.granules as usize * GRANULE).saturating_sub(offset) / page;
    let mut free = 0;
    for number in 0..pages.min(64) {
        let from = offset + number * page;
        if from >= end {
            break;
        }
        let first = class.object_at(from);
        let last = class.object_at((from + page).min(end) - 1);
        if all_free(slab, first, last) {
            free |= 1 << number;
        }
    }
    free
}

/// Whether the objects `first..=last` are all free.
fn all_free(slab: &Slab, first: usize, last: usize) -> bool {
    (first / 64..=last / 64).all(|word| {
        let from = first.saturating_sub(word * 64);
        let to = (last - word * 64).min(63);
        let mask = u64::MAX >> (63 - to) & u64::MAX << from;
        slab.word(word).load(Ordering::Acquire) & mask == mask
    })
}

/// Objects of a slab are claimed: what was purged may be touched again (O2). Under the shelf's lock.
#[inline]
pub(crate) fn fill_holes<S: System>(pages: &PageHeap<S>, slab: &Slab) {
    if slab.holes.load(Ordering::Relaxed) != 0 {
        pages.note_filled(forget(pages, slab));
    }
}

/// Before a slab's granules go back to the page heap: they are no holes any more.
pub(crate) fn end_holes<S: System>(pages: &PageHeap<S>, slab: &Slab) {
    pages.note_holes_end(forget(pages, slab));
}

/// The bytes of the slab's holes, which has none any more.
fn forget<S: System>(pages: &PageHeap<S>, slab: &Slab) -> usize {
    let bytes = hole_bytes(pages, slab);
    slab.holes.store(0, Ordering::Relaxed);
    bytes
}

/// The bytes of the slab's holes (O2). Under the shelf's lock.
pub(crate) fn hole_bytes<S: System>(pages: &PageHeap<S>, slab: &Slab) -> usize {
    let holes = slab.holes.load(Ordering::Relaxed);
    index(u64::from(holes.count_ones())) * pages.source.page_size()
}

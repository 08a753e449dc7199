//! Holes: pages inside live slabs that only free objects cover, given back to the system.
//!
//! ```text
//! objects  [ free │ free │ LIVE │ free │ free │ free │ free │ free │ LIVE ]
//! pages    [      p0      │      p1      │      p2      │      p3        ]
//!                                          └─ purged: nobody holds a byte of it
//! ```
//!
//! - **holes-O1** pages are purged under the shelf's lock, so no object of them is claimed meanwhile;
//!   objects that come back meanwhile only make more holes.
//! - **holes-O2** `holes` has a bit for each purged page of a slab, counted from the first page that
//!   lies wholly in it (a page may be larger than a slab), and is 0 after the next claim
//!   from it: claimed objects may lie in any of them.
//!
//! Purged objects stay claimable: their pages fault in as zeroes when they are next used.
//! After Bun's and others' wish for it; no malloc in general use does this.
//!
//! Layer *object*. O(words and pages) a slab, one system call for 64 runs of pages, or for each where the kernel is
//! older than Linux 6.14 or may not be asked.
use base::bits::{align_up, index, low32};
use base::sync::Ordering;
use page::geometry::{GRANULE, GRANULES_PER_BLOCK};
use page::{Attempt, PageHeap, System};
use policy::table::MOST_NAPS;
use source::Stretch;

use crate::shelf::{Shelf, Supply};
use crate::size_class::{ClassInfo, info};
use crate::slab::Slab;

/// The most holes that go back by one system call: 0.3 µs a page, one by one 2.3.
const AT_ONCE: usize = 64;

struct Found<'a> {
    stretches: [Stretch; AT_ONCE],
    places: [Option<(&'a Slab, u64)>; AT_ONCE],
    count: usize,
    /// Bytes that went back before.
    bytes: usize,
}

impl<S: System> Shelf<S> {
    /// Purges the holes of every slab with free objects, until the attempt is over; the bytes
    /// given back. The lock is left after each few slabs and each system call: others want objects meanwhile.
    pub fn purge_holes(&self, supply: Supply<'_, S>, class: usize, attempt: &Attempt<'_>) -> usize {
        let (mut left, mut naps, mut bytes) = (self.partial.len(), MOST_NAPS, 0);
        while left > 0 && !attempt.is_over() {
            bytes += self.purge_some_holes(supply, class, attempt, &mut left, &mut naps);
        }
        bytes
    }

    /// Purges the holes of a few of the `left` slabs that were first on the list. Each goes to its end, so that the next
    /// call goes on behind it, whatever comes and goes between the two. Who sleeps for the shelf comes in first, for which
    /// the caller waits `naps` times more.
    pub(crate) fn purge_some_holes(
        &self,
        supply: Supply<'_, S>,
        class: usize,
        attempt: &Attempt<'_>,
        left: &mut u32,
        naps: &mut u32,
    ) -> usize {
        let base = supply.pages.region.descriptors();
        let mut found = Found {
            stretches: [Stretch::default(); AT_ONCE],
            places: [None; AT_ONCE],
            count: 0,
            bytes: 0,
        };
        let guard = self.lock.lock();
        // Others have taken slabs off the list meanwhile: those that are left are looked at once.
        *left = self.partial.len().min(*left);
        for _ in 0..AT_ONCE {
            let Some(slab) = self.partial.first(base).filter(|_| *left > 0) else {
                *left = 0;
                break;
            };
            *left -= 1;
            self.partial.remove(base, slab);
            self.partial.push_back(base, slab);
            found.look_at(supply, slab, info(class), attempt);
            if found.bytes != 0 || attempt.is_over() {
                break;
            }
        }
        found.purge(supply, attempt);
        // It comes back at once only if slabs are left.
        if *left > 0 && *naps > 0 && !attempt.is_over() {
            *naps -= u32::from(guard.leave_to_waiter());
        }
        found.bytes
    }
}

impl<'a> Found<'a> {
    /// Notes the holes of one slab. Under the shelf's lock (holes-O1).
    fn look_at<S: System>(
        &mut self,
        supply: Supply<'_, S>,
        slab: &'a Slab,
        class: &ClassInfo,
        attempt: &Attempt<'_>,
    ) {
        let page = supply.pages.source.page_size();
        let start = supply.pages.region.address_of(slab.granule());
        let first_page = align_up(start, page);
        let mut free =
            free_pages(slab, class, page, first_page - start) & !slab.holes.load(Ordering::Relaxed);
        if free != 0 {
            supply.pages.use_small_pages(low32(slab.granule() / GRANULES_PER_BLOCK));
        }
        while free != 0 {
            let first = free.trailing_zeros();
            let count = (free >> first).trailing_ones();
            let run = u64::MAX >> (64 - count) << first;
            free &= !run;
            if self.count == AT_ONCE {
                self.purge(supply, attempt);
            }
            self.stretches[self.count] =
                Stretch { at: first_page + first as usize * page, len: count as usize * page };
            self.places[self.count] = Some((slab, run));
            self.count += 1;
        }
    }

    /// Purges what was noted. Under the same lock.
    fn purge<S: System>(&mut self, supply: Supply<'_, S>, attempt: &Attempt<'_>) {
        let stretches = &self.stretches[..core::mem::take(&mut self.count)];
        let mut bytes = 0;
        let gone = |index: usize| {
            if let Some((slab, run)) = self.places[index] {
                slab.holes.store(slab.holes.load(Ordering::Relaxed) | run, Ordering::Relaxed);
                bytes += stretches[index].len;
            }
        };
        // SAFETY: pages that only free objects cover, none of which can be claimed now (holes-O1).
        unsafe { supply.pages.purge_each(stretches, attempt, gone) };
        if bytes != 0 {
            supply.pages.note_holes(bytes);
        }
        self.bytes += bytes;
    }
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

fn all_free(slab: &Slab, first: usize, last: usize) -> bool {
    (first / 64..=last / 64).all(|word| {
        let from = first.saturating_sub(word * 64);
        let to = (last - word * 64).min(63);
        let mask = u64::MAX >> (63 - to) & u64::MAX << from;
        slab.word(word).load(Ordering::Acquire) & mask == mask
    })
}

/// Objects of a slab are claimed: what was purged may be touched again (holes-O2). Under the shelf's lock.
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

/// The bytes of the slab's holes (holes-O2). Under the shelf's lock.
pub(crate) fn hole_bytes<S: System>(pages: &PageHeap<S>, slab: &Slab) -> usize {
    let holes = slab.holes.load(Ordering::Relaxed);
    index(u64::from(holes.count_ones())) * pages.source.page_size()
}

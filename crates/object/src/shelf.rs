//! A shelf: the slabs of one class and one owner.
//!
//! ```text
//! partial  slab ⇄ slab ⇄ slab      LISTED: perhaps with free objects; claimed from the front
//! full     slab ⇄ slab             UNLISTED: none free when last looked at
//! ```
//!
//! - **F1** a slab is on `partial` exactly while LISTED and on `full` exactly while UNLISTED.
//! - **F2** a slab that is retired had all its bits set under the lock, so nobody holds an
//!   object of it and no bit of it changes any more.
//!
//! Layer *object*. Claiming is O(objects); giving back touches the shelf only when a word
//! leaves 0 on a full slab or becomes complete.
use base::bits::{low32, single_run};
use base::lock::Lock;
use base::sync::{AtomicU32, Ordering};
use page::{Meta, PageHeap, System};

use crate::central::FIRST_HEAP;
use crate::holes::{end_holes, fill_holes};
use crate::list::SlabList;
use crate::protocol::{self, LISTED, RETIRED, Tag};
use crate::size_class::info;
use crate::slab::Slab;

/// Empty slabs of at most two granules are kept when they are a shelf's last.
const KEEP_GRANULES: u32 = 2;

/// The slabs of one class and one owner.
#[derive(Debug)]
pub struct Shelf<S> {
    pub(crate) lock: Lock<S>,
    pub(crate) partial: SlabList,
    pub(crate) full: SlabList,
}

/// What a shelf needs of its surroundings.
#[derive(Debug)]
pub struct Supply<'a, S> {
    /// Granules for slabs.
    pub pages: &'a PageHeap<S>,
    /// Descriptors for slabs.
    pub meta: &'a Meta<S>,
}

impl<S> Clone for Supply<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Supply<'_, S> {}

impl<S: System> Shelf<S> {
    /// An empty shelf.
    #[must_use]
    pub const fn new() -> Self {
        Self { lock: Lock::new(), partial: SlabList::new(), full: SlabList::new() }
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// Whether a claim would probably find an object without a new slab. Needs no lock.
    #[inline]
    pub fn has_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Claims up to `out.len()` objects of `class` from the slabs that are there. They fill
    /// `out` from its end, ascending towards its start, so that popping ascends.
    pub fn claim(&self, supply: Supply<'_, S>, class: usize, out: &mut [usize]) -> usize {
        let _guard = self.lock.lock();
        self.claim_locked(supply, class, out)
    }

    /// As [`claim`](Self::claim), with a new slab when nothing is free, and counting in
    /// `contended` whether it had to wait. 0: out of memory.
    pub fn claim_or_make(
        &self,
        supply: Supply<'_, S>,
        class: usize,
        owner: u32,
        out: &mut [usize],
        contended: &AtomicU32,
    ) -> usize {
        let _guard = self.lock.try_lock().unwrap_or_else(|| {
            contended.fetch_add(1, Ordering::Relaxed);
            self.lock.lock()
        });
        let got = self.claim_locked(supply, class, out);
        if got > 0 || !self.make(supply, class, owner) {
            return got;
        }
        self.claim_locked(supply, class, out)
    }

    fn claim_locked(&self, supply: Supply<'_, S>, class: usize, out: &mut [usize]) -> usize {
        let base = supply.pages.region.descriptors();
        let class_info = info(class);
        let mut left = out.len();
        while left > 0 {
            let Some(slab) = self.partial.first(base) else { break };
            fill_holes(supply.pages, slab);
            let start = supply.pages.region.address_of(slab.granule());
            for (index, word) in slab.words(class_info).enumerate() {
                let mask = protocol::claim(word, low32(left.min(64)));
                let first = start + index * 64 * class_info.size as usize;
                left = unpack(mask, first, class_info.size as usize, out, left);
                if left == 0 {
                    break;
                }
            }
            if left > 0 && protocol::unlist(&slab.tag, slab.words(class_info)) {
                self.partial.remove(base, slab);
                self.full.push_back(base, slab);
            }
        }
        out.len() - left
    }

    /// A fresh slab on the partial list. `false`: out of memory.
    fn make(&self, supply: Supply<'_, S>, class: usize, owner: u32) -> bool {
        let class_info = info(class);
        let Some(at) = supply.meta.allocate(supply.pages, Slab::pool(class)) else { return false };
        let Some(run) = supply.pages.allocate(class_info.granules as usize, 1) else {
            // SAFETY: allocated above from this pool, not used.
            unsafe { supply.meta.deallocate(Slab::pool(class), at) };
            return false;
        };
        let region = &supply.pages.region;
        let Some(granule) = region.granule_of(run.at) else { return false };
        // SAFETY: a piece from a descriptor pool; zero or a retired descriptor.
        let slab = unsafe { Slab::at(at) };
        slab.open(low32(granule), class, owner);
        self.partial.push_back(region.descriptors(), slab);
        let served = if owner < FIRST_HEAP { class } else { 0 };
        region.enter_slab(granule, class_info.granules as usize, at, served);
        if served != 0 {
            supply.pages.note_slab(class_info.granules as usize);
        }
        true
    }

    /// Lists a slab again that `seen` said was full, unless that has changed.
    #[cold]
    #[inline(never)]
    pub(crate) fn relist(&self, base: usize, slab: &Slab, seen: Tag) {
        let _guard = self.lock.lock();
        if slab.tag() == seen {
            slab.tag.store(seen.with_state(LISTED).0, Ordering::Relaxed);
            self.full.remove(base, slab);
            self.partial.push_back(base, slab);
        }
    }

    /// Retires a slab if it is still this shelf's, wholly free, and not worth keeping.
    #[cold]
    #[inline(never)]
    pub(crate) fn retire_if_empty(&self, supply: Supply<'_, S>, slab: &Slab, seen: Tag) {
        let class_info = info(seen.class());
        let guard = self.lock.lock();
        let keep = class_info.granules <= KEEP_GRANULES && self.partial.len() <= 1;
        if slab.tag() != seen.with_state(LISTED) || keep || !slab.is_empty(class_info) {
            return;
        }
        self.partial.remove(supply.pages.region.descriptors(), slab);
        self.close(supply, slab, seen.class());
        drop(guard);
    }

    /// Gives a slab's granules and descriptor back. It is on no list. Under the lock.
    fn close(&self, supply: Supply<'_, S>, slab: &Slab, class: usize) {
        let region = &supply.pages.region;
        let count = info(class).granules as usize;
        let granule = slab.granule();
        if slab.tag().owner() < FIRST_HEAP {
            supply.pages.note_slab_end(count);
        }
        slab.tag.store(RETIRED, Ordering::Release);
        end_holes(supply.pages, slab);
        region.clear(granule, count);
        supply.pages.deallocate(region.address_of(granule), count);
        // SAFETY: on no list, and no object of it is held (F2) or will be used (destroy).
        unsafe { supply.meta.deallocate(Slab::pool(class), slab.address()) };
    }

    /// Retires every empty slab, also the last.
    pub fn trim(&self, supply: Supply<'_, S>, class: usize) {
        let base = supply.pages.region.descriptors();
        let _guard = self.lock.lock();
        let mut next = self.partial.first(base);
        while let Some(slab) = next {
            next = self.partial.after(base, slab);
            if slab.is_empty(info(class)) {
                self.partial.remove(base, slab);
                self.close(supply, slab, class);
            }
        }
    }

    /// Gives every slab back, whatever is in it.
    ///
    /// # Safety
    ///
    /// Nobody uses an object of this shelf any more, or will free one.
    pub unsafe fn destroy(&self, supply: Supply<'_, S>, class: usize) {
        let base = supply.pages.region.descriptors();
        let _guard = self.lock.lock();
        for list in [&self.partial, &self.full] {
            while let Some(slab) = list.first(base) {
                list.remove(base, slab);
                self.close(supply, slab, class);
            }
        }
    }

    /// Objects handed out (magazines included) and slabs held.
    pub fn count(&self, base: usize, class: usize) -> (usize, usize) {
        let _guard = self.lock.lock();
        let class_info = info(class);
        let mut taken = 0;
        let mut slabs = 0;
        for slab in self.partial.iter(base).chain(self.full.iter(base)) {
            taken += (class_info.objects - slab.free_objects(class_info)) as usize;
            slabs += 1;
        }
        (taken, slabs)
    }
}

impl<S: System> Default for Shelf<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Writes the addresses of `mask`'s objects below `out[left]`, lowest last.
#[inline]
fn unpack(mask: u64, first: usize, size: usize, out: &mut [usize], left: usize) -> usize {
    if let Some((start, count)) = single_run(mask) {
        let stop = left - count as usize;
        let mut object = first + start as usize * size;
        for slot in out[stop..left].iter_mut().rev() {
            *slot = object;
            object += size;
        }
        return stop;
    }
    let mut stop = left;
    let mut bits = mask;
    while bits != 0 {
        stop -= 1;
        out[stop] = first + bits.trailing_zeros() as usize * size;
        bits &= bits - 1;
    }
    stop
}

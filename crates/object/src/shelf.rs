//! A shelf: the slabs of one class and one owner.
//!
//! ```text
//! partial  slab ⇄ slab ⇄ slab      LISTED: perhaps with free objects; claimed from the front
//! full     slab ⇄ slab             UNLISTED: none free when last looked at
//! ```
//!
//! - **shelf-F1** a slab is on `partial` exactly while LISTED and on `full` exactly while UNLISTED.
//! - **shelf-F2** a slab that is retired had all its bits set under the lock, so nobody holds an
//!   object of it and no bit of it changes any more.
//!
//! A fresh slab whose objects are all wanted at once begins on `full`.
//!
//! Layer *object*. Claiming is O(objects); giving back touches the shelf only when a word leaves 0
//! on a full slab or a slab becomes empty, under one lock for all such slabs of a batch.
use base::bits::{low32, single_run};
use base::lock::{Guard, Lock};
use base::sync::Ordering;
use page::{GRANULE, Meta, PageHeap, System};
use policy::caches::keeps_last;
use policy::table::SLABS_FOR_LINES;

use crate::central::FIRST_HEAP;
use crate::holes::{end_holes, fill_holes};
use crate::list::SlabList;
use crate::protocol::{self, LISTED, Tag, UNLISTED};
use crate::size_class::info;
use crate::slab::Slab;

/// The most slabs whose memory goes back at a time.
pub(crate) const MOST_ENDED: usize = 8;

/// The slabs of one class and one owner.
#[derive(Debug)]
pub struct Shelf<S> {
    pub(crate) lock: Lock<S>,
    pub(crate) partial: SlabList,
    pub(crate) full: SlabList,
}

/// With whom the owner of claimed objects may share cache lines: two processors that write to the same
/// line wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// With the owners of the objects beside them.
    Lines,
    /// With no other thread, if at most [`SLABS_FOR_LINES`] slabs have to be looked at for that: this number of objects, a
    /// power of two, fills whole lines, and the claim is for a multiple of it.
    NoLine(u32),
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
    pub const fn new() -> Self {
        Self { lock: Lock::new(), partial: SlabList::new(), full: SlabList::new() }
    }

    /// The lock, for `fork`, and for a thread that enters before [`claim_or_make`](Self::claim_or_make).
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// Whether a claim would probably find an object without a new slab. Needs no lock.
    #[inline]
    pub fn has_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Claims up to `out.len()` objects of `class` from the slabs that are there, if nobody is
    /// at them. They fill `out` from its end, ascending towards its start, so that popping ascends.
    pub fn try_claim(
        &self,
        supply: Supply<'_, S>,
        class: usize,
        share: Share,
        out: &mut [usize],
    ) -> usize {
        let Some(inside) = self.lock.try_lock() else { return 0 };
        self.claim(supply, class, share, out, &inside)
    }

    /// As [`try_claim`](Self::try_claim), with a new slab when nothing is free. The caller has entered
    /// the lock, which is left. 0: out of memory.
    pub fn claim_or_make(
        &self,
        supply: Supply<'_, S>,
        class: usize,
        owner: u32,
        share: Share,
        out: &mut [usize],
        inside: Guard<'_, S>,
    ) -> usize {
        match self.claim(supply, class, share, out, &inside) {
            0 => self.make(supply, class, owner, out, &inside),
            got => got,
        }
    }

    /// As [`try_claim`](Self::try_claim), under the lock.
    pub(crate) fn claim(
        &self,
        supply: Supply<'_, S>,
        class: usize,
        share: Share,
        out: &mut [usize],
        _inside: &Guard<'_, S>,
    ) -> usize {
        let base = supply.pages.region.descriptors();
        let mut left = out.len();
        if let Share::NoLine(_) = share {
            // Of the first few slabs. They stay listed, though nothing else of them may be free.
            for slab in self.partial.iter(base).take(SLABS_FOR_LINES as usize) {
                left = claim_from(supply, slab, class, share, out, left);
            }
            if left < out.len() || self.partial.len() <= SLABS_FOR_LINES {
                return out.len() - left;
            }
            // Slabs in pieces are enough: a fresh one for each thread that comes would be many.
        }
        while left > 0 {
            let Some(slab) = self.partial.first(base) else { break };
            left = claim_from(supply, slab, class, Share::Lines, out, left);
            if left > 0 && protocol::unlist(&slab.tag, slab.words(info(class))) {
                self.partial.remove(base, slab);
                self.full.push_back(base, slab);
            }
        }
        out.len() - left
    }

    /// Fills `out` as [`try_claim`](Self::try_claim) does, from a fresh slab: more than one at a time made
    /// programs with many classes larger. Under the lock. 0: out of memory.
    pub(crate) fn make(
        &self,
        supply: Supply<'_, S>,
        class: usize,
        owner: u32,
        out: &mut [usize],
        _inside: &Guard<'_, S>,
    ) -> usize {
        let Supply { pages, meta } = supply;
        let (class_info, pool) = (info(class), Slab::pool(class));
        let Some(at) = meta.allocate(pages, pool) else { return 0 };
        let granules = class_info.granules as usize;
        let Some(granule) =
            pages.allocate_slab(granules, class_info.size as usize, owner < FIRST_HEAP)
        else {
            // SAFETY: allocated above from this pool, not used.
            unsafe { meta.deallocate_each(pool, &[at]) };
            return 0;
        };
        let region = &pages.region;
        let taken = out.len().min(class_info.objects as usize);
        // SAFETY: a piece from a descriptor pool; zero or a retired descriptor.
        let slab = unsafe { Slab::at(at) };
        slab.open(low32(granule), class, owner, taken);
        let is_full = slab.tag().state() == UNLISTED;
        let list = if is_full { &self.full } else { &self.partial };
        list.push_back(region.descriptors(), slab);
        region.enter_slab(granule, granules, at, if owner < FIRST_HEAP { class } else { 0 });
        let left = out.len() - taken;
        let mut object = region.address_of(granule);
        for slot in out[left..].iter_mut().rev() {
            *slot = object;
            object += class_info.size as usize;
        }
        taken
    }

    /// Looks at slabs of `whose` class and owner into which objects came back: the empty ones, but
    /// for one that is worth keeping, are retired, and full ones are listed again.
    #[cold]
    #[inline(never)]
    pub(crate) fn relist_or_retire<'a>(
        &self,
        supply: Supply<'_, S>,
        whose: Tag,
        slabs: impl Iterator<Item = &'a Slab>,
    ) {
        let base = supply.pages.region.descriptors();
        let class_info = info(whose.class());
        let mut ended = RetireBatch::new(whose);
        let _guard = self.lock.lock();
        for slab in slabs {
            let tag = slab.tag();
            if tag.with_state(LISTED) != whose {
                // It ended meanwhile; perhaps its descriptor serves another slab.
                continue;
            }
            let is_listed = tag.state() == LISTED;
            let others = self.partial.len() - u32::from(is_listed);
            let keep = others == 0 && keeps_last(class_info.granules as usize * GRANULE);
            let list = if is_listed { &self.partial } else { &self.full };
            if !keep && slab.is_empty(class_info) {
                list.remove(base, slab);
                ended.close(supply, slab);
            } else if !is_listed {
                slab.tag.store(whose.0, Ordering::Relaxed);
                list.remove(base, slab);
                self.partial.push_back(base, slab);
            }
        }
        ended.give_back(supply);
    }

    /// Retires every empty slab, also the last.
    pub fn trim(&self, supply: Supply<'_, S>) {
        let base = supply.pages.region.descriptors();
        let _guard = self.lock.lock();
        let mut next = self.partial.first(base);
        let Some(first) = next else { return };
        let mut ended = RetireBatch::new(first.tag());
        let class = info(first.tag().class());
        while let Some(slab) = next {
            next = self.partial.after(base, slab);
            if slab.is_empty(class) {
                self.partial.remove(base, slab);
                ended.close(supply, slab);
            }
        }
        ended.give_back(supply);
    }

    /// Gives every slab back, whatever is in it.
    /// # Safety
    /// Nobody uses an object of this shelf any more, or will free one.
    pub unsafe fn destroy(&self, supply: Supply<'_, S>) {
        let base = supply.pages.region.descriptors();
        let _guard = self.lock.lock();
        for list in [&self.partial, &self.full] {
            let Some(first) = list.first(base) else { continue };
            let mut ended = RetireBatch::new(first.tag());
            while let Some(slab) = list.first(base) {
                list.remove(base, slab);
                ended.close(supply, slab);
            }
            ended.give_back(supply);
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

/// Slabs of one class and owner that ended under one lock: their memory goes back together.
struct RetireBatch {
    whose: Tag,
    runs: [usize; MOST_ENDED],
    descriptors: [usize; MOST_ENDED],
    count: usize,
}

impl RetireBatch {
    fn new(whose: Tag) -> Self {
        Self { whose, runs: [0; MOST_ENDED], descriptors: [0; MOST_ENDED], count: 0 }
    }

    /// A slab, which is on no list any more, and of which nobody holds an object (shelf-F2) or will use
    /// one (`destroy`).
    fn close<S: System>(&mut self, supply: Supply<'_, S>, slab: &Slab) {
        if self.count == MOST_ENDED {
            self.give_back(supply);
        }
        let region = &supply.pages.region;
        slab.retire();
        end_holes(supply.pages, slab);
        region.clear(slab.granule(), info(self.whose.class()).granules as usize);
        self.runs[self.count] = region.address_of(slab.granule());
        self.descriptors[self.count] = slab.address();
        self.count += 1;
    }

    /// Gives the runs and descriptors back. Under the shelf's lock: a fork between taking a slab off its list and giving back
    /// its pages would lose them in the child.
    fn give_back<S: System>(&mut self, supply: Supply<'_, S>) {
        if self.count == 0 {
            return;
        }
        let (runs, descriptors) = (&self.runs[..self.count], &self.descriptors[..self.count]);
        let granules = info(self.whose.class()).granules as usize;
        supply.pages.deallocate_slabs(granules, runs, self.whose.owner() < FIRST_HEAP);
        // SAFETY: from this pool, and on no list; what may still look at them only reads (slab-S2).
        unsafe { supply.meta.deallocate_each(Slab::pool(self.whose.class()), descriptors) };
        self.count = 0;
    }
}

/// Claims objects of a slab into `out[..left]`, and says how many of its places are left. Under the
/// shelf's lock.
#[inline]
fn claim_from<S: System>(
    supply: Supply<'_, S>,
    slab: &Slab,
    class: usize,
    share: Share,
    out: &mut [usize],
    left: usize,
) -> usize {
    let class_info = info(class);
    let size = class_info.size as usize;
    let mut first = supply.pages.region.address_of(slab.granule());
    let before = left;
    let mut left = left;
    for word in slab.words(class_info) {
        if left == 0 {
            break;
        }
        let want = low32(left.min(64));
        let mask = match share {
            Share::Lines => protocol::claim(word, want),
            Share::NoLine(mates) => protocol::claim_lines(word, want, mates),
        };
        left = unpack(mask, first, size, out, left);
        first += 64 * size;
    }
    if left < before {
        fill_holes(supply.pages, slab);
    }
    left
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

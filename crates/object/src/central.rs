//! The central lists: a shelf per class and shard, and the way back for freed objects.
//!
//! - **central-C1** an object given back belongs to the slab that the span map names for its granule;
//!   anything else is a [`Fault`], and does not keep the objects behind it from going back.
//! - **central-C2** objects are grouped by bitmap word, one atomic operation a group; a group never
//!   reaches beyond its slab.
//! - **central-C3** what was given back is counted by the slabs it went to, whatever class the caller
//!   took the objects for: a block that shrank in place is freed by its smaller size (slack-X1).
//!
//! One shard until locks are contended, then more (module `shards`); an empty shelf first looks at the
//! other shards' before it makes a slab, so shards strand little memory.
//!
//! Layer *object*; magazines refill and flush here. Giving back takes no lock.
use base::Broken;
use base::bits::low32;
use base::check::ensure;
use base::live::Table;
use base::lock::Lock;
use base::sync::{AtomicUsize, Ordering};
use page::region::Span;
use page::slack::Accounts;
use page::{Attempt, GRANULE, PageHeap, System};

use crate::holes::hole_bytes;
use crate::protocol::{LISTED, Tag, UNLISTED};
use crate::shelf::{Share, Shelf, Supply};
use crate::size_class::{self, CLASSES, info};
use crate::slab::Slab;

pub use shards::Place;
use shards::Shards;

/// The most shards.
pub const SHARDS: usize = 16;
/// Owners from here on are first-class heaps.
pub const FIRST_HEAP: u32 = low32(SHARDS);
/// The most first-class heaps at a time.
pub const HEAPS: usize = 1024;

/// Why an address could not be given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// No slab holds the address.
    Foreign(usize),
    /// It is inside an object, not at its start.
    Misaligned(usize),
    /// The object is free already.
    DoubleFree(usize),
}

/// What giving objects back came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenBack {
    /// Bytes of objects that are free now, in whole classes (central-C3). Those of first-class heaps,
    /// which the accounts leave out, count nothing.
    pub bytes: usize,
    /// The first object that was none, if any.
    pub fault: Option<Fault>,
}

impl GivenBack {
    /// Errors: the first object that was none.
    pub fn answer(self) -> Result<(), Fault> {
        self.fault.map_or(Ok(()), Err)
    }
}

/// Shelves by shard and class.
#[derive(Debug)]
pub struct Central<S> {
    shelves: [[Shelf<S>; CLASSES]; SHARDS],
    shards: Shards<S>,
    heaps: [AtomicUsize; HEAPS],
    /// Held while a heap comes or goes, and by `fork`.
    changing: Lock<S>,
}

impl<S: System> Central<S> {
    /// Empty shelves, one shard in use.
    pub const fn new() -> Self {
        Self {
            shelves: [const { [const { Shelf::new() }; CLASSES] }; SHARDS],
            shards: Shards::new(),
            heaps: [const { AtomicUsize::new(0) }; HEAPS],
            changing: Lock::new(),
        }
    }

    /// Where its counter is, and the fields of what it holds, for who reads the process from outside.
    pub const fn show(&'static self, table: Table) -> Table {
        size_class::show(Slab::show(self.shards.show(table)))
    }

    /// The shelf of a class in a shard.
    #[inline]
    pub fn shelf(&self, shard: u32, class: usize) -> &Shelf<S> {
        &self.shelves[shard as usize % SHARDS][class]
    }

    /// How many shards are in use.
    pub fn shards(&self) -> u32 {
        self.shards.count()
    }

    /// From now on there are `count`, a power of two and at most [`SHARDS`], whatever happens: for tests, which must not
    /// `fork`.
    pub fn fix_shards(&self, count: u32) {
        self.shards.fix(count);
    }

    /// Claims up to `out.len()` objects; as [`Shelf::claim_or_make`], from other shards before a slab is made. 0: out of memory.
    pub fn claim(
        &self,
        supply: Supply<'_, S>,
        place: Place,
        class: usize,
        share: Share,
        out: &mut [usize],
    ) -> usize {
        let shards = self.shards();
        let own = self.shards.own(shards, place);
        let shelf = self.shelf(own, class);
        let inside = self.shards.enter(&shelf.lock);
        let mut got = shelf.claim(supply, class, share, out, &inside);
        // Whether a slab has anything is known once it was tried: the last claim may have taken the rest exactly.
        let mut others = shards::others(shards, own).map(|other| self.shelf(other, class));
        while got == 0
            && let Some(other) = others.next()
        {
            if other.has_partial() {
                got = other.try_claim(supply, class, share, out);
            }
        }
        if got == 0 {
            got = shelf.make(supply, class, own, out, &inside);
        }
        drop(inside);
        self.shards.split_if_contended();
        if got == 0 { self.claim_last(supply, class, out) } else { got }
    }

    /// There is no memory for a slab: objects of any shard, whose lock is waited for, in cache lines that other threads share.
    #[cold]
    fn claim_last(&self, supply: Supply<'_, S>, class: usize, out: &mut [usize]) -> usize {
        let mut shelves = (0..self.shards()).map(|shard| self.shelf(shard, class));
        let claimed = shelves.find_map(|shelf| {
            let inside = shelf.lock.lock();
            Some(shelf.claim(supply, class, Share::Lines, out, &inside)).filter(|&got| got != 0)
        });
        claimed.unwrap_or(0)
    }

    fn shelf_of(&self, tag: Tag) -> &Shelf<S> {
        let Some(heap) = tag.owner().checked_sub(FIRST_HEAP) else {
            return self.shelf(tag.owner(), tag.class());
        };
        let shelves = shelves_at(self.heaps[heap as usize % HEAPS].load(Ordering::Acquire));
        // A heap that was destroyed meanwhile has no slab left to list or retire.
        shelves.map_or(self.shelf(0, 0), |shelves| &shelves[tag.class()])
    }

    /// The address of the shelves of a heap; 0: there is no such heap.
    pub fn heap(&self, owner: u32) -> usize {
        self.heaps[(owner - FIRST_HEAP) as usize % HEAPS].load(Ordering::Acquire)
    }

    /// Enters the shelves of a first-class heap and returns their owner number. `None`: there
    /// are as many heaps as there can be.
    /// # Safety
    /// The shelves stay where they are until [`remove_heap`](Self::remove_heap).
    pub unsafe fn add_heap(&self, shelves: &[Shelf<S>; CLASSES]) -> Option<u32> {
        let at = core::ptr::from_ref(shelves).expose_provenance();
        let _guard = self.changing.lock();
        let index = self.heaps.iter().position(|slot| slot.load(Ordering::Relaxed) == 0)?;
        self.heaps[index].store(at, Ordering::Release);
        Some(FIRST_HEAP + low32(index))
    }

    /// Forgets a heap's shelves.
    pub fn remove_heap(&self, owner: u32) {
        let _guard = self.changing.lock();
        self.heaps[(owner - FIRST_HEAP) as usize % HEAPS].store(0, Ordering::Release);
    }

    /// The locks under which a heap comes or goes and the number of shards changes: `fork` holds
    /// them first and leaves them last, so that [`each_lock`](Self::each_lock) visits the same
    /// locks each time. Whoever is inside waits for nothing else.
    pub fn locks_of_the_set(&self) -> [&Lock<S>; 2] {
        [&self.changing, &self.shards.splitting]
    }

    /// Calls `visit` with the lock of every shelf in use, while it says to go on.
    pub fn each_lock(&self, mut visit: impl FnMut(&Lock<S>) -> bool) -> bool {
        let heaps = self.heaps.iter().filter_map(|heap| shelves_at(heap.load(Ordering::Acquire)));
        self.shelves().all(|(_, _, shelf)| visit(&shelf.lock))
            && heaps.flatten().all(|shelf: &Shelf<S>| visit(&shelf.lock))
    }

    /// Gives back the pages of live slabs that only free objects cover, unless the kernel has
    /// refused such lately; the bytes.
    pub fn purge_holes(&self, supply: Supply<'_, S>) -> usize {
        let attempt = supply.pages.purge.attempt();
        attempt.map_or(0, |attempt| self.purge_holes_in(supply, &attempt))
    }

    /// As [`purge_holes`](Self::purge_holes), as a part of an attempt.
    pub fn purge_holes_in(&self, supply: Supply<'_, S>, attempt: &Attempt<'_>) -> usize {
        let mut bytes = 0;
        for shard in 0..self.shards() {
            for class in 1..CLASSES {
                if self.shelf(shard, class).has_partial() {
                    bytes += self.shelf(shard, class).purge_holes(supply, class, attempt);
                }
            }
        }
        bytes
    }

    /// Retires every empty slab.
    pub fn trim(&self, supply: Supply<'_, S>) {
        for shard in 0..self.shards() {
            for class in 1..CLASSES {
                if self.shelf(shard, class).has_partial() {
                    self.shelf(shard, class).trim(supply);
                }
            }
        }
    }

    /// Every shelf in use, with its shard and class. Only those: `fork` holds no other's lock.
    pub fn shelves(&self) -> impl Iterator<Item = (u32, usize, &Shelf<S>)> {
        (0..self.shards()).flat_map(move |shard| {
            (1..CLASSES).map(move |class| (shard, class, self.shelf(shard, class)))
        })
    }

    /// What the slabs of all shards hold, counted shelf by shelf. Exact while no object is
    /// claimed or given back.
    pub fn accounts(&self, pages: &PageHeap<S>) -> Accounts {
        let mut sum = Accounts::default();
        for (_, class, shelf) in self.shelves() {
            let class_info = info(class);
            let _guard = shelf.lock.lock();
            let base = pages.region.descriptors();
            for slab in shelf.partial.iter(base).chain(shelf.full.iter(base)) {
                let taken = class_info.objects - slab.free_objects(class_info);
                sum.claimed += taken as usize * class_info.size as usize;
                sum.slabs += class_info.granules as usize * GRANULE;
                sum.holes += hole_bytes(pages, slab);
            }
        }
        sum
    }

    /// Walks every slab of every shelf.
    /// Errors: the first broken invariant.
    pub fn check(&self, pages: &PageHeap<S>) -> Result<(), Broken> {
        for (shard, class, shelf) in self.shelves() {
            check_shelf(pages, shard, class, shelf)?;
        }
        Ok(())
    }
}

fn shelves_at<'a, S>(at: usize) -> Option<&'a [Shelf<S>; CLASSES]> {
    // SAFETY: `add_heap` entered the address of shelves, which stay until `remove_heap`.
    (at != 0).then(|| unsafe { &*core::ptr::with_exposed_provenance(at) })
}

/// Walks every slab of a shelf whose slabs belong to `owner`.
/// Errors: the first broken invariant.
pub fn check_shelf<S: System>(
    pages: &PageHeap<S>,
    owner: u32,
    class: usize,
    shelf: &Shelf<S>,
) -> Result<(), Broken> {
    let _guard = shelf.lock.lock();
    let region = &pages.region;
    let base = region.descriptors();
    let class_info = info(class);
    for (list, state) in [(&shelf.partial, LISTED), (&shelf.full, UNLISTED)] {
        let mut count = 0;
        for slab in list.iter(base) {
            let at = slab.address();
            let tag = Tag::new(state, class, owner);
            ensure(slab.tag() == tag, "shelf-F1: a slab's tag says which list it is on", at)?;
            for index in 0..class_info.words() {
                let bits = slab.word(index).load(Ordering::Relaxed);
                let beyond = bits & !class_info.word_mask(index);
                ensure(beyond == 0, "slab-S1: bits beyond the last object are 0", at)?;
            }
            for granule in slab.granule()..slab.granule() + class_info.granules as usize {
                ensure(
                    region.span(granule) == Span::Slab(at),
                    "central-C1: granules name their slab",
                    at,
                )?;
                let served = if owner < FIRST_HEAP { class } else { 0 };
                let named = usize::from(region.class(granule));
                ensure(
                    named == served,
                    "region-R2: granules name their class",
                    region.address_of(granule),
                )?;
            }
            count += 1;
        }
        ensure(count == list.len(), "shelf-F1: a list's length is right", class)?;
    }
    Ok(())
}

mod give_back;
mod shards;
#[cfg(test)]
mod tests;

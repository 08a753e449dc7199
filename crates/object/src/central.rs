//! The central lists: a shelf per class and shard, and the way back for freed objects.
//!
//! - **C1** an object given back belongs to the slab that the span map names for its granule;
//!   anything else is a [`Fault`].
//! - **C2** objects are grouped by bitmap word, one atomic operation a group; a group never
//!   reaches beyond its slab.
//!
//! One shard until locks are contended, then more; an empty shelf first looks at the other
//! shards' before it makes a slab, so shards strand little memory.
//!
//! Layer *object*; magazines refill and flush here. Giving back takes no lock.
use base::Broken;
use base::bits::low32;
use base::check::ensure;
use base::lock::Lock;
use base::sync::{AtomicU32, AtomicUsize, Ordering};
use page::region::Span;
use page::{Attempt, PageHeap, System};

use crate::protocol::{self, LISTED, Tag, UNLISTED};
use crate::shelf::{Shelf, Supply};
use crate::size_class::{CLASSES, info};
use crate::slab::Slab;

/// The most shards.
pub const SHARDS: usize = 16;
/// Owners from here on are first-class heaps.
pub const FIRST_HEAP: u32 = low32(SHARDS);
/// The most first-class heaps at a time.
pub const HEAPS: usize = 1024;
/// Contended claims before the number of shards doubles.
const CONTENTION: u32 = 64;

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

/// Shelves by shard and class.
#[derive(Debug)]
pub struct Central<S> {
    shelves: [[Shelf<S>; CLASSES]; SHARDS],
    shards: AtomicU32,
    /// Held while the number of shards changes, and by `fork`.
    splitting: Lock<S>,
    contended: AtomicU32,
    heaps: [AtomicUsize; HEAPS],
}

/// Objects of one bitmap word on their way back.
struct Group<'a> {
    slab: &'a Slab,
    tag: Tag,
    word: usize,
    /// First address of the word's objects, and how many bytes they span.
    from: usize,
    span: usize,
    mask: u64,
}

impl Group<'_> {
    /// Adds the objects from `at` on that belong to the same word, and says where that ends.
    /// What is wrong with any of them is found once for all: the loop has no branch for it.
    #[inline]
    fn gather(&mut self, objects: &[usize], at: usize) -> Result<usize, Fault> {
        let class = info(self.tag.class());
        let size = class.size as usize;
        let (from, span) = (self.from, self.span);
        let (mut mask, mut uneven) = (self.mask, 0);
        let mut end = at;
        for object in &objects[at..] {
            let offset = object.wrapping_sub(from);
            if offset >= span {
                break;
            }
            let bit = class.object_at(offset);
            uneven |= offset ^ (bit * size);
            mask |= 1 << bit;
            end += 1;
        }
        let expected = end - at + 1;
        if uneven != 0 || mask.count_ones() as usize != expected {
            return Err(self.fault_in(&objects[at - 1..end]));
        }
        self.mask = mask;
        Ok(end)
    }

    /// Which of a word's objects is misaligned, else which comes twice.
    #[cold]
    fn fault_in(&self, objects: &[usize]) -> Fault {
        let size = info(self.tag.class()).size as usize;
        let uneven = objects.iter().find(|&&object| !(object - self.from).is_multiple_of(size));
        let twice = || {
            let again = |i: &usize| objects[..*i].contains(&objects[*i]);
            (1..objects.len()).find(again).map_or(objects[0], |i| objects[i])
        };
        uneven.map_or_else(|| Fault::DoubleFree(twice()), |&object| Fault::Misaligned(object))
    }
}

impl<S: System> Central<S> {
    /// Empty shelves, one shard in use.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            shelves: [const { [const { Shelf::new() }; CLASSES] }; SHARDS],
            shards: AtomicU32::new(1),
            splitting: Lock::new(),
            contended: AtomicU32::new(0),
            heaps: [const { AtomicUsize::new(0) }; HEAPS],
        }
    }

    /// The shelf of a class in a shard.
    #[inline]
    pub fn shelf(&self, shard: u32, class: usize) -> &Shelf<S> {
        &self.shelves[shard as usize % SHARDS][class]
    }

    /// How many shards are in use.
    pub fn shards(&self) -> u32 {
        self.shards.load(Ordering::Relaxed)
    }

    /// Claims objects, at least one; see [`Shelf::claim`]. 0: out of memory.
    pub fn claim(
        &self,
        supply: Supply<'_, S>,
        thread: u32,
        class: usize,
        out: &mut [usize],
    ) -> usize {
        let shards = self.shards();
        let own = thread & (shards - 1);
        let shelf = self.shelf(own, class);
        if shards > 1 && !shelf.has_partial() {
            for other in (0..shards).filter(|&other| other != own) {
                let other = self.shelf(other, class);
                if other.has_partial() {
                    let got = other.claim(supply, class, out);
                    if got > 0 {
                        return got;
                    }
                }
            }
        }
        let got = shelf.claim_or_make(supply, class, own, out, &self.contended);
        if self.contended.load(Ordering::Relaxed) > CONTENTION {
            self.split(shards);
        }
        got
    }

    /// Doubles the shards: their locks are fought over.
    #[cold]
    fn split(&self, shards: u32) {
        self.contended.store(0, Ordering::Relaxed);
        let Some(_guard) = self.splitting.try_lock() else { return };
        if shards < FIRST_HEAP && self.shards() == shards {
            self.shards.store(shards * 2, Ordering::Relaxed);
        }
    }

    /// Makes `objects` of `class` free again; zeroes are skipped. Lock-free but for slabs that
    /// have to be listed or retired.
    ///
    /// # Errors
    ///
    /// The first object that is none (C1). Those before it have been given back.
    pub fn give_back(
        &self,
        supply: Supply<'_, S>,
        class: usize,
        objects: &[usize],
    ) -> Result<(), Fault> {
        let mut at = 0;
        while at < objects.len() {
            if objects[at] == 0 {
                at += 1;
                continue;
            }
            let mut group = self.group_of(supply.pages, objects[at], class)?;
            at = group.gather(objects, at + 1)?;
            self.give_back_group(supply, &group)?;
        }
        Ok(())
    }

    /// Gives one object back whatever its class is: the way of heaps and of safe mode.
    ///
    /// # Errors
    ///
    /// `object` is not a live object.
    pub fn give_back_one(&self, supply: Supply<'_, S>, object: usize) -> Result<(), Fault> {
        let group = self.group_of(supply.pages, object, 0)?;
        self.give_back_group(supply, &group)
    }

    /// The word that `object` belongs to, with its bit. `class` is a guess for the common case.
    #[inline]
    fn group_of<'a>(
        &self,
        pages: &'a PageHeap<S>,
        object: usize,
        class: usize,
    ) -> Result<Group<'a>, Fault> {
        let region = &pages.region;
        let granule = region.granule_of(object).ok_or(Fault::Foreign(object))?;
        let Span::Slab(at) = region.span(granule) else { return Err(Fault::Foreign(object)) };
        // SAFETY: the span map names descriptors only.
        let slab = unsafe { Slab::at(at) };
        let tag = slab.tag();
        // A sized free may have named another class than the slab's (realloc shrinks in place).
        let class = if tag.class() == class { class } else { tag.class() };
        let class_info = info(class);
        let size = class_info.size as usize;
        let start = region.address_of(slab.granule());
        let index = class_info.object_at(object - start);
        if index >= class_info.objects as usize || index * size != object - start {
            return Err(Fault::Misaligned(object));
        }
        let word = index / 64;
        let objects = (class_info.objects as usize - word * 64).min(64);
        Ok(Group {
            slab,
            tag,
            word,
            from: start + word * 64 * size,
            span: objects * size,
            mask: 1 << (index % 64),
        })
    }

    #[inline]
    fn give_back_group(&self, supply: Supply<'_, S>, group: &Group<'_>) -> Result<(), Fault> {
        let word = group.slab.word(group.word);
        let old = protocol::give_back(word, group.mask);
        let class_info = info(group.tag.class());
        if old & group.mask != 0 {
            let bit = (old & group.mask).trailing_zeros() as usize;
            return Err(Fault::DoubleFree(group.from + bit * class_info.size as usize));
        }
        let mut look = old | group.mask == class_info.word_mask(group.word);
        if old == 0
            && let Some(seen) = protocol::needs_listing(&group.slab.tag)
            // Else the descriptor serves another slab by now, perhaps of a heap that has gone.
            && seen == group.tag.with_state(UNLISTED)
        {
            self.shelf_of(seen).relist(supply.pages.region.base(), group.slab, seen);
            // Whoever freed the last object may have looked before the slab was listed.
            look = true;
        }
        if look && group.slab.is_empty(class_info) {
            self.shelf_of(group.tag).retire_if_empty(supply, group.slab, group.tag);
        }
        Ok(())
    }

    /// The shelf that a slab with this tag belongs to.
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
    ///
    /// # Safety
    ///
    /// The shelves stay where they are until [`remove_heap`](Self::remove_heap).
    pub unsafe fn add_heap(&self, shelves: &[Shelf<S>; CLASSES]) -> Option<u32> {
        let at = core::ptr::from_ref(shelves).expose_provenance();
        let index = self.heaps.iter().position(|slot| {
            slot.compare_exchange(0, at, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        })?;
        Some(FIRST_HEAP + low32(index))
    }

    /// Forgets a heap's shelves.
    pub fn remove_heap(&self, owner: u32) {
        self.heaps[(owner - FIRST_HEAP) as usize % HEAPS].store(0, Ordering::Release);
    }

    /// The lock under which the number of shards changes: `fork` holds it first and leaves it
    /// last, so that [`each_lock`](Self::each_lock) visits the same shards each time.
    pub fn splitting(&self) -> &Lock<S> {
        &self.splitting
    }

    /// Calls `visit` with the lock of every shelf in use.
    pub fn each_lock(&self, mut visit: impl FnMut(&Lock<S>)) {
        for shard in 0..self.shards() {
            for class in 1..CLASSES {
                visit(&self.shelf(shard, class).lock);
            }
        }
        for heap in &self.heaps {
            if let Some(shelves) = shelves_at::<S>(heap.load(Ordering::Acquire)) {
                shelves.iter().for_each(|shelf| visit(&shelf.lock));
            }
        }
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
                    self.shelf(shard, class).trim(supply, class);
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

    /// Walks every slab of every shelf.
    ///
    /// # Errors
    ///
    /// The first broken invariant.
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
///
/// # Errors
///
/// The first broken invariant.
pub fn check_shelf<S: System>(
    pages: &PageHeap<S>,
    owner: u32,
    class: usize,
    shelf: &Shelf<S>,
) -> Result<(), Broken> {
    let _guard = shelf.lock.lock();
    let region = &pages.region;
    let base = region.base();
    let class_info = info(class);
    for (list, state) in [(&shelf.partial, LISTED), (&shelf.full, UNLISTED)] {
        let mut count = 0;
        for slab in list.iter(base) {
            let at = slab.address();
            let tag = Tag::new(state, class, owner);
            ensure(slab.tag() == tag, "F1: a slab's tag says which list it is on", at)?;
            for index in 0..class_info.words() {
                let bits = slab.word(index).load(Ordering::Relaxed);
                let beyond = bits & !class_info.word_mask(index);
                ensure(beyond == 0, "S1: bits beyond the last object are 0", at)?;
            }
            for granule in slab.granule()..slab.granule() + class_info.granules as usize {
                ensure(region.span(granule) == Span::Slab(at), "C1: granules name their slab", at)?;
                let served = if owner < FIRST_HEAP { class } else { 0 };
                let named = usize::from(region.class(granule));
                ensure(
                    named == served,
                    "R2: granules name their class",
                    region.address_of(granule),
                )?;
            }
            count += 1;
        }
        ensure(count == list.len(), "F1: a list's length is right", class)?;
    }
    Ok(())
}

impl<S: System> Default for Central<S> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;

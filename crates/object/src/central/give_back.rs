//! The way back: objects become free in their slabs.
//!
//! ```text
//! objects   [ a │ a+16 │ a+32 │ b │ c │ d │ … ]    64 at a time
//! slabs     [ S │ S    │ S    │ T │ U │ U │ … ]    1. looked up, each descriptor on its way into the cache
//! groups      ────── a ────── │ b │ ─ c ─ │ …      2. one atomic operation for those of one bitmap word
//! ```
//!
//! Scattered objects belong to as many descriptors, none of which is in the cache. As nothing is
//! read of them before all are asked for, memory serves them side by side, not one after the
//! other.
//!
//! Layer *object*. O(objects), some 60 instructions for one that is alone in its word and 9 for one
//! in a row; no lock but for slabs that have to be listed or retired.
use core::mem::MaybeUninit;

use base::prefetch;
use base::sync::Ordering;
use page::region::Maps;
use page::{PageHeap, System};

use super::{Central, FIRST_HEAP, Fault, GivenBack};
use crate::protocol::{self, RETIRED, Tag, UNLISTED};
use crate::shelf::Supply;
use crate::size_class::{ClassInfo, info};
use crate::slab::Slab;

/// Objects that are looked up before the first of them goes back: a flush of the largest magazine.
const LOOKAHEAD: usize = 64;

/// An object's slab, and which of its objects it is.
struct Place<'a> {
    slab: &'a Slab,
    tag: Tag,
    class: &'static ClassInfo,
    /// The slab's first address.
    start: usize,
    index: usize,
}

impl<'a> Place<'a> {
    /// The place of `object`, which the span map says is in the slab at `slab`; 0: in none.
    ///
    /// # Errors
    ///
    /// No object begins there, or none of it is taken any more.
    #[inline]
    fn of(maps: &Maps, slab: usize, object: usize) -> Result<Self, Fault> {
        if slab == 0 {
            return Err(Fault::Foreign(object));
        }
        // SAFETY: the span map names descriptors only.
        let slab: &'a Slab = unsafe { Slab::at(slab) };
        let tag = slab.tag();
        if tag.state() == RETIRED {
            // Since it was looked up all the slab's objects came back: this one comes twice.
            return Err(Fault::DoubleFree(object));
        }
        let class = info(tag.class());
        let start = maps.address_of(slab.granule());
        let Some(index) = class.index_of(object.wrapping_sub(start)) else {
            return Err(Fault::Misaligned(object));
        };
        Ok(Self { slab, tag, class, start, index })
    }

    /// Which of `objects`, of which this is the first, belong to its bitmap word: their bits, and
    /// how many follow each other here. `slabs` are theirs.
    #[inline]
    fn gather(&self, objects: &[usize], slabs: &[usize]) -> (u64, usize) {
        let bit = self.index % 64;
        if let [first, second, ..] = *objects
            && slabs[1] == slabs[0]
        {
            let (step, size) = (second.wrapping_sub(first), self.class.size as usize);
            if step == size {
                let left = self.class.objects as usize - self.index;
                let count = row(objects, step, left.min(64 - bit));
                return (u64::MAX >> (64 - count) << bit, count);
            }
            if step == size.wrapping_neg() {
                let count = row(objects, step, bit + 1);
                return (u64::MAX >> (64 - count) << (bit + 1 - count), count);
            }
            return self.gather_scattered(objects, slabs);
        }
        (1 << bit, 1)
    }

    /// As [`gather`](Self::gather), in any order.
    #[inline(never)]
    fn gather_scattered(&self, objects: &[usize], slabs: &[usize]) -> (u64, usize) {
        let (mut mask, mut count) = (1 << (self.index % 64), 1);
        for (&object, &slab) in objects.iter().zip(slabs).skip(1) {
            // What is wrong with an object is found when its own turn comes.
            let index = self.class.index_of(object.wrapping_sub(self.start));
            let bit = 1 << (index.unwrap_or(0) % 64);
            let joins = slab == slabs[0] && index.is_some_and(|index| index / 64 == self.word());
            if !joins || mask & bit != 0 {
                break;
            }
            mask |= bit;
            count += 1;
        }
        (mask, count)
    }

    /// The bitmap word.
    fn word(&self) -> usize {
        self.index / 64
    }
}

/// How many of `objects`, of the first `most`, lie a `step` from the one before.
#[inline]
fn row(objects: &[usize], step: usize, most: usize) -> usize {
    let mut next = objects[0];
    let mut count = 0;
    for &object in objects.iter().take(most) {
        if object != next {
            break;
        }
        next = next.wrapping_add(step);
        count += 1;
    }
    count
}

impl<S: System> Central<S> {
    /// Makes `objects` free again, whatever their classes are; zeroes are skipped. Lock-free but
    /// for slabs that have to be listed or retired.
    pub fn give_back(&self, supply: Supply<'_, S>, objects: &[usize]) -> GivenBack {
        let mut back = GivenBack { bytes: 0, fault: None };
        let maps = supply.pages.region.maps();
        for batch in objects.chunks(LOOKAHEAD) {
            let mut room = [MaybeUninit::uninit(); LOOKAHEAD];
            let slabs = &look_up(&maps, batch, &mut room)[..batch.len()];
            let mut at = 0;
            while at < batch.len() {
                at += match Place::of(&maps, slabs[at], batch[at]) {
                    Ok(place) => {
                        let (mask, count) = place.gather(&batch[at..], &slabs[at..]);
                        self.set_free(supply, &place, mask, count, &mut back);
                        count
                    }
                    Err(fault) => {
                        back.note(fault);
                        1
                    }
                };
            }
        }
        back
    }

    /// Sets the `count` bits of `mask` in the word of `place`.
    #[inline]
    fn set_free(
        &self,
        supply: Supply<'_, S>,
        place: &Place<'_>,
        mask: u64,
        count: usize,
        back: &mut GivenBack,
    ) {
        let Place { slab, tag, class, .. } = *place;
        let old = protocol::give_back(slab.word(place.word()), mask);
        if tag.owner() < FIRST_HEAP {
            back.bytes += count * class.size as usize;
        }
        if old & mask != 0 {
            back.note_double(supply, slab, tag, place.word(), old & mask);
        }
        if old == 0 || class.may_complete(old | mask) {
            self.settle(supply, slab, tag, old == 0);
        }
    }

    /// A word of a slab was 0 (`relist`), or has perhaps all its bits: the slab is listed again, or
    /// retired, if that is due. It was read as `tag` before.
    #[inline(never)]
    fn settle(&self, supply: Supply<'_, S>, slab: &Slab, tag: Tag, was_zero: bool) {
        if was_zero
            && let Some(seen) = protocol::needs_listing(&slab.tag)
            // Else the descriptor serves another slab by now, perhaps of a heap that has gone.
            && seen == tag.with_state(UNLISTED)
        {
            self.shelf_of(seen).relist(supply.pages.region.descriptors(), slab, seen);
        }
        // Whoever freed the last object may have looked before the slab was listed.
        if slab.is_empty(info(tag.class())) {
            self.shelf_of(tag).retire_if_empty(supply, slab, tag);
        }
    }

    /// Whether `object` is one that is taken: by the program, or by a magazine.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn is_taken(&self, pages: &PageHeap<S>, object: usize) -> Result<(), Fault> {
        let maps = pages.region.maps();
        let place = Place::of(&maps, maps.slab_of(object), object)?;
        let word = place.slab.word(place.word()).load(Ordering::Acquire);
        if word >> (place.index % 64) & 1 != 0 { Err(Fault::DoubleFree(object)) } else { Ok(()) }
    }
}

impl GivenBack {
    /// The first fault stays; a zero among the objects is none.
    #[cold]
    #[inline(never)]
    fn note(&mut self, fault: Fault) {
        if fault != Fault::Foreign(0) && self.fault.is_none() {
            self.fault = Some(fault);
        }
    }

    /// The objects `twice` of a word were free already, and are counted as given back.
    #[cold]
    #[inline(never)]
    fn note_double<S: System>(
        &mut self,
        supply: Supply<'_, S>,
        slab: &Slab,
        tag: Tag,
        word: usize,
        twice: u64,
    ) {
        let size = info(tag.class()).size as usize;
        if tag.owner() < FIRST_HEAP {
            self.bytes -= twice.count_ones() as usize * size;
        }
        let index = word * 64 + twice.trailing_zeros() as usize;
        let start = supply.pages.region.address_of(slab.granule());
        self.note(Fault::DoubleFree(start + index * size));
    }
}

/// The slabs of `objects`: of each its descriptor's address or 0. The descriptors will soon be in
/// the cache.
#[inline]
fn look_up<'a>(
    maps: &Maps,
    objects: &[usize],
    room: &'a mut [MaybeUninit<usize>; LOOKAHEAD],
) -> &'a [usize] {
    let (mut before, mut slab) = (0, 0);
    for (&object, slot) in objects.iter().zip(&mut *room) {
        if !Maps::are_of_one_granule(object, before) {
            slab = maps.slab_of(object);
            prefetch::for_write(slab);
        }
        slot.write(slab);
        before = object;
    }
    // SAFETY: a slot was written for each object, of which a batch has no more than slots.
    unsafe { core::slice::from_raw_parts(room.as_ptr().cast::<usize>(), objects.len()) }
}

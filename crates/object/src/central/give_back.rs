//! The way back: objects become free in their slabs.
//!
//! ```text
//! objects   [ a │ a+16 │ a+32 │ b │ c │ d │ … ]    rows first, then 64 at a time
//! slabs     [ S │ S    │ S    │ T │ U │ U │ … ]    1. looked up, each descriptor on its way into the cache
//! groups      ────── a ────── │ b │ ─ c ─ │ …      2. one atomic operation for those of one bitmap word
//! pending   [ S │ U ]                              3. full or empty now: their shelf looks at all of them
//! ```
//!
//! Scattered objects belong to as many descriptors, none of which is in the cache. As nothing is
//! read of them before all are asked for, memory serves them side by side, not one after the
//! other. Objects in a row belong to one descriptor and are looked up once.
//!
//! Layer *object*. O(objects): some 80 instructions for one that is alone in its word, 14 for one of a
//! row of 64 bytes each, with what becomes of their slabs. No lock but for those.
use core::mem::MaybeUninit;

use base::prefetch;
use base::sync::Ordering;
use page::region::Maps;
use page::{PageHeap, System};

use super::{Central, FIRST_HEAP, Fault, GivenBack};
use crate::protocol::{self, LISTED, RETIRED, Tag, UNLISTED};
use crate::shelf::{MOST_ENDED, Supply};
use crate::size_class::{ClassInfo, info};
use crate::slab::Slab;

/// Objects that are looked up before the first of them goes back: at least as many as a flush has.
const LOOKAHEAD: usize = 64;

/// What many slabs have in common: looked up again when the next slab's tag differs.
#[derive(Clone, Copy)]
struct Kind {
    whose: Tag,
    class: &'static ClassInfo,
    /// Bytes that an object counts: none in a first-class heap.
    counted: usize,
}

/// Of no slab, nor of a retired descriptor: what is looked up first always differs.
const NO_KIND: Tag = Tag::new(LISTED, 0, (1 << 20) - 1);

impl Kind {
    fn of(whose: Tag) -> Self {
        let class = info(whose.class());
        let counted = if whose.owner() < FIRST_HEAP { class.size as usize } else { 0 };
        Self { whose, class, counted }
    }
}

/// Slabs of one class and owner that their shelf has to look at, under one lock for all: it lists
/// them again or retires them.
struct PendingSlabs<'a> {
    whose: Tag,
    slabs: [Option<&'a Slab>; MOST_ENDED],
    count: usize,
}

/// An object's slab, and which of its objects it is.
#[derive(Clone, Copy)]
struct Place<'a> {
    slab: &'a Slab,
    /// The slab's first address.
    start: usize,
    index: usize,
}

impl<'a> Place<'a> {
    /// The place of `object`, which the span map says is in the slab at `slab`; 0: in none. `kind`
    /// is the one of the object before, and this one's afterwards.
    /// Errors: no object begins there, or none of it is taken any more.
    #[inline(always)]
    fn of(maps: &Maps, kind: &mut Kind, slab: usize, object: usize) -> Result<Self, Fault> {
        if slab == 0 {
            return Err(Fault::Foreign(object));
        }
        // SAFETY: the span map names descriptors only.
        let slab: &'a Slab = unsafe { Slab::at(slab) };
        let tag = slab.tag();
        if tag.with_state(LISTED) != kind.whose {
            if tag.state() == RETIRED {
                // Since it was looked up all the slab's objects came back: this one comes twice.
                return Err(Fault::DoubleFree(object));
            }
            *kind = Kind::of(tag.with_state(LISTED));
        }
        Self::within(maps, kind.class, slab, object).ok_or(Fault::Misaligned(object))
    }

    /// The place of `object` in a slab of `class`, if one begins there.
    #[inline(always)]
    fn within(maps: &Maps, class: &ClassInfo, slab: &'a Slab, object: usize) -> Option<Self> {
        let start = maps.address_of(slab.granule());
        let index = class.index_of(object.wrapping_sub(start))?;
        Some(Self { slab, start, index })
    }

    #[inline(always)]
    fn word(&self) -> usize {
        self.index / 64
    }

    #[inline(always)]
    fn bit(&self) -> usize {
        self.index % 64
    }
}

/// Objects of one bitmap word: their bits, and how many they are.
type Group = (u64, usize);

/// The group that the objects in a row from the first on are, which is at `index` of its slab.
/// `None`: the second does not follow it, nor come before it.
#[inline]
fn row(class: &ClassInfo, index: usize, objects: &[usize]) -> Option<Group> {
    let bit = index % 64;
    let (step, size) = (objects[1].wrapping_sub(objects[0]), class.size as usize);
    if step == size {
        let left = class.objects as usize - index;
        let count = in_steps(objects, step, left.min(64 - bit));
        return Some((u64::MAX >> (64 - count) << bit, count));
    }
    if step == size.wrapping_neg() {
        let count = in_steps(objects, step, bit + 1);
        return Some((u64::MAX >> (64 - count) << (bit + 1 - count), count));
    }
    None
}

/// How many of `objects`, of the first `most`, lie a `step` from the one before.
#[inline]
fn in_steps(objects: &[usize], step: usize, most: usize) -> usize {
    let objects = &objects[..most.min(objects.len())];
    let mut next = objects[0];
    let mut count = 0;
    // Four at a time, one after the other: they were just stored, and to load two at once would wait
    // until both stores have reached the cache.
    for &[first, second, third, fourth] in objects.as_chunks::<4>().0 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| next.wrapping_add(step.wrapping_mul(k)));
        if first != a || second != b || third != c || fourth != d {
            break;
        }
        next = d.wrapping_add(step);
        count += 4;
    }
    for &object in &objects[count..] {
        if object != next {
            break;
        }
        next = next.wrapping_add(step);
        count += 1;
    }
    count
}

/// The group that the first of `objects` begins. `slabs` are theirs, and the first two the same.
#[inline]
fn gather(class: &ClassInfo, index: usize, objects: &[usize], slabs: &[usize]) -> Group {
    row(class, index, objects).unwrap_or_else(|| gather_scattered(class, index, objects, slabs))
}

/// As [`gather`], in any order.
#[inline(never)]
fn gather_scattered(class: &ClassInfo, index: usize, objects: &[usize], slabs: &[usize]) -> Group {
    let start = objects[0].wrapping_sub(index * class.size as usize);
    let (mut mask, mut count) = (1 << (index % 64), 1);
    for (&object, &slab) in objects.iter().zip(slabs).skip(1) {
        // What is wrong with an object is found when its own turn comes.
        let place = class.index_of(object.wrapping_sub(start));
        let bit = 1 << (place.unwrap_or(0) % 64);
        let joins = slab == slabs[0] && place.is_some_and(|place| place / 64 == index / 64);
        if !joins || mask & bit != 0 {
            break;
        }
        mask |= bit;
        count += 1;
    }
    (mask, count)
}

/// Gives objects back as long as they are nothing special: live, of slabs of `kind`, and each of another
/// slab than the next. Returns how many there were, and the last one with its word as it was if what
/// became of that has to be looked at. Apart, so that all it needs stays in registers.
#[inline(never)]
fn singles<'a>(
    maps: Maps,
    kind: Kind,
    objects: &[usize],
    slabs: &[usize],
) -> (usize, Option<(Place<'a>, u64)>) {
    let class = *kind.class;
    let mut done = 0;
    for (&object, pair) in objects.iter().zip(slabs.windows(2)) {
        if pair[0] == 0 || pair[0] == pair[1] {
            break;
        }
        // SAFETY: the span map names descriptors only.
        let slab: &'a Slab = unsafe { Slab::at(pair[0]) };
        if slab.tag().with_state(LISTED) != kind.whose {
            break;
        }
        let Some(place) = Place::within(&maps, &class, slab, object) else { break };
        let bit = 1 << place.bit();
        let old = protocol::give_back(slab.word(place.word()), bit);
        done += 1;
        if old == 0 || old & bit != 0 || class.may_complete(old | bit) {
            return (done, Some((place, old)));
        }
    }
    (done, None)
}

/// One call of [`Central::give_back`].
struct Pass<'a, S> {
    central: &'a Central<S>,
    supply: Supply<'a, S>,
    maps: Maps,
    /// Of the last object's slab.
    kind: Kind,
    pending: PendingSlabs<'a>,
    back: GivenBack,
}

impl<'a, S: System> Pass<'a, S> {
    /// Objects in a row, of one bitmap word: how many there were at the start of `objects`. 0: it is
    /// no row of three.
    #[inline(always)]
    fn row(&mut self, objects: &[usize]) -> usize {
        let [first, second, third, ..] = *objects else { return 0 };
        if third.wrapping_sub(second) != second.wrapping_sub(first) {
            return 0;
        }
        let slab = self.maps.slab_of(first);
        let Ok(place) = Place::of(&self.maps, &mut self.kind, slab, first) else { return 0 };
        let Some(group) = row(self.kind.class, place.index, objects) else { return 0 };
        self.set_free(place, group);
        group.1
    }

    /// Objects in any order, no more than [`LOOKAHEAD`].
    #[inline(always)]
    fn scattered(&mut self, objects: &[usize]) {
        let mut room = [MaybeUninit::uninit(); LOOKAHEAD + 1];
        let slabs = look_up(&self.maps, objects, &mut room);
        let mut at = 0;
        while at < objects.len() {
            let (done, last) = singles(self.maps, self.kind, &objects[at..], &slabs[at..]);
            at += done;
            self.back.bytes += done * self.kind.counted;
            if let Some((place, old)) = last {
                self.look_after(place, 1 << place.bit(), old);
            } else if at < objects.len() {
                at += self.special(&objects[at..], &slabs[at..]);
            }
        }
    }

    /// The first of `objects`, and those that go back with it: how many.
    #[inline(never)]
    fn special(&mut self, objects: &[usize], slabs: &[usize]) -> usize {
        match Place::of(&self.maps, &mut self.kind, slabs[0], objects[0]) {
            Ok(place) => {
                let group = if slabs[0] == slabs[1] {
                    gather(self.kind.class, place.index, objects, slabs)
                } else {
                    (1 << place.bit(), 1)
                };
                self.set_free(place, group);
                group.1
            }
            Err(fault) => {
                self.back.note(fault);
                1
            }
        }
    }

    /// Sets the bits of a group, the first of which is at `place`.
    #[inline(always)]
    fn set_free(&mut self, place: Place<'a>, (mask, count): Group) {
        self.back.bytes += count * self.kind.counted;
        let old = protocol::give_back(place.slab.word(place.word()), mask);
        self.look_after(place, mask, old);
    }

    /// The bits of `mask` were set in the word of `place`, which was `old`.
    #[inline(always)]
    fn look_after(&mut self, place: Place<'a>, mask: u64, old: u64) {
        if old & mask != 0 {
            self.back.note_double(self.kind, place, old & mask);
        }
        if old == 0 || self.kind.class.may_complete(old | mask) {
            self.note_pending(place.slab, old == 0);
        }
    }

    /// A word of a slab of the last kind `was_zero`, or has perhaps all its bits now: its shelf will
    /// look at it, later and with others.
    #[inline(never)]
    fn note_pending(&mut self, slab: &'a Slab, was_zero: bool) {
        let Kind { whose, class, .. } = self.kind;
        // With another tag the descriptor serves another slab by now, perhaps of a heap that has gone.
        let full = Some(whose.with_state(UNLISTED));
        let is_full = was_zero && protocol::needs_listing(&slab.tag) == full;
        if !is_full && !slab.is_empty(class) {
            return;
        }
        if self.pending.whose != whose || self.pending.count == self.pending.slabs.len() {
            self.relist_or_retire();
            self.pending.whose = whose;
        }
        self.pending.slabs[self.pending.count] = Some(slab);
        self.pending.count += 1;
    }

    /// Has the shelf look at the pending slabs.
    fn relist_or_retire(&mut self) {
        let PendingSlabs { whose, slabs, count } = &mut self.pending;
        if *count != 0 {
            let slabs = slabs[..*count].iter().copied().flatten();
            self.central.shelf_of(*whose).relist_or_retire(self.supply, *whose, slabs);
            *count = 0;
        }
    }
}

impl<S: System> Central<S> {
    /// Makes `objects` free again, whatever their classes are; zeroes are skipped. Lock-free but
    /// for slabs that have to be listed or retired.
    pub fn give_back(&self, supply: Supply<'_, S>, objects: &[usize]) -> GivenBack {
        let mut pass = Pass {
            central: self,
            supply,
            maps: supply.pages.region.maps(),
            kind: Kind::of(NO_KIND),
            pending: PendingSlabs { whose: NO_KIND, slabs: [None; MOST_ENDED], count: 0 },
            back: GivenBack { bytes: 0, fault: None },
        };
        let mut left = objects;
        while !left.is_empty() {
            let done = match pass.row(left) {
                0 => {
                    let count = left.len().min(LOOKAHEAD);
                    pass.scattered(&left[..count]);
                    count
                }
                count => count,
            };
            left = &left[done..];
        }
        pass.relist_or_retire();
        pass.back
    }

    /// Whether `object` is one that is taken: by the program, or by a magazine.
    /// Errors: what is wrong with it.
    pub fn is_taken(&self, pages: &PageHeap<S>, object: usize) -> Result<(), Fault> {
        let maps = pages.region.maps();
        let place = Place::of(&maps, &mut Kind::of(NO_KIND), maps.slab_of(object), object)?;
        let word = place.slab.word(place.word()).load(Ordering::Acquire);
        if word >> place.bit() & 1 != 0 { Err(Fault::DoubleFree(object)) } else { Ok(()) }
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

    /// The objects `twice` of the word of `place` were free already, and are counted as given back.
    #[cold]
    #[inline(never)]
    fn note_double(&mut self, kind: Kind, place: Place<'_>, twice: u64) {
        self.bytes -= twice.count_ones() as usize * kind.counted;
        let index = place.word() * 64 + twice.trailing_zeros() as usize;
        self.note(Fault::DoubleFree(place.start + index * kind.class.size as usize));
    }
}

/// The slabs of `objects`: of each its descriptor's address or 0, and a 0 behind the last. The
/// descriptors will soon be in the cache.
#[inline]
fn look_up<'a>(
    maps: &Maps,
    objects: &[usize],
    room: &'a mut [MaybeUninit<usize>; LOOKAHEAD + 1],
) -> &'a [usize] {
    for (&object, slot) in objects.iter().zip(&mut *room) {
        let slab = maps.slab_of(object);
        prefetch::for_write(slab);
        slot.write(slab);
    }
    room[objects.len()].write(0);
    // SAFETY: a slot was written for each object, of which a batch has fewer than slots, and one more.
    unsafe { core::slice::from_raw_parts(room.as_ptr().cast::<usize>(), objects.len() + 1) }
}

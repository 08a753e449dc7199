//! A thread's heap: a packed record per class, its superslabs, and the queue of what others freed.
//!
//! ```text
//! record of a class, a cache line and the magazine behind it
//! [ count │ ask │ slab that serves now │ slabs that have an object │ object, object, … ]
//!
//! remote   object ─► object ─► object        others push chains by compare-and-swap; the owner takes all at once
//! ```
//!
//! - **superslab-H1** a magazine's objects are nobody's; they may be of any heap.
//! - **superslab-H2** a slab of a class is the record's current one, on its open list, or has no object and is on none.
//! - **superslab-H3** what is on the queue belongs to this heap. Whoever pushes and then sees the heap without an owner drains it, as
//!   does who leaves it, after saying so: one of the two sees the other.
//!
//! A heap goes to the next thread that begins when its own has ended, with all its slabs. In the child of a fork those of
//! other threads are lost: nobody knows in the middle of what they were.
use core::sync::atomic::compiler_fence;

use base::sync::{AtomicU32, AtomicU64, AtomicUsize, OneWriter as _, Ordering, fence};
use object::size_class::CLASSES;
use thread::{Member, Record};

use super::slab::{Slab, Slabs, Super};
use super::switches::MOST;
use crate::chunks::Owned;
use crate::few::Few;
use crate::links::{push_shared, take_shared};

/// What a magazine holds at most; four objects in any case.
const MAGAZINE_BYTES: usize = 32 << 10;

/// Whose a heap is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Nobody's, and it holds nothing: zeroes are one.
    Free = 0,
    /// A thread's.
    Owned = 1,
    /// Of a thread that has ended.
    Left = 2,
    /// Of a thread that does not exist in this child of a fork.
    Lost = 3,
}

/// The record of a class.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Bin {
    count: AtomicU32,
    /// Objects to ask for the next time.
    ask: AtomicU32,
    /// Objects that it holds at most.
    most: AtomicU32,
    current: AtomicUsize,
    pub(super) open: Slabs,
    objects: [AtomicUsize; MOST as usize],
}

impl Bin {
    /// The object that came last; 0: there is none.
    #[inline(always)]
    pub(super) fn pop(&self) -> usize {
        let count = self.count.load(Ordering::Relaxed);
        if count == 0 {
            return 0;
        }
        self.count.store(count - 1, Ordering::Relaxed);
        self.objects[count as usize - 1].load(Ordering::Relaxed)
    }

    /// Keeps an object. `false`: it holds as many as it may, or this one came last.
    #[inline(always)]
    pub(super) fn push(&self, object: usize) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        if count >= self.most() || self.is_at(count.wrapping_sub(1), object) {
            return false;
        }
        let Some(place) = self.objects.get(count as usize) else { return false };
        place.store(object, Ordering::Relaxed);
        self.count.store(count + 1, Ordering::Relaxed);
        true
    }

    #[inline(always)]
    fn is_at(&self, place: u32, object: usize) -> bool {
        let there = self.objects.get(place as usize);
        there.is_some_and(|there| there.load(Ordering::Relaxed) == object)
    }

    /// Whether an object is the one that came last.
    pub(super) fn is_newest(&self, object: usize) -> bool {
        self.is_at(self.count.load(Ordering::Relaxed).wrapping_sub(1), object)
    }

    /// An empty magazine has these objects from now on; those that it may not hold are left.
    pub(super) fn fill<'a>(&self, objects: &'a [AtomicUsize]) -> &'a [AtomicUsize] {
        let (all, left) = objects.split_at(objects.len().min(self.most() as usize));
        for (place, object) in self.objects.iter().zip(all) {
            place.store(object.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.count.store(base::bits::low32(all.len()), Ordering::Relaxed);
        left
    }

    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed) as usize
    }

    /// Takes the `count` oldest objects out, together, to `give`. Meanwhile it looks empty: a signal handler that interrupts this
    /// gets no object twice.
    pub(super) fn take_oldest(&self, count: usize, give: impl FnOnce(&[AtomicUsize])) {
        let all = self.count().min(self.objects.len());
        let (gone, left) = self.objects[..all].split_at(count.min(all));
        self.count.store(0, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst);
        give(gone);
        for (place, object) in self.objects.iter().zip(left) {
            place.store(object.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        compiler_fence(Ordering::SeqCst);
        self.count.store(base::bits::low32(left.len()), Ordering::Relaxed);
    }

    /// It holds `magazine` objects of `size` from now on, of large ones fewer.
    fn hold(&self, size: usize, magazine: u32) {
        let few = base::bits::low32(MAGAZINE_BYTES / size).max(4);
        self.most.store(magazine.min(few), Ordering::Relaxed);
    }

    #[inline(always)]
    pub(super) fn most(&self) -> u32 {
        self.most.load(Ordering::Relaxed)
    }

    /// How many objects to fetch: twice as many each time, up to half of what it holds.
    pub(super) fn ask(&self) -> u32 {
        let most = self.most() / 2;
        let ask = self.ask.load(Ordering::Relaxed).clamp(1, most.max(1));
        self.ask.store((ask * 2).min(most), Ordering::Relaxed);
        ask
    }

    /// The slab that serves now.
    pub(super) fn current<'a>(&self) -> Option<&'a Slab> {
        crate::links::at(self.current.load(Ordering::Relaxed))
    }

    fn set_current(&self, slab: Option<&Slab>) {
        self.current.store(slab.map_or(0, crate::links::address), Ordering::Relaxed);
    }
}

/// A thread's heap. All zero is an empty one.
#[derive(Debug)]
#[repr(C)]
pub struct Heap {
    member: Member,
    whose: AtomicU32,
    /// The classes that it uses or used, as bits: the records of others are as good as zeroes, and need not be touched.
    begun: [AtomicU64; CLASSES.div_ceil(64)],
    /// Bytes that are out of slabs: with the program, in magazines and queues.
    pub(super) out: AtomicUsize,
    pub(super) supers: Owned<Super>,
    /// Single slabs that are empty, for the next.
    pub(super) singles: Slabs,
    pub(super) single_count: AtomicUsize,
    pub(super) few: Few,
    /// As the text has the slab that serves now.
    apart: Apart,
    pub(super) counts: Counts,
    /// What others freed; a line of its own.
    remote: Remote,
    pub(super) bins: [Bin; CLASSES],
}

/// The slab of each class that serves now, in two arrays: where its superslab's descriptors are, and its number.
#[derive(Debug)]
struct Apart {
    tables: [AtomicUsize; CLASSES],
    numbers: [AtomicU32; CLASSES],
}

/// How often what the text asks for was done. The owner's thread alone counts.
#[derive(Debug)]
pub(super) struct Counts {
    /// Magazines that were filled, or with none, objects that were asked for.
    pub(super) refills: AtomicUsize,
    /// Of those, filled with a batch of the depot.
    pub(super) handed: AtomicUsize,
    /// Slabs that began to serve, and those of them whose memory had served before.
    pub(super) slabs: AtomicUsize,
    pub(super) again: AtomicUsize,
}

impl Counts {
    pub(super) const fn new() -> Self {
        let [refills, handed, slabs, again] = [const { AtomicUsize::new(0) }; 4];
        Self { refills, handed, slabs, again }
    }

    fn each(&self) -> [&AtomicUsize; 4] {
        [&self.refills, &self.handed, &self.slabs, &self.again]
    }

    /// What they are.
    pub(super) fn all(&self) -> [usize; 4] {
        self.each().map(|count| count.load(Ordering::Relaxed))
    }

    /// Those of a thread that has ended are these, too.
    pub(super) fn take_over(&self, ended: &Self) {
        for (sum, count) in self.each().into_iter().zip(ended.each()) {
            sum.fetch_add(count.replace(0), Ordering::Relaxed);
        }
    }
}

// SAFETY: it begins with a `Member`, and zeroes are an empty one.
unsafe impl Record for Heap {}

#[derive(Debug)]
#[repr(C, align(64))]
struct Remote(AtomicUsize);

impl Heap {
    pub(super) fn address(&self) -> usize {
        crate::links::address(self)
    }

    fn has_begun(&self, class: usize) -> bool {
        self.begun[class / 64].load(Ordering::Relaxed) >> (class % 64) & 1 == 1
    }

    /// The slab of a class that serves now, by one look at the record of the class, or by two at arrays.
    #[inline]
    pub(super) fn serving<'a>(&self, class: usize, one_lookup: bool) -> Option<&'a Slab> {
        if one_lookup {
            return self.bins[class].current();
        }
        let table = self.apart.tables[class].load(Ordering::Relaxed);
        let number = self.apart.numbers[class].load(Ordering::Relaxed) as usize;
        if table == 0 { None } else { crate::links::at(table + number * size_of::<Slab>()) }
    }

    /// Another slab serves a class from now on: one of a superslab's descriptors at `table`, or the only one there.
    pub(super) fn set_serving(&self, class: usize, slab: Option<&Slab>, table: usize) {
        self.bins[class].set_current(slab);
        let number = slab.map_or(0, |slab| crate::links::address(slab) - table) / size_of::<Slab>();
        self.apart.tables[class].store(table, Ordering::Relaxed);
        self.apart.numbers[class].store(base::bits::low32(number), Ordering::Relaxed);
    }

    /// Whether a class has a slab that serves now or has an object.
    pub(super) fn has_slab(&self, class: usize) -> bool {
        self.has_begun(class)
            && (self.bins[class].current().is_some() || !self.bins[class].open.is_empty())
    }

    /// The record of a class, whose magazine holds `magazine` objects from its first use on, of large ones fewer.
    pub(super) fn begin(&self, class: usize, size: usize, magazine: u32) -> &Bin {
        let (bits, bit) = (&self.begun[class / 64], 1 << (class % 64));
        let before = bits.load(Ordering::Relaxed);
        if before & bit == 0 {
            bits.store(before | bit, Ordering::Relaxed);
            self.bins[class].hold(size, magazine);
        }
        &self.bins[class]
    }

    /// Each magazine holds `magazine` objects from now on, of large ones fewer.
    pub(super) fn set_magazines(&self, magazine: u32, size: impl Fn(usize) -> usize) {
        self.begun().for_each(|(class, bin)| bin.hold(size(class), magazine));
    }

    /// The records of classes that it has begun.
    pub(super) fn begun(&self) -> impl Iterator<Item = (usize, &Bin)> {
        self.bins.iter().enumerate().filter(|(class, _)| self.has_begun(*class))
    }

    /// Nobody's any more, if it is left and holds nothing: then it is as good as zeroes. Under the members' lock.
    pub(super) fn end_if_bare(&self) -> bool {
        let is_bare = self.is(Whose::Left)
            && self.out.load(Ordering::Relaxed) == 0
            && self.supers.is_empty()
            && self.singles.is_empty();
        if is_bare {
            self.set_whose(Whose::Free);
            self.begun().for_each(|(_, bin)| bin.hold(1, 0));
            self.begun.iter().for_each(|bits| bits.store(0, Ordering::Relaxed));
            self.few.clear();
        }
        is_bare
    }

    pub(super) fn is(&self, whose: Whose) -> bool {
        self.whose.load(Ordering::Relaxed) == whose as u32
    }

    pub(super) fn set_whose(&self, whose: Whose) {
        self.whose.store(whose as u32, Ordering::Relaxed);
    }

    /// Pushes a chain of this heap's objects (superslab-H3). `true`: nobody owns it, so the caller has to drain it.
    pub(super) fn push_remote(&self, first: usize, last: usize) -> bool {
        push_shared(&self.remote.0, first, last);
        // Pairs with the fence of who leaves it (superslab-H3).
        fence(Ordering::SeqCst);
        self.is(Whose::Left)
    }

    #[inline]
    pub(super) fn has_remote(&self) -> bool {
        self.remote.0.load(Ordering::Relaxed) != 0
    }

    /// Takes all that others freed: each object to `give`.
    pub(super) fn drain(&self, give: impl FnMut(usize)) {
        take_shared(&self.remote.0, give);
    }

    /// Nobody owns it from now on: whoever pushes after this drains it (superslab-H3).
    pub(super) fn leave(&self) {
        self.set_whose(Whose::Left);
        fence(Ordering::SeqCst);
    }

    pub(super) fn cached(&self, size: impl Fn(usize) -> usize) -> usize {
        self.begun().map(|(class, bin)| bin.count() * size(class)).sum()
    }
}

//! A thread's depot: halves of magazines that were full, for when one is empty.
//!
//! ```text
//! ring of 32 places   [ – │ 62 of class 4 │ – │ 15 of class 30 │ 62 of class 4 │ – │ … ]
//!                         ▲ oldest                                               ▲ next
//! cell, 1 KiB         [ bundle, 512 B    │ bundle, 512 B    ]
//! ```
//!
//! - **depot-D1** a place's bit is set in `used`, and in `of` for its class, exactly while a bundle of the class's objects
//!   stands there; the words of a bundle are its objects, oldest first, and perhaps nulls (magazine-A4).
//! - **depot-D2** `bytes` is what the bundles add up to, a null as much as an object.
//! - **depot-D3** bundles are put in ring order, so the newest of a class is the one nearest behind `next`. Who puts
//!   a bundle where another stands gives that one back first: what nobody took while 32 were put has gone back.
//! - **depot-D4** a class is put away as often as it was missed: `missed` counts the halves that the thread had to get, from here, or
//!   from slabs once it had given some back there, and has not put since, less the bundles that were in the way of others.
//!   So who only frees, or allocates all and then frees all, puts nothing or little.
//! - **depot-D5** `most` is how many objects the next bundle of a class may have: what half a magazine has ([`ALL`]), but one less than in
//!   the bundle taken last, if the magazine was not refilled from slabs nor a bundle put since. So a thread that takes and
//!   frees the same batch, up to the capacity, comes to need neither depot nor slabs (cache-N4). It is 0 until the thread has given
//!   objects of the class back to slabs.
//!
//! Bonwick's depot holds full magazines for all processors; this one half ones for one thread, so that neither
//! a lock nor a slab's bitmap is in the way of a program that swings by more than a magazine.
//!
//! Layer *thread*, inside a pass of the thread's account. O(objects of a bundle). Source: Bonwick and Adams, 2001, §3.1.
use core::mem::offset_of;
use core::slice;

use base::Broken;
use base::bits::{low8, low32};
use base::check::ensure;
use base::sync::{AtomicU8, AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use object::size_class::{CLASSES, info};

use crate::magazine::{CELL, word};

/// Bundles at most; a place is a bit of a word.
pub(crate) const PLACES: usize = 32;
/// Bytes of a bundle's place.
const BUNDLE: usize = CELL / 2;
pub(crate) const CELLS: usize = PLACES * BUNDLE / CELL;
pub(crate) const MOST: usize = BUNDLE / size_of::<usize>();

/// No limit but the bundle's (depot-D5).
const ALL: u8 = u8::MAX;

/// The bundles of one thread; only it writes here.
#[derive(Debug)]
pub(crate) struct Depot {
    used: AtomicU32,
    /// The place where the next bundle is put.
    next: AtomicU32,
    bytes: AtomicUsize,
    of: [AtomicU32; CLASSES],
    missed: [AtomicU8; CLASSES],
    most: [AtomicU8; CLASSES],
    class: [AtomicU8; PLACES],
    count: [AtomicU8; PLACES],
    /// What places stand in, each got when the first of its two is used.
    cells: [AtomicUsize; CELLS],
}

impl Depot {
    /// Where in it the places of a class stand, and how much each holds.
    pub(crate) const OF: usize = offset_of!(Self, of);
    pub(crate) const COUNTS: usize = offset_of!(Self, count);

    /// Nothing here, and no cell: for memory that held another thread's.
    pub(crate) fn reset(&self) {
        for word in self.of.iter().chain([&self.used, &self.next]) {
            word.store(0, Ordering::Relaxed);
        }
        self.bytes.store(0, Ordering::Relaxed);
        self.missed.iter().chain(&self.most).for_each(|count| count.store(0, Ordering::Relaxed));
        self.cells.iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn held(&self, class: usize) -> usize {
        let bits = self.of[class].load(Ordering::Relaxed);
        let places = (0..PLACES).filter(|place| bits >> place & 1 != 0);
        places.map(|place| usize::from(self.count[place].load(Ordering::Relaxed))).sum()
    }

    /// How many objects the next bundle of a class may have; 0: it is not put away (depot-D4, depot-D5).
    pub(crate) fn most(&self, class: usize) -> usize {
        match self.missed[class].load(Ordering::Relaxed) {
            0 => 0,
            _ => usize::from(self.most[class].load(Ordering::Relaxed)),
        }
    }

    /// The thread got half a magazine of this class (depot-D4), and may put as much as `most` (depot-D5).
    fn got(&self, class: usize, most: u8) {
        let missed = self.missed[class].load(Ordering::Relaxed);
        self.missed[class].store((missed + 1).min(low8(PLACES)), Ordering::Relaxed);
        self.most[class].store(most, Ordering::Relaxed);
    }

    /// The thread got half a magazine of this class from slabs.
    pub(crate) fn was_missed(&self, class: usize) {
        if self.most[class].load(Ordering::Relaxed) != 0 {
            self.got(class, ALL);
        }
    }

    /// The thread gave half a magazine of this class back to slabs.
    pub(crate) fn gave_back(&self, class: usize) {
        self.most[class].store(ALL, Ordering::Relaxed);
    }

    /// This class is put away once less (depot-D4).
    pub(crate) fn less_missed(&self, class: usize) {
        let missed = self.missed[class].load(Ordering::Relaxed);
        self.missed[class].store(missed.saturating_sub(1), Ordering::Relaxed);
    }

    /// Where the next bundle's words will be, if it is not full; `cell` gets a cell if there is none yet. `None`: no memory.
    pub(crate) fn room(&self, cell: impl FnOnce() -> Option<usize>) -> Option<*mut usize> {
        debug_assert!(!self.is_full(), "depot-D1: the place is free");
        let place = self.next.load(Ordering::Relaxed) as usize;
        let slot = &self.cells[place / 2];
        if slot.load(Ordering::Relaxed) == 0 {
            slot.store(cell()?, Ordering::Relaxed);
        }
        Some(self.words(place))
    }

    /// The `count` words at the [room](Self::room) are a bundle of `class` from now on.
    pub(crate) fn put(&self, class: usize, count: usize) {
        let place = self.next.load(Ordering::Relaxed);
        self.class[place as usize].store(low8(class), Ordering::Relaxed);
        self.count[place as usize].store(low8(count), Ordering::Relaxed);
        self.of[class].raise(1 << place);
        self.used.raise(1 << place);
        self.bytes.raise(bytes_of(class, count));
        self.less_missed(class);
        self.most[class].store(ALL, Ordering::Relaxed);
        self.next.store((place + 1) % low32(PLACES), Ordering::Relaxed);
    }

    /// Takes the newest bundle of a class, whose words stay as they are until the next is put.
    pub(crate) fn take(&self, class: usize) -> Option<&[usize]> {
        let next = self.next.load(Ordering::Relaxed);
        let newest_first = self.of[class].load(Ordering::Relaxed).rotate_right(next);
        let nearest = newest_first.checked_ilog2()?;
        let (_, objects) = self.take_from((nearest + next) % low32(PLACES));
        let less = low8(objects.len() - 1);
        self.got(class, if less == 0 { ALL } else { less });
        Some(objects)
    }

    /// Takes the oldest bundle of all with its class, to give it back.
    pub(crate) fn take_oldest(&self) -> Option<(usize, &[usize])> {
        let next = self.next.load(Ordering::Relaxed);
        let oldest_first = self.used.load(Ordering::Relaxed).rotate_right(next);
        let place = (oldest_first.trailing_zeros() + next) % low32(PLACES);
        (oldest_first != 0).then(|| self.take_from(place))
    }

    /// Whether a bundle stands where the next is put: it is the oldest then (depot-D3).
    pub(crate) fn is_full(&self) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        self.used.load(Ordering::Relaxed) >> next & 1 != 0
    }

    fn take_from(&self, place: u32) -> (usize, &[usize]) {
        let class = usize::from(self.class[place as usize].load(Ordering::Relaxed));
        let objects = self.bundle(place as usize);
        self.of[class].lower(1 << place);
        self.used.lower(1 << place);
        self.bytes.lower(bytes_of(class, objects.len()));
        (class, objects)
    }

    /// The objects of all bundles, with nulls.
    pub(crate) fn objects(&self) -> impl Iterator<Item = usize> {
        let used = self.used.load(Ordering::Relaxed);
        let places = (0..PLACES).filter(move |place| used >> place & 1 != 0);
        places.flat_map(|place| self.bundle(place)).copied()
    }

    /// The cells that it has: an empty depot that ends gives them back.
    pub(crate) fn cells(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().map(|cell| cell.load(Ordering::Relaxed)).filter(|&cell| cell != 0)
    }

    /// Looks whether places and bytes add up (depot-D1, depot-D2).
    /// Errors: the first broken invariant, at the class or the sum.
    pub(crate) fn check(&self) -> Result<(), Broken> {
        let (mut seen, mut bytes) = (0, 0);
        for (class, of) in self.of.iter().enumerate() {
            let of = of.load(Ordering::Relaxed);
            ensure(seen & of == 0, "depot-D1: a place has a bundle of one class", class)?;
            seen |= of;
            for place in (0..PLACES).filter(|place| of >> place & 1 != 0) {
                let its = usize::from(self.class[place].load(Ordering::Relaxed));
                let count = self.bundle(place).len();
                let is_bundle = its == class && (1..=MOST).contains(&count);
                ensure(is_bundle, "depot-D1: a bundle is of its class and fits its place", class)?;
                bytes += bytes_of(class, count);
            }
        }
        ensure(seen == self.used.load(Ordering::Relaxed), "depot-D1: what is used has a class", 0)?;
        ensure(bytes == self.bytes(), "depot-D2: bundles add up", bytes)
    }

    /// Where the words of the bundle at a place are, and how many; none where no bundle is. Another thread may ask.
    pub(crate) fn words_of(&self, place: usize) -> (usize, usize) {
        match self.used.load(Ordering::Relaxed) >> place & 1 {
            0 => (0, 0),
            _ => (self.words(place).addr(), usize::from(self.count[place].load(Ordering::Relaxed))),
        }
    }

    fn bundle(&self, place: usize) -> &[usize] {
        let count = usize::from(self.count[place].load(Ordering::Relaxed));
        // SAFETY: `count` words were written at the place (depot-D1).
        unsafe { slice::from_raw_parts(self.words(place), count) }
    }

    fn words(&self, place: usize) -> *mut usize {
        word(self.cells[place / 2].load(Ordering::Relaxed) + place % 2 * BUNDLE)
    }
}

fn bytes_of(class: usize, count: usize) -> usize {
    count * info(class).size as usize
}

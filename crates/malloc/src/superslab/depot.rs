//! The depot: half magazines of objects of other threads, handed from the thread that freed them to the next that needs some.
//!
//! ```text
//! a full magazine ─► older half, of others ─put─► shelf of the class [ batch │ batch │ … 32 ] ─take─► an empty magazine
//!                                                   no place: each object goes home to its owner
//! state of a shelf  [ claimed: 32 bits │ full: 32 bits ]
//! ```
//!
//! Where threads free what others allocated, an object that goes home is touched by both threads again: linked, queued, unlinked, put into its
//! slab. A batch is an array of addresses: eight cache lines for 61 objects, and no object is touched.
//!
//! - **depot-D1** a place is free, claimed by one thread, or full; only who claimed it reads or writes its objects.
//! - **depot-D2** an object in the depot is out of its slab, as one in a magazine is (superslab-H1).
//!
//! No lock: two locked operations a batch. A thread that vanishes with a claim leaves the place unused. O(batch).
use base::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use object::size_class::CLASSES;
use page::{Arena, System};

use super::switches::MOST;

/// Batches of a class.
const PLACES: u32 = 32;
/// Objects of a batch at most: what a full magazine gives away at once.
const BATCH: usize = MOST as usize / 2 + 1;
const CLAIMED: u64 = 1 << PLACES;
const FULL: u64 = CLAIMED - 1;

#[derive(Debug)]
#[repr(C, align(64))]
struct Batch {
    count: AtomicUsize,
    objects: [AtomicUsize; BATCH],
}

/// All zero: empty.
#[derive(Debug)]
#[repr(C, align(64))]
struct Shelf {
    state: AtomicU64,
    /// The least number of batches since the last look.
    least: AtomicU32,
    batches: [Batch; PLACES as usize],
}

#[derive(Debug)]
pub(super) struct Depot {
    /// The shelf of each class, from its first batch on.
    shelves: [AtomicUsize; CLASSES],
    /// When it was looked at last.
    looked: AtomicU32,
}

impl Depot {
    pub(super) const fn new() -> Self {
        let none = [const { AtomicUsize::new(0) }; CLASSES];
        Self { shelves: none, looked: AtomicU32::new(0) }
    }

    #[inline]
    fn shelf<'a>(&self, class: usize) -> Option<&'a Shelf> {
        crate::links::at(self.shelves[class].load(Ordering::Acquire))
    }

    /// The shelf of a class, made if there is none. `None`: out of memory.
    fn shelf_or_new<'a, S: System>(
        &self,
        class: usize,
        (arena, source): (&Arena<S>, &S),
    ) -> Option<&'a Shelf> {
        self.shelf(class).or_else(|| {
            let new = arena.allocate(source, size_of::<Shelf>(), align_of::<Shelf>())?;
            // Of two threads one has made its shelf for nothing.
            let (put, got) = (Ordering::Release, Ordering::Acquire);
            let there = self.shelves[class].compare_exchange(0, new, put, got).err();
            crate::links::at(there.unwrap_or(new))
        })
    }

    /// Takes a batch in, of [`BATCH`] objects at most. `false`: there is no place.
    pub(super) fn put<S: System>(
        &self,
        class: usize,
        objects: &[AtomicUsize],
        room: (&Arena<S>, &S),
    ) -> bool {
        if objects.len() > BATCH {
            return false;
        }
        let Some(shelf) = self.shelf_or_new(class, room) else { return false };
        let Some(place) = shelf.claim(|state| !(state | state >> PLACES) & FULL, 0) else {
            return false;
        };
        let batch = &shelf.batches[place];
        for (place, object) in batch.objects.iter().zip(objects) {
            place.store(object.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        batch.count.store(objects.len(), Ordering::Relaxed);
        // No longer claimed, and full.
        shelf.state.fetch_xor(CLAIMED << place | 1 << place, Ordering::Release);
        true
    }

    /// Gives the objects of a batch to `give`, which keeps no reference. `false`: there is none.
    pub(super) fn take(&self, class: usize, give: impl FnOnce(&[AtomicUsize])) -> bool {
        let Some(shelf) = self.shelf(class) else { return false };
        let Some(place) = shelf.claim(|state| state & FULL, 1) else { return false };
        let batch = &shelf.batches[place];
        give(&batch.objects[..batch.count.load(Ordering::Relaxed)]);
        let state = shelf.state.fetch_xor(CLAIMED << place, Ordering::Release);
        let left = (state & FULL).count_ones();
        if left < shelf.least.load(Ordering::Relaxed) {
            shelf.least.store(left, Ordering::Relaxed);
        }
        true
    }

    /// A look at the clock, which says `now`: how many batches of each class nobody needed since the last one, to `gone`.
    pub(super) fn look(&self, now: u32, mut gone: impl FnMut(usize, u32)) {
        if self.looked.swap(now, Ordering::Relaxed) == now {
            return;
        }
        for class in 1..CLASSES {
            let Some(shelf) = self.shelf(class) else { continue };
            let full = (shelf.state.load(Ordering::Relaxed) & FULL).count_ones();
            gone(class, shelf.least.swap(full, Ordering::Relaxed).min(full));
        }
    }

    /// Bytes of objects.
    pub(super) fn bytes(&self, size: impl Fn(usize) -> usize) -> usize {
        let of = |class| {
            let shelf = self.shelf(class)?;
            let full = shelf.state.load(Ordering::Relaxed) & FULL;
            let is_full = |(place, _): &(usize, &Batch)| full >> place & 1 == 1;
            let batches = shelf.batches.iter().enumerate().filter(is_full);
            let count: usize = batches.map(|(_, batch)| batch.count.load(Ordering::Relaxed)).sum();
            Some(count * size(class))
        };
        (1..CLASSES).filter_map(of).sum()
    }
}

impl Shelf {
    /// Claims one of the places that are `wanted` of a state, which is full no more if it `was` (depot-D1). `None`: there is none.
    fn claim(&self, wanted: impl Fn(u64) -> u64, was: u64) -> Option<usize> {
        let mut state = self.state.load(Ordering::Relaxed);
        loop {
            let place = wanted(state).checked_ilog2()?;
            let new = state ^ (CLAIMED << place | was << place);
            let (put, got) = (Ordering::Acquire, Ordering::Relaxed);
            match self.state.compare_exchange_weak(state, new, put, got) {
                Ok(_) => return Some(place as usize),
                Err(other) => state = other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::thread;

    use source::os::Os;

    use super::*;

    fn words(objects: &[usize]) -> Vec<AtomicUsize> {
        objects.iter().copied().map(AtomicUsize::new).collect()
    }

    fn loaded(word: &AtomicUsize) -> usize {
        word.load(Ordering::Relaxed)
    }

    #[test]
    fn a_batch_is_taken_once_and_a_full_shelf_takes_none() {
        let (depot, arena) = (Depot::new(), Arena::new());
        let taken = |class| {
            let mut all = Vec::new();
            depot.take(class, |batch| all.extend(batch.iter().map(loaded))).then_some(all)
        };
        assert_eq!(taken(1), None);
        for batch in 0..PLACES as usize {
            assert!(depot.put(1, &words(&[batch * 16 + 1, batch * 16 + 2]), (&arena, &Os)));
        }
        assert!(!depot.put(1, &words(&[1]), (&arena, &Os)), "no place");
        assert!(depot.put(2, &words(&[7; BATCH]), (&arena, &Os)), "another class");
        assert_eq!(depot.bytes(|class| 100 * class), 2 * 32 * 100 + BATCH * 200);
        assert_eq!(taken(2), Some(vec![7; BATCH]));
        let all: BTreeSet<usize> = core::iter::from_fn(|| taken(1)).flatten().collect();
        assert_eq!((all.len(), taken(1)), (64, None));
    }

    #[test]
    fn what_nobody_needs_between_two_looks_is_told() {
        let (depot, arena) = (Depot::new(), Arena::new());
        let look = |now| {
            let mut told = Vec::new();
            depot.look(now, |class, count| told.push((class, count)));
            told
        };
        for _ in 0..5 {
            assert!(depot.put(3, &words(&[1]), (&arena, &Os)));
        }
        assert_eq!(look(1), [(3, 0)], "they are new");
        assert_eq!(look(1), [], "the same moment");
        assert!(depot.take(3, |_| ()) && depot.take(3, |_| ()));
        assert!(depot.put(3, &words(&[1]), (&arena, &Os)));
        assert_eq!(look(2), [(3, 3)]);
        assert_eq!(look(3), [(3, 4)]);
    }

    #[test]
    fn threads_that_hand_on_at_once_lose_nothing_and_get_nothing_twice() {
        let (depot, arena) = (Depot::new(), Arena::new());
        let mine = &|thread: usize| -> Vec<usize> {
            let mut held: Vec<usize> = (0..BATCH).map(|i| thread * BATCH + i + 1).collect();
            for _ in 0..2000 {
                if depot.put(5, &words(&held), (&arena, &Os)) {
                    held.clear();
                }
                while held.is_empty() {
                    depot.take(5, |batch| held.extend(batch.iter().map(loaded)));
                }
            }
            held
        };
        let all: Vec<usize> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || mine(thread))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!((all.len(), all.iter().collect::<BTreeSet<_>>().len()), (4 * BATCH, 4 * BATCH));
    }
}

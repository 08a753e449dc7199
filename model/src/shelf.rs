//! A shelf and its slabs as `crates/object` has them, in plain vectors.
//!
//! The atomics are the real `protocol`'s. The lists, which are only touched under the shelf's
//! lock, are vectors in a mutex. Every function names the one it follows. Each object has a loom
//! cell that is written while the object is owned, so loom finds two owners, and owners that do
//! not see what the one before them wrote.
use base::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};
use loom::cell::UnsafeCell;
use loom::sync::{Mutex, MutexGuard};

use object::protocol::{self, LISTED, RETIRED, Tag, UNLISTED};

/// How a claimer marks a slab as full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unlist {
    /// As the real code: store, full fence, look again.
    Fence,
    /// A release store instead of the fence.
    Release,
    /// No second look.
    Blind,
}

/// What a freer makes of a tag it reads after its object has gone back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Whatever the tag names by now.
    Anyone,
    /// Only if it still names the shelf that the object came from.
    Same,
}

struct Slab {
    tag: AtomicU32,
    words: Vec<AtomicU64>,
    objects: Vec<Vec<UnsafeCell<()>>>,
}

/// The slabs of a shelf, by state; under its lock.
#[derive(Default)]
struct Lists {
    partial: Vec<usize>,
    full: Vec<usize>,
}

struct Shelf {
    lists: Mutex<Lists>,
    /// A first-class heap's shelf goes away with the heap.
    exists: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Object(pub(crate) usize, pub(crate) usize, pub(crate) u32);

pub(crate) struct World {
    slabs: Vec<Slab>,
    shelves: Vec<Shelf>,
    /// A word with all its objects free, for every word of a slab.
    whole: Vec<u64>,
    unlist: Unlist,
    seen: Seen,
}

impl World {
    /// `slabs` descriptors, retired, and two shelves. `whole`: the objects of each word.
    pub(crate) fn new(slabs: usize, whole: &[u64], unlist: Unlist, seen: Seen) -> World {
        let slab = |_| Slab {
            tag: AtomicU32::new(Tag::new(RETIRED, 0, 0).0),
            words: whole.iter().map(|_| AtomicU64::new(0)).collect(),
            objects: whole
                .iter()
                .map(|word| (0..word.count_ones()).map(|_| UnsafeCell::new(())).collect())
                .collect(),
        };
        let shelf =
            |_| Shelf { lists: Mutex::new(Lists::default()), exists: AtomicBool::new(true) };
        World {
            slabs: (0..slabs).map(slab).collect(),
            shelves: (0..2).map(shelf).collect(),
            whole: whole.to_vec(),
            unlist,
            seen,
        }
    }

    fn lock(&self, shelf: usize) -> MutexGuard<'_, Lists> {
        let shelf = &self.shelves[shelf];
        assert!(shelf.exists.load(Ordering::Relaxed), "a shelf was used after its heap had gone");
        shelf.lists.lock().expect("no one panics in a model that goes on")
    }

    fn tag(&self, slab: usize) -> Tag {
        Tag(self.slabs[slab].tag.load(Ordering::Acquire))
    }

    /// `Slab::is_empty`.
    fn is_empty(&self, slab: usize) -> bool {
        let mut words = self.slabs[slab].words.iter().zip(&self.whole);
        words.all(|(word, &whole)| word.load(Ordering::Acquire) == whole)
    }

    /// `Shelf::make` with all objects left, for a retired descriptor. `false`: it is in use.
    pub(crate) fn make(&self, slab: usize, shelf: usize) -> bool {
        let mut lists = self.lock(shelf);
        let is_free = self.tag(slab).state() == RETIRED;
        if is_free {
            self.open(slab, shelf, LISTED, |whole| whole);
            lists.partial.push(slab);
        }
        is_free
    }

    /// `Shelf::make` for somebody who takes all objects; the descriptor is retired.
    pub(crate) fn make_full(&self, slab: usize, shelf: usize) -> Vec<Object> {
        let mut lists = self.lock(shelf);
        self.open(slab, shelf, UNLISTED, |_| 0);
        lists.full.push(slab);
        drop(lists);
        let of_word = |(word, &whole): (usize, &u64)| {
            (0..whole.count_ones()).map(move |bit| Object(slab, word, bit))
        };
        let got: Vec<Object> = self.whole.iter().enumerate().flat_map(of_word).collect();
        got.iter().for_each(|&object| self.touch(object));
        got
    }

    /// `Slab::open`: of a word's objects those of `left` are free.
    fn open(&self, slab: usize, shelf: usize, state: u32, left: impl Fn(u64) -> u64) {
        for (word, &whole) in self.slabs[slab].words.iter().zip(&self.whole) {
            word.store(left(whole), Ordering::Relaxed);
        }
        let owner = u32::try_from(shelf).expect("two shelves");
        self.slabs[slab].tag.store(Tag::new(state, 1, owner).0, Ordering::Release);
    }

    /// `Shelf::claim_locked`: up to `want` objects; each is the caller's until it is freed.
    pub(crate) fn claim(&self, shelf: usize, want: u32) -> Vec<Object> {
        let mut lists = self.lock(shelf);
        let mut got = Vec::new();
        let mut left = want;
        while left > 0 {
            let Some(&slab) = lists.partial.first() else { break };
            for (index, word) in self.slabs[slab].words.iter().enumerate() {
                let mask = protocol::claim(word, left);
                let bits = (0..64).filter(|bit| mask >> bit & 1 != 0);
                got.extend(bits.map(|bit| Object(slab, index, bit)));
                left -= mask.count_ones();
                if left == 0 {
                    break;
                }
            }
            if left > 0 && self.unlist(slab) {
                lists.partial.remove(0);
                lists.full.push(slab);
            }
        }
        drop(lists);
        got.iter().for_each(|&object| self.touch(object));
        got
    }

    /// `protocol::unlist`, or one of the two that are wrong.
    fn unlist(&self, slab: usize) -> bool {
        let Slab { tag, words, .. } = &self.slabs[slab];
        if self.unlist == Unlist::Fence {
            return protocol::unlist(tag, words.iter());
        }
        let listed = Tag(tag.load(Ordering::Relaxed));
        tag.store(listed.with_state(UNLISTED).0, Ordering::Release);
        if self.unlist == Unlist::Blind {
            fence(Ordering::SeqCst);
            return true;
        }
        if words.iter().any(|word| word.load(Ordering::Relaxed) != 0) {
            tag.store(listed.0, Ordering::Relaxed);
            return false;
        }
        true
    }

    fn touch(&self, Object(slab, word, bit): Object) {
        self.slabs[slab].objects[word][bit as usize].with_mut(|_| ());
    }

    /// `Pass::set_free` and `note_due`, for objects of one word. Returns whether it retired the slab.
    pub(crate) fn free(&self, objects: &[Object]) -> bool {
        let Object(slab, index, _) = objects[0];
        let group = self.tag(slab);
        let mut mask = 0;
        for &object in objects {
            assert_eq!((object.0, object.1), (slab, index), "one word at a time");
            self.touch(object);
            mask |= 1 << object.2;
        }
        let old = protocol::give_back(&self.slabs[slab].words[index], mask);
        assert_eq!(old & mask, 0, "an object was free that someone owned");
        let full = (old == 0).then(|| protocol::needs_listing(&self.slabs[slab].tag)).flatten();
        let is_theirs =
            |seen: &Tag| self.seen == Seen::Anyone || *seen == group.with_state(UNLISTED);
        if let Some(seen) = full.filter(is_theirs) {
            return self.settle(slab, seen);
        }
        let look = old == 0 || old | mask == self.whole[index];
        look && self.is_empty(slab) && self.settle(slab, group)
    }

    /// `Shelf::settle`, which here keeps no slab: whether it retired this one.
    fn settle(&self, slab: usize, whose: Tag) -> bool {
        let mut lists = self.lock(whose.owner() as usize);
        let tag = self.tag(slab);
        if tag.with_state(LISTED) != whose.with_state(LISTED) {
            return false;
        }
        if self.is_empty(slab) {
            lists.partial.retain(|&other| other != slab);
            lists.full.retain(|&other| other != slab);
            self.slabs[slab].tag.store(RETIRED, Ordering::Release);
            // All bits are set, so all objects are this thread's to reuse, as one run of granules.
            for (word, &whole) in self.whole.iter().enumerate() {
                (0..whole.count_ones()).for_each(|bit| self.touch(Object(slab, word, bit)));
            }
            return true;
        }
        if tag.state() == UNLISTED {
            self.slabs[slab].tag.store(tag.with_state(LISTED).0, Ordering::Relaxed);
            lists.full.retain(|&other| other != slab);
            lists.partial.push(slab);
        }
        false
    }

    /// A heap goes, with all its slabs: `Shelf::destroy` and `Central::remove_heap`.
    pub(crate) fn destroy(&self, shelf: usize) {
        let mut lists = self.lock(shelf);
        for slab in lists.partial.drain(..) {
            self.slabs[slab].tag.store(RETIRED, Ordering::Release);
        }
        for slab in lists.full.drain(..) {
            self.slabs[slab].tag.store(RETIRED, Ordering::Release);
        }
        self.shelves[shelf].exists.store(false, Ordering::Relaxed);
    }

    /// When every thread has ended: each slab is where its tag says, every free object is
    /// reachable through a partial list, and no empty slab was left. `held`: objects still owned.
    pub(crate) fn end(&self, held: &[Object]) {
        for (slab, descriptor) in self.slabs.iter().enumerate() {
            let tag = self.tag(slab);
            for (index, shelf) in self.shelves.iter().enumerate() {
                let lists = shelf.lists.lock().expect("all have ended");
                let here = tag.owner() as usize == index;
                let count = |list: &[usize]| list.iter().filter(|&&other| other == slab).count();
                let wanted = |state| usize::from(here && tag.state() == state);
                assert_eq!(count(&lists.partial), wanted(LISTED), "partial while {tag:?}");
                assert_eq!(count(&lists.full), wanted(UNLISTED), "full while {tag:?}");
            }
            if tag.state() == RETIRED {
                continue;
            }
            let mut free = 0;
            for (index, (word, &whole)) in descriptor.words.iter().zip(&self.whole).enumerate() {
                let mine = held.iter().filter(|object| (object.0, object.1) == (slab, index));
                let owned = mine.fold(0u64, |mask, object| mask | 1 << object.2);
                let bits = word.load(Ordering::Relaxed);
                assert_eq!(bits, whole & !owned, "free bits of word {index}");
                free += bits.count_ones();
            }
            assert!(free == 0 || tag.state() == LISTED, "free objects are lost: {tag:?}");
            assert!(!self.is_empty(slab), "an empty slab was left");
        }
    }
}

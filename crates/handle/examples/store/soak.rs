//! Random operations on a heap of handles, with pins and compaction: every byte, handle and count is checked.
//!
//! ```text
//! store · read and free · overwrite · pin and unpin · compact        each step one of them, by a seed
//!
//! after each:    the handle that was freed is refused
//! now and then:  check(), and every object's bytes
//! ```
use std::collections::VecDeque;

use base::{Check, HandleError, Pin};

use super::random::Random;

const LIVE: usize = 4000;
const PINNED: usize = 16;

#[derive(Clone, Copy)]
struct Object<H> {
    handle: H,
    seed: u64,
    len: usize,
}

struct Soak<'a, A: Pin> {
    heap: &'a mut A,
    random: Random,
    live: Vec<Object<A::Handle>>,
    pinned: VecDeque<(Object<A::Handle>, *const u8)>,
}

/// The bytes of an object: eight at a time, so that checking them takes no longer than the heap.
fn pattern(seed: u64, len: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let words = (0..len.div_ceil(8)).flat_map(|_| random.next().to_le_bytes());
    words.take(len).collect()
}

impl<A: Pin + Check> Soak<'_, A> {
    fn verify(&self, object: Object<A::Handle>) {
        let bytes = self.heap.bytes(object.handle);
        assert!(bytes == Ok(&pattern(object.seed, object.len)), "an object has other bytes");
    }

    /// One of the live objects, which is live no more.
    fn take(&mut self) -> Object<A::Handle> {
        self.live.swap_remove(self.random.below(self.live.len()))
    }

    fn store(&mut self) -> Result<(), HandleError> {
        let most = self.heap.max_len();
        // Small ones mostly, as more of them lie in a page.
        let most = [48, 300, 1200, most][self.random.below(4)].min(most);
        let (seed, len) = (self.random.next(), self.random.between(1, most));
        let handle = self.heap.store(&pattern(seed, len))?;
        self.live.push(Object { handle, seed, len });
        Ok(())
    }

    fn free(&mut self) {
        let object = self.take();
        self.verify(object);
        assert_eq!(self.heap.free(object.handle), Ok(()));
        assert!(self.heap.free(object.handle).is_err(), "freed twice");
    }

    fn overwrite(&mut self) {
        let object = Object { seed: self.random.next(), ..self.take() };
        assert_eq!(self.heap.write(object.handle, 0, &pattern(object.seed, object.len)), Ok(()));
        self.live.push(object);
    }

    fn pin(&mut self) {
        if self.pinned.len() == PINNED {
            self.unpin();
        }
        let object = self.take();
        let bytes = self.heap.pin(object.handle).expect("it is live, and few are pinned");
        self.pinned.push_back((object, bytes.cast::<u8>().as_ptr()));
    }

    fn unpin(&mut self) {
        let Some((object, start)) = self.pinned.pop_front() else { return };
        self.verify(object);
        let now = self.heap.bytes(object.handle).map(<[u8]>::as_ptr);
        assert_eq!(now, Ok(start), "moved, though pinned");
        assert_eq!(self.heap.free(object.handle), Err(HandleError::Pinned));
        // SAFETY: pinned once, when it was put here.
        unsafe { self.heap.unpin(object.handle) };
        self.live.push(object);
    }

    fn verify_all(&self) {
        assert_eq!(self.heap.check(), Ok(()));
        let all = || self.live.iter().chain(self.pinned.iter().map(|(object, _)| object));
        let usage = self.heap.usage();
        let payload = all().map(|object| object.len).sum();
        assert_eq!((usage.objects, usage.payload), (all().count(), payload));
        all().for_each(|object| self.verify(*object));
    }
}

/// Runs `steps` random operations, frees all, and returns how often it compacted, and the bytes of pages that gave back.
/// `compact` is called about once in 500, with how many objects are pinned, and returns the bytes of pages it gave back.
/// Panics when the heap is wrong.
pub(crate) fn run<A: Pin + Check>(
    heap: &mut A,
    steps: u64,
    seed: u64,
    mut compact: impl FnMut(&mut A, usize) -> usize,
) -> Result<(u64, usize), HandleError> {
    let random = Random::new(seed);
    let mut soak = Soak { heap, random, live: Vec::new(), pinned: VecDeque::new() };
    let (mut compactions, mut compacted) = (0, 0);
    // How full it is changes slowly, so that pages become empty and are taken again.
    let mut wanted = LIVE;
    for step in 0..steps {
        if step % 20_000 == 0 {
            wanted = soak.random.between(LIVE / 16, LIVE);
        }
        if step % (steps / 100).max(1) == 0 {
            soak.verify_all();
        }
        match soak.random.below(500) {
            0 => {
                let pages = soak.heap.usage().pages;
                let gone = compact(soak.heap, soak.pinned.len());
                assert_eq!(pages - soak.heap.usage().pages, gone, "what went back");
                compactions += 1;
                compacted += gone;
            }
            1..10 if !soak.live.is_empty() => soak.pin(),
            10..20 => soak.unpin(),
            20..60 if !soak.live.is_empty() => soak.overwrite(),
            choice if soak.live.is_empty() || (soak.live.len() < wanted) == (choice < 400) => {
                soak.store()?;
            }
            _ => soak.free(),
        }
    }
    soak.verify_all();
    while !soak.pinned.is_empty() {
        soak.unpin();
    }
    while !soak.live.is_empty() {
        soak.free();
    }
    soak.verify_all();
    assert_eq!(soak.heap.usage().pages, 0, "pages of no object");
    Ok((compactions, compacted))
}

/// Compacts, and panics unless as much goes back as was promised: all of it when nothing is pinned.
pub(crate) fn compact_as_promised<A: base::Compact>(heap: &mut A, pinned: usize) -> usize {
    let promised = heap.freeable();
    let gone = heap.compact();
    if pinned == 0 {
        assert_eq!((gone, heap.freeable()), (promised, 0), "promised, and still to be had");
    }
    assert!(gone <= promised, "{gone} of {promised}");
    gone
}

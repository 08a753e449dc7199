//! A long random program on a heap of handles: every object keeps its bytes and its handle, whatever is moved.
//!
//! ```text
//! store · read and free · overwrite · pin and unpin · compact        each step one of them, by a seed
//!
//! after each:    the handle that was freed is refused
//! now and then:  check(), and every object's bytes
//! ```
use std::collections::VecDeque;

use base::{Check, HandleError, Pin};

use crate::density::Random;

/// Objects that are live at the most.
const LIVE: usize = 4000;
/// Objects that are pinned at the most.
const PINNED: usize = 16;

/// What a soak did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Steps, each of them one operation.
    pub steps: u64,
    /// How often it was compacted.
    pub compactions: u64,
    /// Bytes of pages that this gave back.
    pub compacted: u64,
    /// Handles of freed objects that were tried, and refused.
    pub refused: u64,
}

#[derive(Clone, Copy)]
struct Object<H> {
    handle: H,
    seed: u64,
    len: usize,
}

/// The bytes of an object: eight at a time, so that checking them takes no longer than the heap.
fn pattern(seed: u64, len: usize, out: &mut Vec<u8>) {
    out.clear();
    let mut random = Random::new(seed);
    while out.len() < len {
        out.extend_from_slice(&random.next().to_le_bytes());
    }
    out.truncate(len);
}

struct Soak<'a, A: Pin> {
    heap: &'a mut A,
    random: Random,
    live: Vec<Object<A::Handle>>,
    pinned: VecDeque<(Object<A::Handle>, *const u8)>,
    bytes: Vec<u8>,
    report: Report,
}

impl<A: Pin + Check> Soak<'_, A> {
    fn length(&mut self) -> usize {
        let most = self.heap.max_len();
        // Small ones mostly, as more of them lie in a page.
        let most = [48, 300, 1200, most][self.random.below(4)].min(most);
        self.random.between(1, most)
    }

    /// Panics unless the object has the bytes that were written.
    fn verify(&mut self, object: Object<A::Handle>) {
        pattern(object.seed, object.len, &mut self.bytes);
        let bytes = self.heap.bytes(object.handle);
        assert!(bytes == Ok(&self.bytes[..]), "step {}: bytes", self.report.steps);
    }

    fn store(&mut self) -> Result<(), HandleError> {
        let (seed, len) = (self.random.next(), self.length());
        pattern(seed, len, &mut self.bytes);
        let handle = self.heap.store(&self.bytes)?;
        self.live.push(Object { handle, seed, len });
        Ok(())
    }

    fn free(&mut self) {
        let object = self.live.swap_remove(self.random.below(self.live.len()));
        self.verify(object);
        assert_eq!(self.heap.free(object.handle), Ok(()), "step {}", self.report.steps);
        assert!(self.heap.free(object.handle).is_err(), "step {}: twice", self.report.steps);
        self.report.refused += 1;
    }

    fn overwrite(&mut self) {
        let at = self.random.below(self.live.len());
        let seed = self.random.next();
        let object = self.live[at];
        pattern(seed, object.len, &mut self.bytes);
        assert_eq!(self.heap.write(object.handle, 0, &self.bytes), Ok(()));
        self.live[at].seed = seed;
    }

    fn pin(&mut self) {
        if self.pinned.len() == PINNED {
            self.unpin();
        }
        let object = self.live.swap_remove(self.random.below(self.live.len()));
        let Ok(bytes) = self.heap.pin(object.handle) else {
            unreachable!("it is live, and few are pinned")
        };
        self.pinned.push_back((object, bytes.cast::<u8>().as_ptr()));
    }

    fn unpin(&mut self) {
        let Some((object, start)) = self.pinned.pop_front() else { return };
        self.verify(object);
        let now = self.heap.bytes(object.handle).map(<[u8]>::as_ptr);
        assert_eq!(now, Ok(start), "step {}: moved, though pinned", self.report.steps);
        assert_eq!(self.heap.free(object.handle), Err(HandleError::Pinned));
        // SAFETY: pinned once, when it was put here.
        unsafe { self.heap.unpin(object.handle) };
        self.live.push(object);
    }

    fn verify_all(&mut self) {
        self.heap.check().unwrap_or_else(|broken| panic!("step {}: {broken}", self.report.steps));
        let all = self.live.iter().chain(self.pinned.iter().map(|(object, _)| object));
        let all: Vec<Object<A::Handle>> = all.copied().collect();
        let usage = self.heap.usage();
        let payload = all.iter().map(|object| object.len).sum();
        assert_eq!((usage.objects, usage.payload), (all.len(), payload));
        all.into_iter().for_each(|object| self.verify(object));
    }
}

/// Runs `steps` random operations; `compact` is called about once in 500, and returns the bytes of pages it gave back.
/// Everything is freed at the end.
///
/// # Errors
///
/// What the heap fails with when it has no memory.
///
/// # Panics
///
/// When the heap is wrong: that is what it is for.
pub fn run<A: Pin + Check>(
    heap: &mut A,
    steps: u64,
    seed: u64,
    mut compact: impl FnMut(&mut A, usize) -> usize,
) -> Result<Report, HandleError> {
    let mut soak = Soak {
        heap,
        random: Random::new(seed),
        live: Vec::with_capacity(LIVE),
        pinned: VecDeque::new(),
        bytes: Vec::new(),
        report: Report::default(),
    };
    // How full it is changes slowly, so that pages become empty and are taken again.
    let mut wanted = LIVE;
    for step in 0..steps {
        soak.report.steps = step;
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
                assert_eq!(pages - soak.heap.usage().pages, gone, "step {step}: what went back");
                soak.report.compactions += 1;
                soak.report.compacted += gone as u64;
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
    soak.report.steps = steps;
    soak.verify_all();
    while !soak.pinned.is_empty() {
        soak.unpin();
    }
    while !soak.live.is_empty() {
        soak.free();
    }
    soak.verify_all();
    assert_eq!(soak.heap.usage().pages, 0, "pages of no object");
    Ok(soak.report)
}

/// Compacts, and panics unless as much goes back as was promised: all of it when nothing is pinned.
pub fn compact_as_promised<A: base::Compact>(heap: &mut A, pinned: usize) -> usize {
    let promised = heap.freeable();
    let gone = heap.compact();
    if pinned == 0 {
        assert_eq!((gone, heap.freeable()), (promised, 0), "promised, and still to be had");
    }
    assert!(gone <= promised, "{gone} of {promised}");
    gone
}

#[cfg(test)]
mod tests;

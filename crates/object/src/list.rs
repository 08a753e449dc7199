//! A doubly linked list of slab descriptors, by index from where descriptors are counted.
//!
//! ```text
//! head ─► slab ⇄ slab ⇄ slab ◄─ tail          index = (address − base) / 64, 0 = end
//! ```
//!
//! Guarded by the lock of the shelf it belongs to. O(1).
use base::bits::low32;
use base::sync::{AtomicU32, OneWriter as _, Ordering};

use crate::slab::Slab;

const NIL: u32 = 0;

/// Some slabs of one shelf.
#[derive(Debug)]
pub struct SlabList {
    head: AtomicU32,
    tail: AtomicU32,
    len: AtomicU32,
}

fn index_of(base: usize, slab: &Slab) -> u32 {
    low32((slab.address() - base) / 64)
}

fn slab_at<'a>(base: usize, index: u32) -> Option<&'a Slab> {
    // SAFETY: only indices of descriptors are ever linked.
    (index != NIL).then(|| unsafe { Slab::at(base + index as usize * 64) })
}

impl SlabList {
    /// An empty list.
    pub const fn new() -> Self {
        Self { head: AtomicU32::new(NIL), tail: AtomicU32::new(NIL), len: AtomicU32::new(NIL) }
    }

    /// How many there are; may be read without the lock.
    pub fn len(&self) -> u32 {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether there is none; may be read without the lock.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first slab.
    pub fn first<'a>(&self, base: usize) -> Option<&'a Slab> {
        slab_at(base, self.head.load(Ordering::Relaxed))
    }

    /// All of them, in order.
    pub fn iter<'a>(&self, base: usize) -> impl Iterator<Item = &'a Slab> {
        core::iter::successors(self.first(base), move |slab| {
            slab_at(base, slab.next.load(Ordering::Relaxed))
        })
    }

    /// The slab behind `slab`.
    pub fn after<'a>(&self, base: usize, slab: &Slab) -> Option<&'a Slab> {
        slab_at(base, slab.next.load(Ordering::Relaxed))
    }

    /// Puts `slab` at the end.
    pub fn push_back(&self, base: usize, slab: &Slab) {
        let index = index_of(base, slab);
        let last = self.tail.replace(index);
        slab.prev.store(last, Ordering::Relaxed);
        slab.next.store(NIL, Ordering::Relaxed);
        slab_at(base, last).map_or(&self.head, |last| &last.next).store(index, Ordering::Relaxed);
        self.len.raise(1);
    }

    /// Takes `slab`, which is on this list, off it.
    pub fn remove(&self, base: usize, slab: &Slab) {
        let next = slab.next.load(Ordering::Relaxed);
        let prev = slab.prev.load(Ordering::Relaxed);
        slab_at(base, prev).map_or(&self.head, |slab| &slab.next).store(next, Ordering::Relaxed);
        slab_at(base, next).map_or(&self.tail, |slab| &slab.prev).store(prev, Ordering::Relaxed);
        self.len.replace(self.len() - 1);
    }
}

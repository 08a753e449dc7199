//! Memory for descriptors: out of band, never unmapped, never used as another kind.
//!
//! ```text
//! descriptors ░░[ 16 KiB of slab descriptors │ 16 KiB of cells │ 16 KiB of … │ untouched ]
//! ```
//!
//! They have a part of the region to themselves, behind a guard (R4).
//!
//! - **M1** memory handed out for a [`Pool`] is only ever handed out for that pool again, so
//!   that a stale pointer to a descriptor still points at a descriptor.
//! - **M2** a free piece's first word links to the next.
//!
//! Layer *page*. One lock, O(1). Pieces come zeroed the first time and as they were afterwards.
use base::bits::align_up;
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};

use crate::System;
use crate::geometry::GRANULE;
use crate::heap::PageHeap;

/// What a piece of metadata is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// A slab descriptor of 64 bytes.
    Slab1,
    /// A slab descriptor of 128 bytes.
    Slab2,
    /// A slab descriptor of 192 bytes.
    Slab3,
    /// The array of a magazine: 1 KiB, aligned to it.
    Cell,
    /// What is known of a thread: 2 KiB.
    Thread,
    /// A first-class heap: 4 KiB.
    Heap,
}

const POOLS: usize = 6;

impl Pool {
    /// Bytes of one piece.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Slab1 => 64,
            Self::Slab2 => 128,
            Self::Slab3 => 192,
            Self::Cell => 1024,
            Self::Thread => 2048,
            Self::Heap => 4096,
        }
    }

    /// Pieces are at multiples of this.
    const fn align(self) -> usize {
        if let Self::Cell = self { 1024 } else { 64 }
    }
}

#[derive(Debug)]
struct Shelf {
    free: AtomicUsize,
    next: AtomicUsize,
    end: AtomicUsize,
}

/// Hands out descriptors.
#[derive(Debug)]
pub struct Meta<S> {
    lock: Lock<S>,
    shelves: [Shelf; POOLS],
    /// Bytes cut into chunks so far.
    cut: AtomicUsize,
    used: AtomicUsize,
}

impl<S: System> Meta<S> {
    /// Nothing handed out yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            lock: Lock::new(),
            shelves: [const {
                Shelf {
                    free: AtomicUsize::new(0),
                    next: AtomicUsize::new(0),
                    end: AtomicUsize::new(0),
                }
            }; POOLS],
            cut: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
        }
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// Bytes handed out and not given back.
    pub fn used_bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// A piece for `pool`; `None`: out of memory.
    pub fn allocate(&self, pages: &PageHeap<S>, pool: Pool) -> Option<usize> {
        let _guard = self.lock.lock();
        let shelf = &self.shelves[pool as usize];
        let free = shelf.free.load(Ordering::Relaxed);
        let at = if free != 0 {
            // SAFETY: by M2 a free piece starts with its link.
            let link = unsafe { link_of(free).read() };
            shelf.free.store(link, Ordering::Relaxed);
            free
        } else {
            self.carve(pages, shelf, pool)?
        };
        self.used.raise(pool.size());
        Some(at)
    }

    /// Takes a piece back.
    ///
    /// # Safety
    ///
    /// `at` came from [`allocate`](Self::allocate) with the same pool, and nobody writes to it
    /// any more; stale readers of all but the first word are fine (M1).
    pub unsafe fn deallocate(&self, pool: Pool, at: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.deallocate_each(pool, &[at]) };
    }

    /// Takes pieces back, under one lock.
    ///
    /// # Safety
    ///
    /// As [`deallocate`](Self::deallocate), for each of them.
    pub unsafe fn deallocate_each(&self, pool: Pool, pieces: &[usize]) {
        let _guard = self.lock.lock();
        let shelf = &self.shelves[pool as usize];
        for &piece in pieces {
            // SAFETY: the piece is ours again, and at least a word long.
            unsafe { link_of(piece).write(shelf.free.load(Ordering::Relaxed)) };
            shelf.free.store(piece, Ordering::Relaxed);
        }
        self.used.lower(pieces.len() * pool.size());
    }

    fn carve(&self, pages: &PageHeap<S>, shelf: &Shelf, pool: Pool) -> Option<usize> {
        let at = align_up(shelf.next.load(Ordering::Relaxed), pool.align());
        if at != 0 && at + pool.size() <= shelf.end.load(Ordering::Relaxed) {
            shelf.next.store(at + pool.size(), Ordering::Relaxed);
            return Some(at);
        }
        let chunk = self.next_chunk(pages)?;
        shelf.next.store(chunk + pool.size(), Ordering::Relaxed);
        shelf.end.store(chunk + GRANULE, Ordering::Relaxed);
        Some(chunk)
    }

    /// The next granule of the region's descriptors.
    fn next_chunk(&self, pages: &PageHeap<S>) -> Option<usize> {
        let cut = self.cut.load(Ordering::Relaxed);
        let chunk = pages.descriptors(cut + GRANULE)? + cut;
        self.cut.store(cut + GRANULE, Ordering::Relaxed);
        Some(chunk)
    }
}

impl<S: System> Default for Meta<S> {
    fn default() -> Self {
        Self::new()
    }
}

fn link_of(at: usize) -> *mut usize {
    core::ptr::with_exposed_provenance_mut(at)
}

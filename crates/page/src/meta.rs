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
use base::guarded::Guarded;
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

/// The pieces of one pool: those that came back, and where the next is cut from a chunk.
#[derive(Debug, Clone, Copy)]
struct Pieces {
    free: usize,
    next: usize,
    end: usize,
}

#[derive(Debug)]
struct Pools {
    pieces: [Pieces; POOLS],
    /// Bytes cut into chunks so far.
    cut: usize,
}

/// Hands out descriptors.
#[derive(Debug)]
pub struct Meta<S> {
    pools: Guarded<S, Pools>,
    /// Read by statistics without the lock.
    used: AtomicUsize,
}

impl<S: System> Meta<S> {
    /// Nothing handed out yet.
    #[must_use]
    pub const fn new() -> Self {
        let pieces = [Pieces { free: 0, next: 0, end: 0 }; POOLS];
        Self { pools: Guarded::new(Pools { pieces, cut: 0 }), used: AtomicUsize::new(0) }
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        self.pools.bare()
    }

    /// Bytes handed out and not given back.
    pub fn used_bytes(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// A piece for `pool`; `None`: out of memory.
    pub fn allocate(&self, pages: &PageHeap<S>, pool: Pool) -> Option<usize> {
        let mut piece = [0];
        (self.allocate_each(pages, pool, &mut piece) == 1).then_some(piece[0])
    }

    /// Pieces for `pool`, as many as `out` has places, under one lock; fewer: out of memory.
    pub fn allocate_each(&self, pages: &PageHeap<S>, pool: Pool, out: &mut [usize]) -> usize {
        let mut pools = self.pools.lock();
        let mut got = 0;
        for place in out {
            let free = pools.pieces[pool as usize].free;
            *place = if free != 0 {
                // SAFETY: by M2 a free piece starts with its link.
                pools.pieces[pool as usize].free = unsafe { link_of(free).read() };
                free
            } else {
                let Some(fresh) = pools.carve(pages, pool) else { break };
                fresh
            };
            got += 1;
        }
        self.used.raise(got * pool.size());
        got
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
        let mut pools = self.pools.lock();
        let first = &mut pools.pieces[pool as usize].free;
        for &piece in pieces {
            // SAFETY: the piece is ours again, and at least a word long.
            unsafe { link_of(piece).write(*first) };
            *first = piece;
        }
        self.used.lower(pieces.len() * pool.size());
    }
}

impl Pools {
    fn carve<S: System>(&mut self, pages: &PageHeap<S>, pool: Pool) -> Option<usize> {
        let pieces = self.pieces[pool as usize];
        let mut at = align_up(pieces.next, pool.align());
        if at == 0 || at + pool.size() > pieces.end {
            at = self.next_chunk(pages)?;
            self.pieces[pool as usize].end = at + GRANULE;
        }
        self.pieces[pool as usize].next = at + pool.size();
        Some(at)
    }

    /// The next granule of the region's descriptors.
    fn next_chunk<S: System>(&mut self, pages: &PageHeap<S>) -> Option<usize> {
        let chunk = pages.descriptors(self.cut + GRANULE)? + self.cut;
        self.cut += GRANULE;
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

//! Memory for descriptors: out of band, never unmapped, never used as another kind.
//!
//! ```text
//! descriptors ░░[ 16 KiB of slab descriptors │ 64 KiB of cells │ 16 KiB of … │ untouched ]
//! ```
//!
//! They have a part of the region to themselves, behind a guard (region-R4).
//!
//! - **meta-M1** memory handed out for a [`Pool`] is only ever handed out for that pool again, so
//!   that a stale pointer to a descriptor still points at a descriptor.
//! - **meta-M2** a free piece's first word links to the next, but for those of threads, which are in [`Pieces`]: their pages go back.
//!
//! Layer *page*. One lock, O(1). Pieces come zeroed the first time, and afterwards as they were, or zeroed.
use base::bits::align_up;
use base::guarded::Guarded;
use base::live::{At, Table};
use base::lock::Lock;
use base::sync::{AtomicUsize, OneWriter as _, Ordering};

use crate::System;
use crate::geometry::GRANULE;
use crate::heap::PageHeap;
use crate::pieces::Pieces;

/// What a piece of metadata is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// A slab descriptor of 64 bytes.
    Slab1,
    /// A slab descriptor of 128 bytes.
    Slab2,
    /// A slab descriptor of 192 bytes.
    Slab3,
    /// A first-class heap: 4 KiB.
    Heap,
    /// The array of a magazine: 1 KiB, aligned to it.
    Cell,
    /// What is known of a thread: 2 KiB.
    Thread,
}

/// Pools whose free pieces are linked.
const LINKED: usize = 4;
/// Bytes of a chunk of those that are not.
const CHUNK: usize = 64 << 10;

impl Pool {
    /// Bytes of one piece.
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
}

/// The pieces of one pool: those that came back, and where the next is cut from a chunk.
#[derive(Debug, Clone, Copy)]
struct Linked {
    free: usize,
    next: usize,
    end: usize,
}

#[derive(Debug)]
struct Pools {
    linked: [Linked; LINKED],
    cells: Pieces,
    threads: Pieces,
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
    pub const fn new() -> Self {
        let pools = Pools {
            linked: [Linked { free: 0, next: 0, end: 0 }; LINKED],
            cells: Pieces::new(Pool::Cell.size(), CHUNK),
            threads: Pieces::new(Pool::Thread.size(), CHUNK),
            cut: 0,
        };
        Self { pools: Guarded::new(pools), used: AtomicUsize::new(0) }
    }

    /// Where its counter is, for who reads the process from outside.
    pub const fn show(&'static self, table: Table) -> Table {
        table.at(At::Books, &self.used)
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
            let Some(piece) = pools.take(pages, pool) else { break };
            *place = piece;
            got += 1;
        }
        self.used.raise(got * pool.size());
        got
    }

    /// Takes a piece back.
    /// # Safety
    /// `at` came from [`allocate`](Self::allocate) with the same pool, and nobody writes to it
    /// any more; stale readers of all but the first word are fine (meta-M1).
    pub unsafe fn deallocate(&self, pool: Pool, at: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.deallocate_each(pool, &[at]) };
    }

    /// Takes pieces back, under one lock.
    /// # Safety
    /// As [`deallocate`](Self::deallocate), for each of them.
    pub unsafe fn deallocate_each(&self, pool: Pool, pieces: &[usize]) {
        let mut pools = self.pools.lock();
        for &piece in pieces {
            if let Some(pieces) = pools.pieces(pool) {
                // SAFETY: the caller's promise.
                unsafe { pieces.put(piece) };
                continue;
            }
            let first = &mut pools.linked[pool as usize].free;
            // SAFETY: the piece is ours again, and at least a word long.
            unsafe { link_of(piece).write(*first) };
            *first = piece;
        }
        self.used.lower(pieces.len() * pool.size());
    }

    /// After a look at the clock: of what ended threads used, what nobody has taken for a second goes back, a part of it.
    pub fn look(&self, pages: &PageHeap<S>) {
        let now = pages.purge.tick();
        let Some(pools) = self.pools.try_lock() else { return };
        for pieces in [&pools.cells, &pools.threads] {
            if pieces.wants_look(now) {
                pieces.look(&pages.source, now);
            }
        }
    }

    /// Gives back all that ended threads used; the bytes. Others go on meanwhile.
    pub fn trim(&self, pages: &PageHeap<S>) -> usize {
        let mut gone = 0;
        for pool in [Pool::Cell, Pool::Thread] {
            let some = || self.pools.lock().pieces(pool)?.trim(&pages.source);
            gone += core::iter::from_fn(some).sum::<usize>();
        }
        gone
    }
}

impl Pools {
    fn pieces(&self, pool: Pool) -> Option<&Pieces> {
        match pool {
            Pool::Cell => Some(&self.cells),
            Pool::Thread => Some(&self.threads),
            _ => None,
        }
    }

    fn take<S: System>(&mut self, pages: &PageHeap<S>, pool: Pool) -> Option<usize> {
        if let Some(pieces) = self.pieces(pool) {
            return pieces.take().or_else(|| {
                let at = next_chunk(&mut self.cut, pages, CHUNK)?;
                let pieces = self.pieces(pool)?;
                // SAFETY: cut for it now.
                unsafe { pieces.add(at) };
                pieces.take()
            });
        }
        let linked = &mut self.linked[pool as usize];
        let free = linked.free;
        if free != 0 {
            // SAFETY: by meta-M2 a free piece starts with its link.
            linked.free = unsafe { link_of(free).read() };
            return Some(free);
        }
        if linked.next == 0 || linked.next + pool.size() > linked.end {
            linked.next = next_chunk(&mut self.cut, pages, GRANULE)?;
            linked.end = linked.next + GRANULE;
        }
        let at = linked.next;
        linked.next += pool.size();
        Some(at)
    }
}

/// The next chunk of the region's descriptors, of which `cut` bytes are cut: `len` bytes at a multiple of that.
fn next_chunk<S: System>(cut: &mut usize, pages: &PageHeap<S>, len: usize) -> Option<usize> {
    let first = pages.descriptors(*cut)?;
    let at = align_up(first + *cut, len);
    pages.descriptors(at + len - first)?;
    *cut = at + len - first;
    Some(at)
}

fn link_of(at: usize) -> *mut usize {
    core::ptr::with_exposed_provenance_mut(at)
}

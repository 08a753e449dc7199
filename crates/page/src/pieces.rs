//! Pieces of one size in chunks, for what is known of threads: a chunk's beginning says which are free, and the pages of those go back.
//!
//! ```text
//! chunk  [ head: next, free, clean, age │ piece │ piece │ … ]     at a multiple of its length
//! free     1 0 1 1 …     clean   0 0 0 1 …       free and not clean: it costs memory
//!
//! first ─► chunk ─► chunk                        those with a free piece
//! age     a piece came back ─► FRESH ─look─► OLD ─look─► DUE ─► pages of free pieces go back ─► QUIET
//! ```
//!
//! - **pieces-V1** a chunk is on the list exactly while it has a free piece.
//! - **pieces-V2** a piece is clean only if it is free, and zero.
//! - **pieces-V3** what was a piece is never anything else, and never unmapped. A free one holds what it held, or zeroes: a stale reader finds
//!   a piece, of a kind of which zeroes are one.
//!
//! Layer *page*. Under its owner's lock. O(1), but for looks: O(chunks with a free piece), a system call a row of free pieces.
use base::bits::{align_down, align_up, low32};
use base::sync::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, OneWriter as _, Ordering,
};
use policy::clock::is_due;
use source::PageSource;

use crate::System;
use crate::huge::guard;

/// Where the first piece of a chunk begins at most, behind its head.
const HEAD: usize = 4096;
/// Chunks whose pages go back under one lock.
const AT_ONCE: usize = 16;

/// How long ago a piece of a chunk came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    /// None did since its pages went back.
    Quiet = 0,
    /// Since the last look.
    Fresh = 1,
    /// Before that.
    Old = 2,
    /// A second ago or more: its pages are to go back.
    Due = 3,
}

#[derive(Debug)]
#[repr(C)]
struct Chunk {
    next: AtomicUsize,
    free: AtomicU64,
    clean: AtomicU64,
    age: AtomicU8,
}

impl Chunk {
    fn at<'a>(at: usize) -> Option<&'a Self> {
        // SAFETY: 0, or the address of a chunk, which stays (pieces-V3).
        unsafe { core::ptr::with_exposed_provenance::<Self>(at).as_ref() }
    }

    fn address(&self) -> usize {
        core::ptr::from_ref(self).expose_provenance()
    }

    fn is(&self, age: Age) -> bool {
        self.age.load(Ordering::Relaxed) == age as u8
    }

    fn set(&self, age: Age) {
        self.age.store(age as u8, Ordering::Relaxed);
    }
}

/// Pieces of `size` bytes, in chunks of `len`.
#[derive(Debug)]
pub struct Pieces {
    size: usize,
    len: usize,
    first: AtomicUsize,
    /// Bytes between a chunk's beginning and its head, and behind its last piece.
    margin: AtomicUsize,
    /// Bytes of pieces that are not clean.
    costing: AtomicUsize,
    /// The tick at which ages went on.
    aged: AtomicU32,
    /// Whether a piece came back that no look has made due.
    is_returned: AtomicBool,
    is_due: AtomicBool,
}

impl Pieces {
    /// None yet. `len` is a power of two, and a multiple of the size of a page.
    pub const fn new(size: usize, len: usize) -> Self {
        assert!(len.is_power_of_two() && size >= size_of::<Chunk>());
        Self {
            size,
            len,
            first: AtomicUsize::new(0),
            margin: AtomicUsize::new(0),
            costing: AtomicUsize::new(0),
            aged: AtomicU32::new(0),
            is_returned: AtomicBool::new(false),
            is_due: AtomicBool::new(false),
        }
    }

    /// Bytes of pieces that are in use, or free and not given back.
    pub fn costing_bytes(&self) -> usize {
        self.costing.load(Ordering::Relaxed)
    }

    /// A piece: of the free ones in the first chunk rather one that costs memory. `None`: a chunk is to be [added](Self::add).
    pub fn take(&self) -> Option<usize> {
        let chunk = Chunk::at(self.first.load(Ordering::Relaxed))?;
        let (free, clean) =
            (chunk.free.load(Ordering::Relaxed), chunk.clean.load(Ordering::Relaxed));
        let dirty = free & !clean;
        let index = if dirty != 0 { dirty.trailing_zeros() } else { free.trailing_zeros() };
        chunk.free.store(free & !(1 << index), Ordering::Relaxed);
        chunk.clean.store(clean & !(1 << index), Ordering::Relaxed);
        if dirty == 0 {
            self.costing.raise(self.size);
        }
        if free == 1 << index {
            self.first.store(chunk.next.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        Some(self.piece(chunk, index as usize))
    }

    /// Memory is a chunk from now on, all free.
    /// # Safety
    /// It is of the length of chunks, at a multiple of that, zero, and nobody else's. Or it came from [`map`](Self::map).
    pub unsafe fn add(&self, at: usize) {
        let margin = self.margin.load(Ordering::Relaxed);
        let Some(chunk) = Chunk::at(at + margin) else { return };
        let count = (self.len - 2 * margin - self.head()) / self.size;
        let all = u64::MAX >> (64 - low32(count.min(64)));
        chunk.free.store(all, Ordering::Relaxed);
        chunk.clean.store(all, Ordering::Relaxed);
        chunk.next.store(self.first.replace(chunk.address()), Ordering::Relaxed);
    }

    /// Takes a piece back.
    /// # Safety
    /// It came from here, and nobody uses it any more; stale readers are fine (pieces-V3).
    pub unsafe fn put(&self, piece: usize) {
        let at = align_down(piece, self.len) + self.margin.load(Ordering::Relaxed);
        let Some(chunk) = Chunk::at(at) else { return };
        let free = chunk.free.load(Ordering::Relaxed);
        if free == 0 {
            chunk.next.store(self.first.replace(at), Ordering::Relaxed);
        }
        let index = (piece - at - self.head()) / self.size;
        chunk.free.store(free | 1 << index, Ordering::Relaxed);
        chunk.set(Age::Fresh);
        self.is_returned.store(true, Ordering::Relaxed);
    }

    /// Whether there is something to do at the tick `now`.
    #[inline]
    pub fn wants_look(&self, now: u32) -> bool {
        let is_to_age = self.is_returned.load(Ordering::Relaxed)
            && is_due(self.aged.load(Ordering::Relaxed), now);
        is_to_age || self.is_due.load(Ordering::Relaxed)
    }

    /// A look at the clock, which says `now`: what nobody has taken for a second goes back, a part of it.
    pub fn look<S: PageSource>(&self, source: &S, now: u32) {
        if is_due(self.aged.load(Ordering::Relaxed), now) {
            self.aged.store(now, Ordering::Relaxed);
            self.is_returned.store(false, Ordering::Relaxed);
            for chunk in self.chunks() {
                if chunk.is(Age::Fresh) {
                    chunk.set(Age::Old);
                    self.is_returned.store(true, Ordering::Relaxed);
                } else if chunk.is(Age::Old) {
                    chunk.set(Age::Due);
                    self.is_due.store(true, Ordering::Relaxed);
                }
            }
        }
        let is_more = self.purge_some(source, |chunk| chunk.is(Age::Due)).is_some();
        self.is_due.store(is_more, Ordering::Relaxed);
    }

    /// Gives pages of free pieces back, of a few chunks: the bytes. `None`: no chunk has any that could.
    pub fn trim<S: PageSource>(&self, source: &S) -> Option<usize> {
        self.purge_some(source, |chunk| !chunk.is(Age::Quiet))
    }

    fn purge_some<S: PageSource>(
        &self,
        source: &S,
        wanted: impl Fn(&Chunk) -> bool,
    ) -> Option<usize> {
        let purge = |chunk: &Chunk| {
            chunk.set(Age::Quiet);
            self.purge(source, chunk)
        };
        self.chunks().filter(|chunk| wanted(chunk)).take(AT_ONCE).map(purge).reduce(|a, b| a + b)
    }

    /// Gives the pages back that lie in free pieces of a chunk, but where all of a row is clean; the bytes.
    fn purge<S: PageSource>(&self, source: &S, chunk: &Chunk) -> usize {
        let (mut rest, page, mut gone) =
            (chunk.free.load(Ordering::Relaxed), source.page_size(), 0);
        while rest != 0 {
            let first = rest.trailing_zeros();
            let count = (rest >> first).trailing_ones();
            let row = u64::MAX >> (64 - count) << first;
            rest &= !row;
            let clean = chunk.clean.load(Ordering::Relaxed);
            if clean & row == row {
                continue;
            }
            let piece = |index: u32| self.piece(chunk, index as usize);
            let (from, to) = (align_up(piece(first), page), align_down(piece(first + count), page));
            // SAFETY: pages of free pieces, whose contents nobody needs (pieces-V3).
            if from >= to || !unsafe { source.purge(from, to - from) } {
                continue;
            }
            let is_whole = |index: &u32| {
                piece(*index) >= from && piece(*index + 1) <= to && clean >> index & 1 == 0
            };
            let emptied = (first..first + count).filter(is_whole).map(|index| 1 << index);
            let emptied: u64 = emptied.fold(0, |all, bit: u64| all | bit);
            chunk.clean.store(clean | emptied, Ordering::Relaxed);
            self.costing.lower(emptied.count_ones() as usize * self.size);
            gone += to - from;
        }
        gone
    }

    fn chunks<'a>(&self) -> impl Iterator<Item = &'a Chunk> + use<'a> {
        let next = |chunk: &&Chunk| Chunk::at(chunk.next.load(Ordering::Relaxed));
        core::iter::successors(Chunk::at(self.first.load(Ordering::Relaxed)), next)
    }

    const fn head(&self) -> usize {
        if self.size < HEAD { self.size } else { HEAD }
    }

    fn piece(&self, chunk: &Chunk, index: usize) -> usize {
        chunk.address() + self.head() + index * self.size
    }

    /// A mapping for a chunk, between two guards: no block's overflow reaches it. `None`: out of memory. Needs no lock, and touches
    /// what [`add`](Self::add) writes.
    pub fn map<S: System>(&self, source: &S) -> Option<usize> {
        let guard = guard(source);
        let at = source.reserve(self.len, self.len)?;
        // SAFETY: the middle of what was just reserved.
        if unsafe { source.commit(at + guard, self.len - 2 * guard) } {
            self.margin.store(guard, Ordering::Relaxed);
            if let Some(chunk) = Chunk::at(at + guard) {
                chunk.set(Age::Quiet);
            }
            return Some(at);
        }
        // SAFETY: reserved above, nobody has seen it.
        unsafe { source.release(at, self.len) };
        None
    }
}

#[cfg(test)]
mod tests;

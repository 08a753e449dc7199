//! `Growing`: when the allocator is exhausted, memory from a source; memory that is empty goes back.
//!
//! ```text
//! newest ─► │ added to the allocator … │ record │ ─► │ added … │ record │ ─► … ─► oldest
//!           ◄──────── one mapping ────────►
//! ```
//!
//! - **growing-G1** each mapping's last bytes are its record; the bytes before it are the allocator's.
//! - **growing-G2** `mapped` is the sum of the mappings' lengths.
//!
//! Layer *compose*. A request that is refused asks the allocator, by [`RoomFor`], what piece of
//! memory would serve it, header, alignment and all, and maps that once: at least a quarter of what
//! is mapped already, up to [`MOST`], so that a heap of n bytes has O(log n) mappings; by halves
//! less, down to what is needed, when the source refuses that much. A pass over
//! the mappings is made when as many bytes have been freed as are in use, so its cost is spread over
//! them, and a heap that is emptied is gone over at each halving.
use core::alloc::Layout;
use core::ops::ControlFlow;
use core::ptr::{self, NonNull};

use base::bits::{align_down, align_up};
use base::{AddMemory, BlockAllocator, BlockStats, Free, RemoveMemory, Stats, UsableSize, Walk};
use source::PageSource;

use crate::pass_on::pass_on;

mod fresh;
mod room;

pub use fresh::AllocateFresh;
pub use room::RoomFor;

/// The first mapping, where a request does not need more.
pub const FIRST: usize = 1 << 20;

/// The most that is mapped ahead of need. Pages that are not written cost nothing, but where the
/// process has locked its memory (`mlockall`): there a quarter ahead is the most it pays.
pub const MOST: usize = 64 << 20;

/// A quarter of what is mapped is mapped ahead: one part in `AHEAD`.
const AHEAD: usize = 4;

#[derive(Debug)]
struct Record {
    older: Option<NonNull<Record>>,
    start: usize,
    len: usize,
}

/// Records are cut off so that what is before them ends at a multiple of this.
const RECORD: usize = align_up(size_of::<Record>(), 64);

/// `A` with memory from `S`, to which mappings without a live block go back, but for the oldest.
#[derive(Debug)]
pub struct Growing<A, S> {
    inner: A,
    source: S,
    newest: Option<NonNull<Record>>,
    mapped: usize,
    /// Bytes freed since the last pass.
    freed: usize,
    /// At how many of them the next look is due.
    due: usize,
    /// How often the allocator refused a request that was then served.
    grown: usize,
}

// SAFETY: the records are in memory that is the allocator's alone.
unsafe impl<A: Send, S: Send> Send for Growing<A, S> {}

/// Can give memory back to where it came from.
pub trait Trim {
    /// Gives back what is free now, whole pages within free memory too; the bytes.
    fn trim(&mut self) -> usize;
}

impl<A, S> Growing<A, S> {
    /// Around `inner`, on `source`. Nothing is mapped before the first request.
    pub const fn new(inner: A, source: S) -> Self {
        Self { inner, source, newest: None, mapped: 0, freed: 0, due: FIRST, grown: 0 }
    }

    /// What it is around.
    pub const fn inner(&self) -> &A {
        &self.inner
    }

    /// Where its memory comes from.
    pub const fn source(&self) -> &S {
        &self.source
    }

    /// Whether the block lies in what was mapped last.
    fn is_in_newest(&self, block: NonNull<u8>) -> bool {
        self.newest.is_some_and(|record| {
            // SAFETY: growing-G1.
            let Record { start, len, .. } = unsafe { record.read() };
            block.addr().get().wrapping_sub(start) < len
        })
    }

    /// Bytes mapped.
    pub const fn mapped(&self) -> usize {
        self.mapped
    }
}

impl<A, S> Growing<A, S>
where
    A: BlockAllocator + AddMemory + RoomFor,
    S: PageSource,
{
    #[cold]
    #[inline(never)]
    fn allocate_slow(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        let room = self.inner.room_for(layout)?;
        self.grow(room)?;
        let block = self.inner.allocate(layout);
        debug_assert!(block.is_some(), "room_for({layout:?}) is too small: {room:?}");
        self.grown += 1;
        block
    }

    /// Adds a mapping with this room. `None`: the source has none, or the allocator refuses.
    fn grow(&mut self, room: Layout) -> Option<()> {
        let page = self.source.page_size();
        let need = room.size().checked_add(RECORD)?.checked_next_multiple_of(page)?;
        let mut wish = align_up(need.max((self.mapped / AHEAD).clamp(FIRST, MOST)), page);
        loop {
            if self.map(wish, room.align()).is_some() {
                return Some(());
            }
            if wish == need {
                return None;
            }
            wish = align_up(wish / 2, page).max(need);
        }
    }

    fn map(&mut self, len: usize, align: usize) -> Option<()> {
        let at = self.source.map(len, align.max(self.source.page_size()))?;
        let start = ptr::with_exposed_provenance_mut::<u8>(at);
        let usable = len - RECORD;
        // SAFETY: the mapping is ours, and is the allocator's until it gives it up.
        if unsafe { self.inner.add_memory(start, usable) }.is_err() {
            self.unmap(at, len);
            return None;
        }
        let record = NonNull::new(start.wrapping_add(usable))?.cast::<Record>();
        // SAFETY: the mapping's last bytes, which were not added.
        unsafe { record.write(Record { older: self.newest, start: at, len }) };
        self.newest = Some(record);
        self.mapped += len;
        Some(())
    }
}

impl<A: RemoveMemory + Stats, S: PageSource> Growing<A, S> {
    #[inline]
    fn count(&mut self, size: usize) {
        self.freed = self.freed.saturating_add(size);
        if self.freed >= self.due {
            self.look();
        }
    }

    /// Makes a pass if it is time; says when to look again: half way to the next, at the earliest.
    #[cold]
    #[inline(never)]
    fn look(&mut self) {
        let used = self.inner.stats().used;
        if self.freed >= used {
            self.give_back();
        }
        let left = used.saturating_sub(self.freed);
        self.due = self.freed.saturating_add((left / 2).max(FIRST));
    }
}

/// Every mapping in which nothing is live, but for the oldest, and the pages within free memory.
/// O(pieces).
impl<A: Walk + RoomFor + RemoveMemory + Stats, S: PageSource> Trim for Growing<A, S> {
    fn trim(&mut self) -> usize {
        let mut bytes = self.give_back();
        let page = self.source.page_size();
        self.inner.walk(&mut |piece| {
            let from = align_up(piece.at.saturating_add(A::EDGE), page);
            let to = align_down((piece.at + piece.len).saturating_sub(A::EDGE), page);
            // SAFETY: mapped, free, and between what the allocator keeps at the ends.
            if !piece.used && from < to && unsafe { self.source.purge(from, to - from) } {
                bytes += to - from;
            }
            ControlFlow::Continue(())
        });
        bytes
    }
}

impl<A: RemoveMemory + Stats, S: PageSource> Growing<A, S> {
    /// Gives back every mapping in which nothing is live, but for the oldest; the bytes. O(mappings).
    #[cold]
    #[inline(never)]
    pub fn give_back(&mut self) -> usize {
        self.freed = 0;
        let before = self.mapped;
        let mut at = self.newest;
        let mut newer: Option<NonNull<Record>> = None;
        while let Some(record) = at {
            // SAFETY: growing-G1.
            let Record { older, start, len } = unsafe { record.read() };
            at = older;
            let mapping = ptr::with_exposed_provenance_mut(start);
            if older.is_none() || self.inner.remove_memory(mapping).is_err() {
                newer = Some(record);
                continue;
            }
            match newer {
                // SAFETY: growing-G1, and records are only touched here.
                Some(newer) => unsafe { (*newer.as_ptr()).older = older },
                None => self.newest = older,
            }
            self.mapped -= len;
            self.unmap(start, len);
        }
        before - self.mapped
    }
}

impl<A, S: PageSource> Growing<A, S> {
    fn unmap(&self, at: usize, len: usize) {
        // SAFETY: one of our mappings, which the allocator does not have or has given up. A
        // source that refuses keeps the addresses; nothing depends on it.
        unsafe { self.source.release(at, len) };
    }
}

// SAFETY: blocks are the inner allocator's, whose memory is mapped until it gives it up.
unsafe impl<A, S: PageSource> BlockAllocator for Growing<A, S>
where
    A: BlockAllocator + RemoveMemory + RoomFor + Stats,
{
    #[inline]
    fn allocate(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        match self.inner.allocate(layout) {
            None => self.allocate_slow(layout),
            block => block,
        }
    }

    #[inline]
    unsafe fn deallocate(&mut self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.inner.deallocate(block, layout) };
        self.count(layout.size());
    }

    #[inline]
    unsafe fn reallocate(
        &mut self,
        block: NonNull<u8>,
        layout: Layout,
        new_size: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise.
        if let Some(same) = unsafe { self.inner.reallocate(block, layout, new_size) } {
            return Some(same);
        }
        // SAFETY: the caller's promise about `new_size`.
        let wanted = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        let new = self.allocate_slow(wanted)?;
        // SAFETY: both are live, of at least the lesser size, and apart.
        unsafe { new.copy_from_nonoverlapping(block, layout.size().min(new_size)) };
        // SAFETY: the caller gives it up.
        unsafe { self.deallocate(block, layout) };
        Some(new)
    }
}

impl<A, S: PageSource> Free for Growing<A, S>
where
    A: Free + UsableSize + RemoveMemory + RoomFor + Stats,
{
    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>) {
        // SAFETY: the caller's block.
        let size = unsafe { self.inner.usable_size(block) };
        // SAFETY: the caller's promise.
        unsafe { self.inner.free(block) };
        self.count(size);
    }
}

/// A request that was served after growing is no failure.
impl<A: Stats, S> Stats for Growing<A, S> {
    fn stats(&self) -> BlockStats {
        let stats = self.inner.stats();
        BlockStats { failures: stats.failures.saturating_sub(self.grown), ..stats }
    }
}

impl<A: RoomFor, S> RoomFor for Growing<A, S> {
    const EDGE: usize = A::EDGE;

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        self.inner.room_for(layout)
    }
}

pass_on! { [A, S] Growing<A, S>: UsableSize ResizeInPlace Owns Walk Check }

#[cfg(test)]
mod tests;

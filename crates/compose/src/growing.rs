//! `Growing`: when the allocator is exhausted, memory from a source; memory that is empty goes back.
//!
//! ```text
//! newest ─► │ added to the allocator … │ record │ ─► │ added … │ record │ ─► … ─► oldest
//!           ◄──────── one mapping ────────►
//! ```
//!
//! - **G1** each mapping's last bytes are its record; the bytes before it are the allocator's.
//! - **G2** `mapped` is the sum of the mappings' lengths.
//!
//! Layer *compose*. A request that is refused asks the allocator, by [`RoomFor`], what piece of
//! memory would serve it, header, alignment and all, and maps that once: at least a quarter of what
//! is mapped already, up to [`MOST`], so that a heap of n bytes has O(log n) mappings; by halves
//! less, down to what is needed, when the source refuses that much. With [`GivesBack`], a pass over
//! the mappings is made when as many bytes have been freed as are in use, so its cost is spread over
//! them, and a heap that is emptied is gone over at each halving.
use core::alloc::Layout;
use core::marker::PhantomData;
use core::ops::ControlFlow;
use core::ptr::{self, NonNull};

use base::bits::{align_down, align_up};
use base::{
    AddMemory, BlockAllocator, BlockStats, Free, RemoveMemory, ResizeInPlace, Stats, UsableSize,
    Walk,
};
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

/// What stands at the end of a mapping.
#[derive(Debug)]
struct Record {
    older: Option<NonNull<Record>>,
    start: usize,
    len: usize,
}

/// Records are cut off so that what is before them ends at a multiple of this.
const RECORD: usize = align_up(size_of::<Record>(), 64);

/// `A` with memory from `S`. `P` says whether memory goes back.
#[derive(Debug)]
pub struct Growing<A, S, P = GivesBack> {
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
    policy: PhantomData<fn(P)>,
}

// SAFETY: the records are in memory that is the allocator's alone.
unsafe impl<A: Send, S: Send, P> Send for Growing<A, S, P> {}

/// Whether memory goes back to the source: [`GivesBack`] or [`Keeps`]. Nobody else's, as what `take` says is unmapped.
pub trait Policy<A>: sealed::Sealed {
    /// Whether passes are made at all.
    const GIVES: bool;

    /// Bytes in use.
    fn used(inner: &A) -> usize;

    /// Whether the allocator gave up the memory that was added at `start`.
    fn take(inner: &mut A, start: *mut u8) -> bool;
}

/// Can give memory back to where it came from.
pub trait Trim {
    /// Gives back what is free now, whole pages within free memory too; the bytes.
    fn trim(&mut self) -> usize;
}

/// Mappings in which nothing is live go back, but for the oldest.
#[derive(Debug, Clone, Copy)]
pub struct GivesBack;

impl<A: RemoveMemory + Stats> Policy<A> for GivesBack {
    const GIVES: bool = true;

    #[inline]
    fn used(inner: &A) -> usize {
        inner.stats().used
    }

    fn take(inner: &mut A, start: *mut u8) -> bool {
        inner.remove_memory(start).is_ok()
    }
}

/// Memory stays, for allocators that cannot give it up.
#[derive(Debug, Clone, Copy)]
pub struct Keeps;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::GivesBack {}
    impl Sealed for super::Keeps {}
}

impl<A> Policy<A> for Keeps {
    const GIVES: bool = false;

    fn used(_inner: &A) -> usize {
        0
    }

    fn take(_inner: &mut A, _start: *mut u8) -> bool {
        false
    }
}

impl<A, S, P> Growing<A, S, P> {
    /// Around `inner`, on `source`. Nothing is mapped before the first request.
    pub const fn new(inner: A, source: S) -> Self {
        Self {
            inner,
            source,
            newest: None,
            mapped: 0,
            freed: 0,
            due: FIRST,
            grown: 0,
            policy: PhantomData,
        }
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
            // SAFETY: G1.
            let Record { start, len, .. } = unsafe { record.read() };
            block.addr().get().wrapping_sub(start) < len
        })
    }

    /// Bytes mapped.
    pub const fn mapped(&self) -> usize {
        self.mapped
    }
}

impl<A, S, P> Growing<A, S, P>
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

impl<A, S: PageSource, P: Policy<A>> Growing<A, S, P> {
    /// Counts what is freed.
    #[inline]
    fn count(&mut self, size: usize) {
        if !P::GIVES {
            return;
        }
        self.freed = self.freed.saturating_add(size);
        if self.freed >= self.due {
            self.look();
        }
    }

    /// Makes a pass if it is time; says when to look again: half way to the next, at the earliest.
    #[cold]
    #[inline(never)]
    fn look(&mut self) {
        let used = P::used(&self.inner);
        if self.freed >= used {
            self.give_back();
        }
        let left = used.saturating_sub(self.freed);
        self.due = self.freed.saturating_add((left / 2).max(FIRST));
    }
}

/// Every mapping in which nothing is live, but for the oldest, and the pages within free memory.
/// O(pieces).
impl<A, S, P> Trim for Growing<A, S, P>
where
    A: Walk + RoomFor,
    S: PageSource,
    P: Policy<A>,
{
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

impl<A, S: PageSource, P: Policy<A>> Growing<A, S, P> {
    /// Gives back every mapping in which nothing is live, but for the oldest; the bytes. O(mappings).
    #[cold]
    #[inline(never)]
    pub fn give_back(&mut self) -> usize {
        self.freed = 0;
        let before = self.mapped;
        let mut at = self.newest;
        let mut newer: Option<NonNull<Record>> = None;
        while let Some(record) = at {
            // SAFETY: G1.
            let Record { older, start, len } = unsafe { record.read() };
            at = older;
            let taken = older.is_some()
                && P::take(&mut self.inner, ptr::with_exposed_provenance_mut(start));
            if !taken {
                newer = Some(record);
                continue;
            }
            match newer {
                // SAFETY: G1, and records are only touched here.
                Some(newer) => unsafe { (*newer.as_ptr()).older = older },
                None => self.newest = older,
            }
            self.mapped -= len;
            self.unmap(start, len);
        }
        before - self.mapped
    }
}

impl<A, S: PageSource, P> Growing<A, S, P> {
    fn unmap(&self, at: usize, len: usize) {
        // SAFETY: one of our mappings, which the allocator does not have or has given up. A
        // source that refuses keeps the addresses; nothing depends on it.
        unsafe { self.source.release(at, len) };
    }
}

// SAFETY: blocks are the inner allocator's, whose memory is mapped until it gives it up.
unsafe impl<A, S, P> BlockAllocator for Growing<A, S, P>
where
    A: BlockAllocator + AddMemory + RoomFor,
    S: PageSource,
    P: Policy<A>,
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

impl<A, S, P> Free for Growing<A, S, P>
where
    A: Free + UsableSize + AddMemory + RoomFor,
    S: PageSource,
    P: Policy<A>,
{
    #[inline]
    unsafe fn free(&mut self, block: NonNull<u8>) {
        let size = if P::GIVES {
            // SAFETY: the caller's block.
            unsafe { self.inner.usable_size(block) }
        } else {
            0
        };
        // SAFETY: the caller's promise.
        unsafe { self.inner.free(block) };
        self.count(size);
    }
}

impl<A, S, P> ResizeInPlace for Growing<A, S, P>
where
    A: ResizeInPlace + AddMemory + RoomFor,
    S: PageSource,
    P: Policy<A>,
{
    #[inline]
    unsafe fn resize_in_place(&mut self, block: NonNull<u8>, new_size: usize) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.inner.resize_in_place(block, new_size) }
    }
}

/// A request that was served after growing is no failure.
impl<A: Stats, S, P> Stats for Growing<A, S, P> {
    fn stats(&self) -> BlockStats {
        let stats = self.inner.stats();
        BlockStats { failures: stats.failures.saturating_sub(self.grown), ..stats }
    }
}

impl<A: RoomFor, S, P> RoomFor for Growing<A, S, P> {
    const EDGE: usize = A::EDGE;

    fn room_for(&self, layout: Layout) -> Option<Layout> {
        self.inner.room_for(layout)
    }
}

pass_on! { [A, S, P] Growing<A, S, P>: UsableSize Owns Walk Check }

#[cfg(test)]
mod tests;

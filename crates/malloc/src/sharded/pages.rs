//! Pages of one block size, with three lists, and the segments of 4 MiB that they are in.
//!
//! ```text
//! segment, 4 MiB at a multiple of it: 64 slices of 64 KiB
//! [ head: free, clean │ descriptor × 64 │ page │ page │ a page of 512 KiB │ one block of 5 slices │ … ]
//!
//! page   free         what the next mallocs take
//!        local_free   what the thread itself freed: becomes `free` when that is used up
//!        thread_free  what others freed (module `thread_free`)
//! ```
//!
//! - **pages-A1** of a page `used + free + local_free + fresh` is its capacity; what is on `thread_free` and on its way is used.
//! - **pages-A2** a segment's free pieces (module `chunks`) are the slices that are in no page.
//! - **pages-A3** only the owner's thread writes, but for `thread_free` and a heap's list of delayed blocks.
//!
//! After Leijen, Zorn and de Moura, "Mimalloc: Free List Sharding in Action", 2019, sections 2 and 3.
use base::bits::{low8, low32};
use base::sync::{AtomicU8, AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use source::Report;

use super::shuffle::Shuffle;
use super::thread_free::ThreadFree;
use crate::chunks::{Chunk, PIECE, Pieces};
use crate::links::{self, Linked, List, next_of, set_next};
use crate::misuse::{self, Misuse};

pub(super) const SLICE: usize = PIECE;
pub(super) const SEGMENT: usize = 4 << 20;
pub(super) const SLICES: usize = SEGMENT / SLICE;
/// Where the first slice's blocks begin.
pub(super) const HEAD: usize = 16 << 10;
/// Slices of a page of medium blocks: 512 KiB.
pub(super) const MEDIUM: usize = 8;
/// The largest small block: eight in a page.
pub(super) const MAX_SMALL: usize = SLICE / 8;
/// What is counted in the length of a single block.
const UNIT: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No page, or a slice inside of one.
    None = 0,
    /// In its class's queue: it has blocks, or may have.
    Queued = 1,
    /// On the heap's list of full pages.
    Full = 2,
    /// In an abandoned segment.
    Left = 3,
}

/// A page's descriptor. The second cache line is for other threads.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Page {
    links: [AtomicUsize; 2],
    /// What the next mallocs take.
    pub(super) free: AtomicUsize,
    local_free: AtomicUsize,
    start: AtomicUsize,
    /// The heap it belongs to.
    heap: AtomicUsize,
    pub(super) used: AtomicU32,
    fresh: AtomicU32,
    /// Blocks; of a single block its length in units of 4 KiB.
    capacity: AtomicU32,
    class: AtomicU8,
    slices: AtomicU8,
    state: AtomicU8,
    pub(super) thread_free: ThreadFree,
}

// SAFETY: its segment is given back when it is on no list.
unsafe impl Linked for Page {
    fn links(&self) -> &[AtomicUsize; 2] {
        &self.links
    }
}

pub(super) type Pages = List<Page>;

impl Page {
    pub(super) fn start(&self) -> usize {
        self.start.load(Ordering::Relaxed)
    }

    pub(super) fn heap(&self) -> usize {
        self.heap.load(Ordering::Acquire)
    }

    pub(super) fn set_heap(&self, heap: usize) {
        self.heap.store(heap, Ordering::Release);
    }

    /// The class of its blocks; 0: it is one block.
    #[inline(always)]
    pub(super) fn class(&self) -> usize {
        usize::from(self.class.load(Ordering::Relaxed))
    }

    pub(super) fn slices(&self) -> usize {
        usize::from(self.slices.load(Ordering::Relaxed))
    }

    pub(super) fn used(&self) -> u32 {
        self.used.load(Ordering::Relaxed)
    }

    pub(super) fn is(&self, state: State) -> bool {
        self.state.load(Ordering::Relaxed) == state as u8
    }

    pub(super) fn set_state(&self, state: State) {
        self.state.store(state as u8, Ordering::Relaxed);
    }

    /// It is a page of `size` bytes a block from now on; or with class 0 one block of `len` bytes.
    pub(super) fn open(&self, heap: usize, class: usize, size: usize, start: usize, len: usize) {
        let capacity = if class == 0 { len.div_ceil(UNIT) } else { len / size };
        self.start.store(start, Ordering::Relaxed);
        self.free.store(0, Ordering::Relaxed);
        self.local_free.store(0, Ordering::Relaxed);
        self.used.store(u32::from(class == 0), Ordering::Relaxed);
        self.capacity.store(low32(capacity), Ordering::Relaxed);
        self.fresh.store(if class == 0 { 0 } else { low32(capacity) }, Ordering::Relaxed);
        self.thread_free.clear();
        self.class.store(low8(class), Ordering::Relaxed);
        self.set_heap(heap);
    }

    /// Takes the next of `free`; 0: there is none.
    #[inline(always)]
    pub(super) fn pop(&self) -> usize {
        let block = self.free.load(Ordering::Relaxed);
        if block != 0 {
            self.free.store(next_of(block), Ordering::Relaxed);
            self.used.raise(1);
        }
        block
    }

    /// Its thread frees a block; what is left in use. `None`: it freed that one last.
    #[inline(always)]
    pub(super) fn push(&self, block: usize) -> Option<u32> {
        let last = self.local_free.load(Ordering::Relaxed);
        if last == block {
            return None;
        }
        set_next(block, last);
        self.local_free.store(block, Ordering::Relaxed);
        let used = self.used.load(Ordering::Relaxed).wrapping_sub(1);
        self.used.store(used, Ordering::Relaxed);
        Some(used)
    }

    /// What was freed becomes `free`, by others and by its thread. `true`: there is some.
    pub(super) fn collect<R: Report>(&self) -> bool {
        self.collect_theirs::<R>();
        if self.free.load(Ordering::Relaxed) == 0 {
            self.free.store(self.local_free.replace(0), Ordering::Relaxed);
        }
        self.free.load(Ordering::Relaxed) != 0
    }

    /// What others freed is the page's own again. No block is touched, but where each of the three lists has some.
    pub(super) fn collect_theirs<R: Report>(&self) {
        let Some((first, count)) = self.thread_free.take() else { return };
        let end_for = |block| misuse::end::<R>("free()", block, Misuse::Free);
        let used = self.used().checked_sub(count).unwrap_or_else(|| end_for(first));
        self.used.store(used, Ordering::Relaxed);
        let is_first = self.free.load(Ordering::Relaxed) == 0;
        let list = if is_first { &self.free } else { &self.local_free };
        let behind = list.load(Ordering::Relaxed);
        if behind != 0 {
            let next = |block, _| Some(next_of(block)).filter(|&next| next != 0).unwrap_or(block);
            let last = (1..count).fold(first, next);
            if next_of(last) != 0 {
                end_for(last);
            }
            set_next(last, behind);
        }
        list.store(first, Ordering::Relaxed);
    }

    /// Whether it has blocks that were never used.
    pub(super) fn has_fresh(&self) -> bool {
        self.fresh.load(Ordering::Relaxed) != 0
    }

    /// Makes up to `most` blocks of what was never used. `true`: there are some.
    pub(super) fn extend(&self, size: usize, most: usize, shuffle: &Shuffle) -> bool {
        let fresh = self.fresh.load(Ordering::Relaxed);
        let count = (fresh as usize).min(most);
        let begin = self.start() + (self.capacity.load(Ordering::Relaxed) - fresh) as usize * size;
        match shuffle.order(count) {
            None => self.link((0..count).rev().map(|index| begin + index * size)),
            Some(order) => {
                self.link(order[..count].iter().map(|&index| begin + usize::from(index) * size));
            }
        }
        self.fresh.store(fresh - low32(count), Ordering::Relaxed);
        count > 0
    }

    /// Blocks come to the front of `free`, one after the other.
    #[inline]
    fn link(&self, blocks: impl Iterator<Item = usize>) {
        let mut free = self.free.load(Ordering::Relaxed);
        for block in blocks {
            set_next(block, free);
            free = block;
        }
        self.free.store(free, Ordering::Relaxed);
    }

    /// Whether a block begins at an address in the page.
    pub(super) fn is_block(&self, address: usize, size: usize) -> bool {
        let offset = address.wrapping_sub(self.start());
        offset.is_multiple_of(size)
            && offset / size < self.capacity.load(Ordering::Relaxed) as usize
    }

    /// Bytes of the single block.
    pub(super) fn single_len(&self) -> usize {
        self.capacity.load(Ordering::Relaxed) as usize * UNIT
    }

    /// The single block has `len` bytes from now on. `false`: that takes another number of slices.
    pub(super) fn resize_single(&self, len: usize) -> bool {
        let fits = len > 0 && len.div_ceil(SLICE) == self.slices();
        if fits {
            self.capacity.store(low32(len.div_ceil(UNIT)), Ordering::Relaxed);
        }
        fits
    }

    /// How many of its blocks are nowhere or twice, those on `thread_free` being in use: 0 (pages-A1). O(chains).
    pub(super) fn blocks_off(&self) -> u32 {
        let count = |first: usize| {
            let (mut count, mut block) = (0, first);
            while block != 0 {
                count += 1;
                block = next_of(block);
            }
            count
        };
        let lists = [&self.free, &self.local_free].map(|list| count(list.load(Ordering::Relaxed)));
        let sum = self.used() + self.fresh.load(Ordering::Relaxed) + lists[0] + lists[1];
        if self.class() == 0 { 0 } else { sum.abs_diff(self.capacity.load(Ordering::Relaxed)) }
    }
}

/// A segment: what stands at its beginning.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Segment {
    pieces: Pieces,
    slices: Slices,
    pages: [Page; SLICES],
}

/// What others ask of a slice when they free: two lines that change with pages only, while a page's own change with every malloc.
#[derive(Debug)]
#[repr(C, align(64))]
struct Slices {
    /// Slices from the first one of the page to this one.
    back: [AtomicU8; SLICES],
    /// The class of its blocks, where those that others free may wait (module `outbox`).
    class: [AtomicU8; SLICES],
}

const _: () = assert!(size_of::<Segment>() <= HEAD, "the head has its place");

// SAFETY: a chunk is unmapped when it is on no list.
unsafe impl Linked for Segment {
    fn links(&self) -> &[AtomicUsize; 2] {
        self.pieces().links()
    }
}

impl Chunk for Segment {
    const LEN: usize = SEGMENT;
    const HEAD: usize = HEAD;

    fn pieces(&self) -> &Pieces {
        &self.pieces
    }
}

impl Segment {
    #[inline(always)]
    pub(super) fn page_of(&self, address: usize) -> &Page {
        let slice = address / SLICE;
        let back = usize::from(self.slices.back[slice % SLICES].load(Ordering::Relaxed));
        &self.pages[slice.wrapping_sub(back) % SLICES]
    }

    /// Slices that were taken are a page: it, where it begins and how long it is.
    pub(super) fn begin(&self, first: usize, count: usize) -> (&Page, usize, usize) {
        for (back, slice) in self.slices.back[first..first + count].iter().enumerate() {
            slice.store(low8(back), Ordering::Relaxed);
        }
        self.pages[first].slices.store(low8(count), Ordering::Relaxed);
        let head = if first == 0 { HEAD } else { 0 };
        (&self.pages[first], self.piece_at(first) + head, count * SLICE - head)
    }

    /// A page is none any more: its first slice, and how many it had.
    pub(super) fn end(&self, page: &Page) -> (usize, usize) {
        let first = (links::address(page) - links::address(&self.pages)) / size_of::<Page>();
        let count = page.slices();
        for (page, back) in self.pages[first..].iter().zip(&self.slices.back[first..]).take(count) {
            back.store(0, Ordering::Relaxed);
            page.class.store(0, Ordering::Relaxed);
            page.set_state(State::None);
        }
        self.slices.class[first].store(0, Ordering::Relaxed);
        (first, count)
    }

    /// From now on blocks of a page of one slice that others free may wait.
    pub(super) fn let_wait(&self, page: &Page) {
        let first = (links::address(page) - links::address(&self.pages)) / size_of::<Page>();
        self.slices.class[first].store(low8(page.class()), Ordering::Relaxed);
    }

    /// The class of a block that another thread frees, if it may wait. 0: it may not, or is none.
    pub(super) fn waiting_class(&self, address: usize) -> usize {
        let slice = address / SLICE % SLICES;
        usize::from(self.slices.class[slice].load(Ordering::Relaxed))
    }

    pub(super) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter().filter(|page| !page.is(State::None))
    }
}

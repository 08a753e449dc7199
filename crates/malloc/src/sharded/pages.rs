//! Pages of one block size, with three lists, and the segments of 4 MiB that they are in.
//!
//! ```text
//! segment, 4 MiB at a multiple of it: 64 slices of 64 KiB
//! [ head: free, clean │ descriptor × 64 │ page │ page │ a page of 512 KiB │ one block of 5 slices │ … ]
//!
//! page   free         what the next mallocs take
//!        local_free   what the thread itself freed: becomes `free` when that is used up
//!        thread_free  what others freed, and two bits: whether the owner wants to be told (see `Told`)
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

use super::outbox::Chain;
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

/// What a free by another thread does beside pushing its block to `thread_free`: the two low bits of that word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// Nothing: the owner looks at the page by itself.
    No = 0,
    /// The page is full: the block goes to the heap's list of delayed ones instead, once.
    Wanted = 1,
    /// Somebody is doing that: the heap stays until it is done.
    Telling = 2,
}

const BITS: usize = 3;

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
    shared: Shared,
}

#[derive(Debug)]
#[repr(C, align(64))]
struct Shared {
    thread_free: AtomicUsize,
}

impl Linked for Page {
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
        self.shared.thread_free.store(Told::No as usize, Ordering::Relaxed);
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

    /// What was freed becomes `free`, by its thread and by others. `true`: there is some.
    pub(super) fn collect<R: Report>(&self) -> bool {
        self.collect_theirs::<R>();
        if self.free.load(Ordering::Relaxed) == 0 {
            self.free.store(self.local_free.replace(0), Ordering::Relaxed);
        }
        self.free.load(Ordering::Relaxed) != 0
    }

    pub(super) fn collect_theirs<R: Report>(&self) {
        let word = &self.shared.thread_free;
        let mut old = word.load(Ordering::Relaxed);
        loop {
            if old & !BITS == 0 {
                return;
            }
            match word.compare_exchange_weak(old, old & BITS, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => break,
                Err(other) => old = other,
            }
        }
        let mut block = old & !BITS;
        while block != 0 {
            let next = next_of(block);
            if self.used() == 0 || self.push(block).is_none() {
                misuse::end::<R>("free()", block, Misuse::Free);
            }
            block = next;
        }
    }

    /// Whether others have freed something of it.
    pub(super) fn has_theirs(&self) -> bool {
        self.shared.thread_free.load(Ordering::Acquire) & !BITS != 0
    }

    /// Whether it has blocks that were never used.
    pub(super) fn has_fresh(&self) -> bool {
        self.fresh.load(Ordering::Relaxed) != 0
    }

    /// Makes up to `most` blocks of what was never used. `true`: there are some.
    pub(super) fn extend(&self, size: usize, most: usize) -> bool {
        let fresh = self.fresh.load(Ordering::Relaxed);
        let count = (fresh as usize).min(most);
        let begin = self.start() + (self.capacity.load(Ordering::Relaxed) - fresh) as usize * size;
        let mut free = self.free.load(Ordering::Relaxed);
        for index in (0..count).rev() {
            set_next(begin + index * size, free);
            free = begin + index * size;
        }
        self.free.store(free, Ordering::Relaxed);
        self.fresh.store(fresh - low32(count), Ordering::Relaxed);
        count > 0
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

/// The protocol between the owner and those that free its blocks.
impl Page {
    /// Another thread frees a chain of blocks. `Some`: the page is full, and the caller tells its heap, whose address this is, of
    /// the first block, which is not pushed with the others, before it says so with [`told`](Self::told).
    pub(super) fn push_theirs(&self, Chain { first, last }: Chain) -> Option<usize> {
        let word = &self.shared.thread_free;
        let rest = if first == last { 0 } else { next_of(first) };
        let mut old = word.load(Ordering::Relaxed);
        loop {
            let is_wanted = old & BITS == Told::Wanted as usize;
            let (front, told) =
                if is_wanted { (rest, Told::Telling as usize) } else { (first, old & BITS) };
            let new = if front == 0 {
                old & !BITS
            } else {
                set_next(last, old & !BITS);
                front
            };
            let new = new | told;
            match word.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return is_wanted.then(|| self.heap()),
                Err(other) => old = other,
            }
        }
    }

    /// The heap has been told.
    pub(super) fn told(&self) {
        let word = &self.shared.thread_free;
        let mut old = word.load(Ordering::Relaxed);
        while old & BITS == Told::Telling as usize {
            let new = old & !BITS | Told::No as usize;
            match word.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => old = other,
            }
        }
    }

    /// From now on its owner wants to be told, or not. Waits while somebody is telling.
    pub(super) fn want(&self, wanted: bool, wait: impl Fn(&AtomicUsize, usize)) {
        let word = &self.shared.thread_free;
        loop {
            let old = word.load(Ordering::Acquire);
            if old & BITS == Told::Telling as usize {
                wait(word, old);
                continue;
            }
            let new = old & !BITS | usize::from(wanted);
            if word.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }

    /// In the child of a fork: who was telling does not exist, and may not have told. The next to free tells; the owner
    /// of a page that is not full does not want it any more, and changes that when it is. Writes only where somebody was.
    pub(super) fn forget_tellers(&self) {
        let word = &self.shared.thread_free;
        let old = word.load(Ordering::Relaxed);
        if old & BITS == Told::Telling as usize {
            word.store(old & !BITS | Told::Wanted as usize, Ordering::Relaxed);
        }
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

    /// Whether a block of `size` bytes begins at an address in a page of one slice.
    pub(super) fn is_block_in_slice(address: usize, size: usize) -> bool {
        let head = if address % SEGMENT < SLICE { HEAD } else { 0 };
        let Some(offset) = (address % SLICE).checked_sub(head) else { return false };
        low32(offset).is_multiple_of(low32(size)) && offset + size <= SLICE - head
    }

    pub(super) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.pages.iter().filter(|page| !page.is(State::None))
    }
}

//! A page: slices in a row that are cut into blocks of one size, or are one block, or are free; and its descriptor.
//!
//! ```text
//! slices       │ block │ block │ block │ block │ never used …        │
//!                 in use  ●───────►●  free
//!                                      └ fresh: how far blocks were ever handed out
//! descriptors  │ the page's │ back: 1 │ back: 2 │                    one a slice, in the segment's table
//! ```
//!
//! A block that is free begins with the address of the next one. Blocks that were never used are linked 4 KiB at a time, in
//! address order, so that a fresh page's memory is touched as it is needed.
use core::cell::Cell;
use core::ops::Deref;
use core::ptr::NonNull;

use base::bits::low32;
use kernel::size_slabs::class::Class;

/// Bytes of fresh blocks that are linked at a time.
const EXTEND: usize = 4096;

/// What a slice is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No page's first slice; or the segment's edge.
    Inside,
    /// A free span; its first and last slice say so.
    Free,
    /// A page in its class's queue.
    Queued,
    /// A page whose blocks are all in use.
    Full,
    /// One block.
    Single,
}

/// What a free block begins with.
#[derive(Debug)]
struct Block {
    next: Option<NonNull<Block>>,
}

type List = Option<NonNull<Block>>;

/// A slice's descriptor; a page's is that of its first slice.
#[derive(Debug)]
pub(super) struct Page {
    /// Its neighbours in a queue.
    pub(super) next: Cell<Option<PageRef>>,
    pub(super) previous: Cell<Option<PageRef>>,
    free: Cell<List>,
    freed: Cell<List>,
    start: NonNull<u8>,
    size: Cell<usize>,
    /// Where the blocks begin that were never used, from the start.
    fresh: Cell<usize>,
    used: Cell<u32>,
    slices: u32,
    /// Slices from the first one of the page to this one.
    back: u32,
    class: Cell<Option<Class>>,
    state: Cell<State>,
    /// A slice is 2 to the power of this.
    shift: u8,
}

/// A descriptor in a segment's table, which lasts as long as the segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageRef(NonNull<Page>);

impl Deref for PageRef {
    type Target = Page;

    #[inline]
    fn deref(&self) -> &Page {
        // SAFETY: `write` has initialised it, and all that changes is in cells.
        unsafe { self.0.as_ref() }
    }
}

impl PageRef {
    /// Makes a place of the table a slice's descriptor.
    /// The caller promises: the place is in a segment's table, and `start` is its slice.
    pub(super) unsafe fn write(
        place: NonNull<Page>,
        start: NonNull<u8>,
        shift: u8,
        (slices, back): (usize, usize),
        state: State,
    ) -> Self {
        let page = Page {
            next: Cell::new(None),
            previous: Cell::new(None),
            free: Cell::new(None),
            freed: Cell::new(None),
            start,
            size: Cell::new(0),
            fresh: Cell::new(0),
            used: Cell::new(0),
            slices: low32(slices),
            back: low32(back),
            class: Cell::new(None),
            state: Cell::new(state),
            shift,
        };
        // SAFETY: the caller's promise.
        unsafe { place.write(page) };
        Self(place)
    }

    /// One that `write` has made.
    /// The caller promises: it has, and the segment is still there.
    pub(super) unsafe fn at(place: NonNull<Page>) -> Self {
        Self(place)
    }

    /// Makes the `count` slices from the `skip`th on one span, free or not; they are this page's.
    pub(super) fn part(self, skip: usize, count: usize, state: State) -> Self {
        let shift = self.shift;
        let begin = |slice: usize, of: (usize, usize), state| {
            // SAFETY: the slice is one of the page's, and so is its descriptor.
            let place = unsafe { self.0.add(slice) };
            // SAFETY: as above.
            let start = unsafe { self.start.byte_add(slice << shift) };
            // SAFETY: a place of the table with its slice.
            unsafe { Self::write(place, start, shift, of, state) }
        };
        if count > 1 {
            let last = if state == State::Free { State::Free } else { State::Inside };
            begin(skip + count - 1, (1, count - 1), last);
        }
        begin(skip, (count, 0), state)
    }

    /// The span or page that ends where this one begins, if it is free.
    pub(super) fn free_before(self) -> Option<Self> {
        // SAFETY: the table has an edge in front of the first slice.
        let last = Self(unsafe { self.0.sub(1) });
        // SAFETY: the last slice of a span says how far back its first one is.
        (last.state() == State::Free).then(|| Self(unsafe { last.0.sub(last.back as usize) }))
    }

    /// What begins where this one ends, if it is free.
    pub(super) fn free_behind(self) -> Option<Self> {
        // SAFETY: the table has an edge behind the last slice.
        let next = Self(unsafe { self.0.add(self.slices()) });
        (next.state() == State::Free).then_some(next)
    }

    /// The page that this slice belongs to.
    #[inline]
    pub(super) fn first(self) -> Self {
        // SAFETY: the page's first slice is as far back.
        Self(unsafe { self.0.sub(self.back as usize) })
    }

    /// Its slices are blocks of a class.
    pub(super) fn open(self, class: Class) {
        // Every block may be asked for: each slice leads to the first.
        for back in 1..self.slices() {
            // SAFETY: a slice of the page.
            let place = unsafe { self.0.add(back) };
            // SAFETY: a place of the table; an inner slice's start is never asked for.
            unsafe { Self::write(place, self.start, self.shift, (1, back), State::Inside) };
        }
        self.class.set(Some(class));
        self.size.set(class.size());
        self.state.set(State::Queued);
    }
}

impl Page {
    /// Its slices are one block.
    pub(super) fn open_single(&self) {
        self.state.set(State::Single);
        self.size.set(self.len());
        self.used.set(1);
    }

    #[inline]
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Bytes of a block.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.size.get()
    }

    pub(super) fn shift(&self) -> u8 {
        self.shift
    }

    pub(super) fn slices(&self) -> usize {
        self.slices as usize
    }

    pub(super) fn len(&self) -> usize {
        self.slices() << self.shift
    }

    /// `None`: it is one block, or free.
    pub(super) fn class(&self) -> Option<Class> {
        self.class.get()
    }

    pub(super) fn state(&self) -> State {
        self.state.get()
    }

    pub(super) fn set_state(&self, state: State) {
        self.state.set(state);
    }

    pub(super) fn used(&self) -> usize {
        self.used.get() as usize
    }

    pub(super) fn is_unused(&self) -> bool {
        self.used.get() == 0
    }

    /// Takes the next of `free`.
    #[inline]
    pub(super) fn pop(&self) -> Option<NonNull<u8>> {
        let block = self.free.get()?;
        // SAFETY: a free block of the page, which begins with a link.
        self.free.set(unsafe { block.as_ref() }.next);
        self.used.set(self.used.get() + 1);
        Some(block.cast())
    }

    /// A block comes back. `true`: the page has none in use any more, or had none that was free.
    #[inline]
    pub(super) fn push(&self, block: NonNull<u8>) -> bool {
        let block = block.cast::<Block>();
        // SAFETY: nobody uses the block any more; it is at least a word long, and aligned so.
        unsafe { block.write(Block { next: self.freed.get() }) };
        self.freed.set(Some(block));
        let used = self.used.get() - 1;
        self.used.set(used);
        used == 0 || self.state.get() == State::Full
    }

    /// A block of what came back, else of what was never used. `None`: all are in use.
    pub(super) fn refill(&self) -> Option<NonNull<u8>> {
        if self.free.get().is_none() {
            self.free.set(self.freed.take());
        }
        if self.free.get().is_none() {
            self.extend();
        }
        self.pop()
    }

    /// Links up to 4 KiB of blocks that were never used, or one.
    fn extend(&self) {
        let (size, from) = (self.size.get(), self.fresh.get());
        let room = (self.len() - from) / size;
        let count = room.min((EXTEND / size).max(1));
        let mut free = None;
        for index in (0..count).rev() {
            // SAFETY: the block lies in the page.
            let block = unsafe { self.start.byte_add(from + index * size) }.cast::<Block>();
            // SAFETY: nobody has used it yet.
            unsafe { block.write(Block { next: free }) };
            free = Some(block);
        }
        self.free.set(free);
        self.fresh.set(from + count * size);
    }

    /// The blocks on both lists, and those never used; `None`: a list leaves the page, or a block is on one twice.
    pub(super) fn free_blocks(&self) -> Option<usize> {
        let (start, size, fresh) = (self.start.addr().get(), self.size(), self.fresh.get());
        let room = fresh / size;
        let mut listed = 0;
        for list in [self.free.get(), self.freed.get()] {
            let mut at = list;
            while let Some(block) = at {
                let offset = block.addr().get().wrapping_sub(start);
                listed += 1;
                if offset >= fresh || !offset.is_multiple_of(size) || listed > room {
                    return None;
                }
                // SAFETY: a block of the page, and on a list.
                at = unsafe { block.as_ref() }.next;
            }
        }
        Some(listed + (self.len() - fresh) / size)
    }

    /// Blocks that it has room for.
    pub(super) fn room(&self) -> usize {
        self.len() / self.size()
    }
}

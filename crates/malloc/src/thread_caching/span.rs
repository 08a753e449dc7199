//! Spans: a row of pages, and what is known of it.
//!
//! ```text
//! span  [ object │ object │ … │ never handed out ]     of a class: `free` is a chain of objects, `fresh` counts the rest
//! span  [ one block                              ]     large
//! span  [ free pages                             ]     kept (dirty) or returned (zero)
//! ```
//!
//! - **span-S1** `start`, `pages` and `class` do not change while a block of the span is live.
//! - **span-S2** of a class's span `used + chain + fresh` is the class's number of objects.
//!
//! Descriptors are never unmapped: who follows a map entry that is no more true finds a span, and asks it.
use base::bits::{low8, low32};
use base::sync::{AtomicU8, AtomicU32, AtomicUsize, OneWriter as _, Ordering};

use super::classes::{Info, info};
use super::pages::{PAGE, PAGE_SHIFT};
use crate::links::{self, Chain, Linked, next_of, set_next};

/// What a span is. A number that nobody wrote yet is none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// A spare descriptor.
    None = 0,
    /// Objects of a class, or one large block.
    Used = 1,
    /// Free pages that cost memory.
    Kept = 2,
    /// Free pages that are zero and cost none.
    Returned = 3,
    /// On their way to the system, outside of the lock.
    Leaving = 4,
    /// Free pages that cost memory, as they were freed: not joined yet.
    Whole = 5,
}

/// A descriptor. Guarded by the class's lock, or the page heap's; atomics, so that a reader that comes too late reads a number.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Span {
    links: [AtomicUsize; 2],
    start: AtomicUsize,
    /// The first object that is free again; 0: none.
    pub(super) free: AtomicUsize,
    pages: AtomicU32,
    /// Objects that are not here.
    pub(super) used: AtomicU32,
    /// Objects that nobody ever had, at the end.
    pub(super) fresh: AtomicU32,
    class: AtomicU8,
    state: AtomicU8,
}

impl Span {
    pub(super) fn address(&self) -> usize {
        links::address(self)
    }

    pub(super) fn start(&self) -> usize {
        self.start.load(Ordering::Relaxed)
    }

    pub(super) fn pages(&self) -> usize {
        self.pages.load(Ordering::Relaxed) as usize
    }

    pub(super) fn len(&self) -> usize {
        self.pages() << PAGE_SHIFT
    }

    pub(super) fn end(&self) -> usize {
        self.start() + self.len()
    }

    /// The class of its objects; 0: it is one block, or none.
    pub(super) fn class(&self) -> usize {
        usize::from(self.class.load(Ordering::Relaxed))
    }

    pub(super) fn is(&self, state: State) -> bool {
        self.state.load(Ordering::Relaxed) == state as u8
    }

    pub(super) fn set_state(&self, state: State) {
        self.state.store(state as u8, Ordering::Relaxed);
    }

    /// It is these pages from now on.
    pub(super) fn set_range(&self, start: usize, pages: usize) {
        self.start.store(start, Ordering::Relaxed);
        self.pages.store(low32(pages), Ordering::Relaxed);
    }

    /// It is in use from now on: for objects of a class, or one block.
    pub(super) fn open(&self, class: usize) {
        let objects = if class == 0 { 0 } else { self.objects(info(class)) };
        self.class.store(low8(class), Ordering::Relaxed);
        self.used.store(0, Ordering::Relaxed);
        self.free.store(0, Ordering::Relaxed);
        self.fresh.store(objects, Ordering::Relaxed);
        self.set_state(State::Used);
    }

    /// Whether it begins at `address` and is one live block.
    pub(super) fn is_block_at(&self, address: usize) -> bool {
        self.is(State::Used) && self.class() == 0 && self.start() == address
    }

    pub(super) fn has_free(&self) -> bool {
        self.free.load(Ordering::Relaxed) != 0 || self.fresh.load(Ordering::Relaxed) != 0
    }
}

pub(super) type List = links::List<Span>;

// SAFETY: descriptors are never unmapped.
unsafe impl Linked for Span {
    fn links(&self) -> &[AtomicUsize; 2] {
        &self.links
    }
}

/// Objects of a span, for its class: both need its lock.
impl Span {
    /// How many it has room for.
    pub(super) fn objects(&self, info: &Info) -> u32 {
        low32(self.len() / info.size as usize)
    }

    /// Hands out objects until `chain` has `want`, or there are none: each goes to the chain's front.
    pub(super) fn take(&self, info: &Info, want: u32, chain: &mut Chain) {
        let size = info.size as usize;
        let before = chain.count;
        let mut free = self.free.load(Ordering::Relaxed);
        while chain.count < want && free != 0 {
            let next = next_of(free);
            chain.push(free);
            free = next;
        }
        self.free.store(free, Ordering::Relaxed);
        let fresh = self.fresh.load(Ordering::Relaxed);
        let more = fresh.min(want - chain.count);
        // The fresh ones are the last; the lowest goes first.
        let begin = self.start() + (self.objects(info) - fresh) as usize * size;
        for index in (0..more as usize).rev() {
            chain.push(begin + index * size);
        }
        self.fresh.store(fresh - more, Ordering::Relaxed);
        self.used.raise(chain.count - before);
    }

    /// Free objects of the chain. O(chain).
    pub(super) fn count_free(&self) -> u32 {
        let mut count = 0;
        let mut free = self.free.load(Ordering::Relaxed);
        while free != 0 {
            count += 1;
            free = next_of(free);
        }
        count
    }

    pub(super) fn put(&self, object: usize) {
        set_next(object, self.free.load(Ordering::Relaxed));
        self.free.store(object, Ordering::Relaxed);
        self.used.lower(1);
    }

    /// Whether an object begins at an address in the span.
    pub(super) fn is_object(&self, address: usize, size: usize) -> bool {
        (address - self.start()).is_multiple_of(size) && address + size <= self.end()
    }
}

const _: () = assert!(size_of::<Span>() == 64, "a cache line");
const _: () = assert!(PAGE == 1 << PAGE_SHIFT, "one size in two forms");

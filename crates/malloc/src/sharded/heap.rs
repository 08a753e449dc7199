//! A heap: a queue of pages for each class, the pages that serve small sizes, and the blocks of full pages that others freed.
//!
//! ```text
//! direct  [ 16 B │ 32 B │ … │ 1,024 B ] ─► the page whose `free` serves that size
//! bins    [ class 1: page ⇄ page │ class 2: … ]        full: page ⇄ page
//! delayed  block ─► block ─► block                     others push, the owner takes all
//! ```
//!
//! - **H1** a page of a class is in its queue, or full and on the list of full ones; `direct` of a size names the first page of
//!   its class's queue, or nothing.
//! - **H2** a full page wants to be told of the next block that others free (module `pages`), so that it comes back.
use base::sync::{AtomicUsize, OneWriter as _, Ordering};
use object::size_class::{CLASSES, class_of, info};
use thread::Member;

use super::pages::{Page, Pages, Segments};
use crate::links::{self, next_of, set_next};

/// The largest size that is looked up directly.
pub(super) const MAX_DIRECT: usize = 1024;
const DIRECT: usize = MAX_DIRECT / 16 + 1;

/// A heap. All zero is an empty one.
#[derive(Debug)]
#[repr(C)]
pub struct Heap {
    /// The record of the thread that it is of.
    thread: AtomicUsize,
    /// The next heap of that thread.
    pub(super) next: AtomicUsize,
    direct: [AtomicUsize; DIRECT],
    pub(super) bins: [Pages; CLASSES],
    pub(super) full: Pages,
    delayed: Delayed,
}

#[derive(Debug)]
#[repr(C, align(64))]
struct Delayed(AtomicUsize);

impl Heap {
    /// The heap at an address; `None` at 0.
    pub(super) fn at<'a>(at: usize) -> Option<&'a Self> {
        links::at(at)
    }

    pub(super) fn address(&self) -> usize {
        links::address(self)
    }

    pub(super) fn thread(&self) -> usize {
        self.thread.load(Ordering::Relaxed)
    }

    /// Empty, and of this thread.
    pub(super) fn reset(&self, thread: usize) {
        self.thread.store(thread, Ordering::Relaxed);
        self.direct.iter().for_each(|page| page.store(0, Ordering::Relaxed));
        self.forget_pages();
        self.delayed.0.store(0, Ordering::Relaxed);
    }

    /// Its pages are on no list any more.
    pub(super) fn forget_pages(&self) {
        self.bins.iter().for_each(Pages::clear);
        self.full.clear();
    }

    /// The page that serves `size`, at most [`MAX_DIRECT`].
    #[inline(always)]
    pub(super) fn direct<'a>(&self, size: usize) -> Option<&'a Page> {
        links::at(self.direct[size.div_ceil(16)].load(Ordering::Relaxed))
    }

    /// The first page of a class's queue has changed (H1).
    pub(super) fn set_direct(&self, class: usize) {
        let size = info(class).size as usize;
        if size > MAX_DIRECT {
            return;
        }
        let page = self.bins[class].first().map_or(0, links::address);
        let mut slot = size / 16;
        while slot > 0 && class_of(slot * 16) == class {
            self.direct[slot].store(page, Ordering::Relaxed);
            slot -= 1;
        }
        if slot == 0 {
            // Blocks of no bytes are the smallest.
            self.direct[0].store(page, Ordering::Relaxed);
        }
    }

    /// A page goes to the front of its class's queue.
    pub(super) fn enqueue(&self, page: &Page) {
        self.bins[page.class()].push(page);
        self.set_direct(page.class());
    }

    /// A page leaves its class's queue.
    pub(super) fn dequeue(&self, page: &Page) {
        self.bins[page.class()].remove(page);
        self.set_direct(page.class());
    }

    /// A block of a full page was freed by another thread.
    pub(super) fn push_delayed(&self, block: usize) {
        let mut old = self.delayed.0.load(Ordering::Relaxed);
        loop {
            set_next(block, old);
            let put = self.delayed.0.compare_exchange_weak(
                old,
                block,
                Ordering::Release,
                Ordering::Relaxed,
            );
            match put {
                Ok(_) => return,
                Err(other) => old = other,
            }
        }
    }

    /// Takes the delayed blocks: each to `free`.
    #[inline]
    pub(super) fn take_delayed(&self, mut free: impl FnMut(usize)) {
        if self.delayed.0.load(Ordering::Relaxed) == 0 {
            return;
        }
        let mut block = self.delayed.0.swap(0, Ordering::Acquire);
        while block != 0 {
            let next = next_of(block);
            free(block);
            block = next;
        }
    }

    /// All its pages.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.bins.iter().chain([&self.full]).flat_map(Pages::iter)
    }
}

/// A thread's record: its segments, and its first heap.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Thread {
    member: Member,
    /// Segments with a free slice, and those without.
    pub(super) roomy: Segments,
    pub(super) packed: Segments,
    /// Free slices that cost memory, and slices in use.
    pub(super) dirty: AtomicUsize,
    pub(super) slices: AtomicUsize,
    /// Its other heaps.
    pub(super) heaps: AtomicUsize,
    pub(super) heap: Heap,
}

impl Thread {
    /// The record at an address.
    ///
    /// # Safety
    ///
    /// `at` is the address of a record of [`Members`](thread::Members) that is one of these, or memory of zeroes for one.
    #[inline(always)]
    pub(super) unsafe fn at<'a>(at: usize) -> &'a Self {
        // SAFETY: the caller's promise; records are never unmapped.
        unsafe { &*core::ptr::with_exposed_provenance(at) }
    }

    pub(super) fn address(&self) -> usize {
        links::address(self)
    }

    /// Empty: for memory that held another thread's.
    pub(super) fn reset(&self) {
        self.roomy.clear();
        self.packed.clear();
        self.dirty.replace(0);
        self.slices.replace(0);
        self.heaps.replace(0);
        self.heap.reset(self.address());
    }
}

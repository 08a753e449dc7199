//! A heap: a queue of pages for each class, the pages that serve small sizes, and the blocks of full pages that others freed.
//!
//! ```text
//! direct  [ 16 B │ 32 B │ … │ 1,024 B ] ─► the page whose `free` serves that size
//! bins    [ class 1: page ⇄ page │ class 2: … ]        full: page ⇄ page
//! delayed  block ─► block ─► block                     others push, the owner takes all
//! ```
//!
//! - **sharded-H1** a page of a class is in its queue, or full and on the list of full ones; `direct` of a size names the first page of
//!   its class's queue, or nothing.
//! - **sharded-H2** a full page wants to be told of the next block that others free (module `pages`), so that it comes back.
//! - **sharded-H3** the only page of a class stays for some slow paths when it is empty (module `idle`).
use base::sync::{AtomicUsize, Ordering};
use object::size_class::{CLASSES, class_of, info};
use thread::{Member, Record};

use super::idle::Idle;
use super::outbox::Outbox;
use super::pages::{Page, Pages, Segment};
use crate::chunks::Owned;
use crate::few::Few;
use crate::links::{self, Queue, push_shared, take_shared};

/// The largest size that is looked up directly.
pub(super) const MAX_DIRECT: usize = 1024;
const DIRECT: usize = MAX_DIRECT / 16 + 1;

/// A heap. All zero is an empty one.
#[derive(Debug)]
#[repr(C)]
pub struct Heap {
    /// The record of the thread that it is of; 0: it was deleted.
    thread: AtomicUsize,
    /// The next on that thread's list.
    pub(super) next: AtomicUsize,
    direct: [AtomicUsize; DIRECT],
    pub(super) bins: [Queue<Page>; CLASSES],
    pub(super) full: Pages,
    pub(super) idle: Idle,
    pub(super) few: Few,
    delayed: Delayed,
}

#[derive(Debug)]
#[repr(C, align(64))]
struct Delayed(AtomicUsize);

impl Heap {
    pub(super) fn at<'a>(at: usize) -> Option<&'a Self> {
        links::at(at)
    }

    pub(super) fn address(&self) -> usize {
        links::address(self)
    }

    pub(super) fn thread(&self) -> usize {
        self.thread.load(Ordering::Relaxed)
    }

    /// Empty, and of this thread; 0: of none.
    pub(super) fn reset(&self, thread: usize) {
        self.thread.store(thread, Ordering::Relaxed);
        self.direct.iter().for_each(|page| page.store(0, Ordering::Relaxed));
        self.bins.iter().for_each(Queue::clear);
        self.full.clear();
        self.idle.clear();
        self.few.clear();
        self.delayed.0.store(0, Ordering::Relaxed);
    }

    /// The page that serves `size`, at most [`MAX_DIRECT`].
    #[inline(always)]
    pub(super) fn direct<'a>(&self, size: usize) -> Option<&'a Page> {
        links::at(self.direct[size.div_ceil(16)].load(Ordering::Relaxed))
    }

    /// The first page of a class's queue has changed (sharded-H1).
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

    /// A page goes to the front of its class's queue: it serves next.
    pub(super) fn enqueue(&self, page: &Page) {
        self.bins[page.class()].push_front(page);
        self.set_direct(page.class());
    }

    /// A page goes to the end of its class's queue: more of it may be free until it serves.
    pub(super) fn enqueue_last(&self, page: &Page) {
        self.bins[page.class()].push_back(page);
        self.set_direct(page.class());
    }

    pub(super) fn dequeue(&self, page: &Page) {
        self.bins[page.class()].remove(page);
        self.set_direct(page.class());
    }

    /// A block of a full page was freed by another thread.
    pub(super) fn push_delayed(&self, block: usize) {
        push_shared(&self.delayed.0, block, block);
    }

    /// Takes the delayed blocks: each to `free`.
    #[inline]
    pub(super) fn take_delayed(&self, free: impl FnMut(usize)) {
        if self.delayed.0.load(Ordering::Relaxed) != 0 {
            take_shared(&self.delayed.0, free);
        }
    }

    /// Takes a page off its list; `None`: there is none left.
    pub(super) fn pop<'a>(&self) -> Option<&'a Page> {
        self.bins.iter().find_map(Queue::pop).or_else(|| self.full.pop())
    }

    pub(super) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.bins.iter().flat_map(Queue::iter).chain(self.full.iter())
    }
}

/// A thread's record: its segments, and its first heap. All zero is an empty one.
#[derive(Debug)]
#[repr(C)]
pub struct Thread {
    member: Member,
    pub(super) segments: Owned<Segment>,
    /// What it freed of others'.
    pub(super) outbox: Outbox,
    /// Its other heaps, and heaps that were deleted.
    pub(super) heaps: AtomicUsize,
    pub(super) spare: AtomicUsize,
    pub(super) heap: Heap,
}

// SAFETY: it begins with a `Member`, and zeroes are an empty one.
unsafe impl Record for Thread {}

impl Thread {
    pub(super) fn address(&self) -> usize {
        links::address(self)
    }
}

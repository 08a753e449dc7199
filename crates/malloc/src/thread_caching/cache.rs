//! A thread's cache: a list of free objects for each class.
//!
//! ```text
//! class   1  [ first │ length │ low │ most │ over ] ─► object ─► object ─► 0
//!         …
//! class 161  [ … ]                                          bytes │ limit
//! ```
//!
//! - **cache-T1** `length` objects are on a list, `low` is the least there were since the last collection.
//! - **cache-T2** `bytes` is what all lists hold.
//!
//! A list may have `most` objects: it begins with one and grows each time that the thread asks the central list, first by
//! one, then by a batch; freeing more than `most` sends a batch to the central list. When the cache holds more than its
//! limit it is collected: of each list half of what was never needed since the last time goes back.
//!
//! Layer *malloc*. A thread's own: no lock and no locked operation. [`Cache::pop`] and [`Cache::push`] are the fast paths.
use core::sync::atomic::compiler_fence;

use base::bits::low32;
use base::sync::{AtomicU32, AtomicUsize, OneWriter as _, Ordering};
use thread::{Member, Record};

use super::central::Chain;
use super::classes::{CLASSES, info};
use crate::links::{next_of, set_next};

/// What a cache may hold at first.
pub(super) const FIRST_LIMIT: usize = 64 << 10;
/// The most a list holds, in objects and in bytes; a batch and one fit in any case.
const MOST: u32 = 8192;
const MOST_BYTES: u32 = 1 << 20;
/// Times that a list was full in a row before it may hold a batch less.
const MOST_OVER: u32 = 3;
/// Requests to the central lists between two looks at the clock.
const REQUESTS: u32 = 64;

/// A class's objects.
#[derive(Debug)]
struct FreeList {
    first: AtomicUsize,
    length: AtomicU32,
    low: AtomicU32,
    most: AtomicU32,
    over: AtomicU32,
}

/// A cache; all zero is an empty one without a limit.
#[derive(Debug)]
#[repr(C)]
pub struct Cache {
    member: Member,
    bytes: AtomicUsize,
    /// What it may hold.
    limit: AtomicUsize,
    /// When it holds more than this it is collected.
    collect_at: AtomicUsize,
    /// The class that was collected last.
    hand: AtomicU32,
    /// Requests to the central lists.
    asked: AtomicU32,
    lists: [FreeList; CLASSES],
}

// SAFETY: it begins with a `Member`, and zeroes are an empty one.
unsafe impl Record for Cache {}

impl Cache {
    /// Empty: for memory that held another thread's.
    pub(super) fn reset(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.limit.store(FIRST_LIMIT, Ordering::Relaxed);
        self.collect_at.store(FIRST_LIMIT, Ordering::Relaxed);
        for list in &self.lists {
            list.first.store(0, Ordering::Relaxed);
            list.length.store(0, Ordering::Relaxed);
            list.low.store(0, Ordering::Relaxed);
            list.most.store(1, Ordering::Relaxed);
            list.over.store(0, Ordering::Relaxed);
        }
    }

    /// The newest object of a class; 0: there is none.
    #[inline(always)]
    pub(super) fn pop(&self, class: usize) -> usize {
        let list = &self.lists[class];
        let object = list.first.load(Ordering::Relaxed);
        if object == 0 {
            return 0;
        }
        list.first.store(next_of(object), Ordering::Relaxed);
        let length = list.length.load(Ordering::Relaxed).wrapping_sub(1);
        list.length.store(length, Ordering::Relaxed);
        if length < list.low.load(Ordering::Relaxed) {
            list.low.store(length, Ordering::Relaxed);
        }
        self.bytes.lower(info(class).size as usize);
        object
    }

    /// Keeps an object of a class. `false`: the list or the cache holds more than it may, see [`excess`](Self::excess).
    #[inline(always)]
    pub(super) fn push(&self, class: usize, object: usize) -> bool {
        let list = &self.lists[class];
        set_next(object, list.first.load(Ordering::Relaxed));
        // Whoever copies the process between the two finds a list that ends.
        compiler_fence(Ordering::Release);
        list.first.store(object, Ordering::Relaxed);
        let length = list.length.raise(1);
        let bytes = self.bytes.raise(info(class).size as usize);
        length <= list.most.load(Ordering::Relaxed)
            && bytes <= self.collect_at.load(Ordering::Relaxed)
    }

    /// Whether an object is the one that came last.
    #[inline(always)]
    pub(super) fn is_newest(&self, class: usize, object: usize) -> bool {
        self.lists[class].first.load(Ordering::Relaxed) == object
    }

    pub(super) fn push_chain(&self, class: usize, chain: Chain) {
        let list = &self.lists[class];
        set_next(chain.last, list.first.load(Ordering::Relaxed));
        compiler_fence(Ordering::Release);
        list.first.store(chain.first, Ordering::Relaxed);
        list.length.raise(chain.count);
        self.bytes.raise(chain.count as usize * info(class).size as usize);
    }

    /// Takes up to `count` objects of a class. In the child of a fork the numbers of another thread's cache may be one off;
    /// the list is not, and is what counts.
    pub(super) fn take_chain(&self, class: usize, count: u32) -> Chain {
        let list = &self.lists[class];
        let first = list.first.load(Ordering::Relaxed);
        let length = list.length.load(Ordering::Relaxed);
        if first == 0 || count == 0 {
            return Chain::NONE;
        }
        let (mut last, mut got) = (first, 1);
        while got < count && next_of(last) != 0 {
            last = next_of(last);
            got += 1;
        }
        list.first.store(next_of(last), Ordering::Relaxed);
        set_next(last, 0);
        let left = length.saturating_sub(got);
        list.length.store(left, Ordering::Relaxed);
        list.low.store(list.low.load(Ordering::Relaxed).min(left), Ordering::Relaxed);
        self.bytes.lower(got as usize * info(class).size as usize);
        Chain { first, last, count: got }
    }

    /// The thread asks a central list: whether it looks at the clock too.
    pub(super) fn looks_at_clock(&self) -> bool {
        self.asked.raise(1).is_multiple_of(REQUESTS)
    }

    /// The thread asks for objects of a class: how many at once, and the list may grow.
    pub(super) fn ask(&self, class: usize) -> u32 {
        let (list, info) = (&self.lists[class], info(class));
        let most = list.most.load(Ordering::Relaxed);
        let larger = if most < info.batch {
            most + 1
        } else {
            (most + info.batch).min(MOST).min((MOST_BYTES / info.size).max(info.batch))
        };
        list.most.store(larger, Ordering::Relaxed);
        most.min(info.batch)
    }

    /// A list holds more than it may: the batch that goes, and the list's new bound. None: it is the cache that is full.
    pub(super) fn excess(&self, class: usize) -> Chain {
        let (list, info) = (&self.lists[class], info(class));
        let most = list.most.load(Ordering::Relaxed);
        let length = list.length.load(Ordering::Relaxed);
        if length <= most {
            return Chain::NONE;
        }
        if most < info.batch {
            list.most.store(most + 1, Ordering::Relaxed);
        } else if most > info.batch && list.over.raise(1) > MOST_OVER {
            list.most.store(most - info.batch, Ordering::Relaxed);
            list.over.store(0, Ordering::Relaxed);
        }
        // A whole batch is kept as one by the central list.
        if length > info.batch { self.take_older(class, info.batch) } else { Chain::NONE }
    }

    /// Takes `count` objects of a class, fewer than it has, and leaves the newest: freed again it is seen.
    fn take_older(&self, class: usize, count: u32) -> Chain {
        let newest = self.pop(class);
        let chain = self.take_chain(class, count);
        self.push(class, newest);
        chain
    }

    /// Whether it is to be collected.
    pub(super) fn is_full(&self) -> bool {
        self.held() > self.collect_at.load(Ordering::Relaxed)
    }

    /// After a collection: it may hold twice as much as before, at most `most`. The next collection is a sixteenth of that
    /// away, or each free would be one while what the lists hold is needed.
    pub(super) fn raise_limit(&self, most: usize) {
        let limit = (self.limit.load(Ordering::Relaxed) * 2).min(most);
        self.limit.store(limit, Ordering::Relaxed);
        self.collect_at.store(limit.max(self.held() + limit / 16), Ordering::Relaxed);
    }

    /// Collects: of one list after the other half of what was not needed since its last time goes to `give`, until the cache
    /// holds an eighth less than it may.
    pub(super) fn collect(&self, mut give: impl FnMut(usize, Chain)) {
        let limit = self.limit.load(Ordering::Relaxed);
        let mut class = self.hand.load(Ordering::Relaxed) as usize;
        for _ in 1..CLASSES {
            if self.held() <= limit - limit / 8 {
                break;
            }
            class = if class + 1 < CLASSES { class + 1 } else { 1 };
            let list = &self.lists[class];
            let low = list.low.load(Ordering::Relaxed);
            if low > 0 {
                let batch = info(class).batch;
                let mut left = low.div_ceil(2);
                while left > 0 {
                    let chain = self.take_chain(class, left.min(batch));
                    left -= chain.count.max(1).min(left);
                    give(class, chain);
                }
                let most = list.most.load(Ordering::Relaxed);
                if most > batch {
                    list.most.store((most - batch).max(batch), Ordering::Relaxed);
                }
            }
            list.low.store(list.length.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.hand.store(low32(class), Ordering::Relaxed);
    }

    pub(super) fn has_some(&self) -> bool {
        self.lists.iter().any(|list| list.first.load(Ordering::Relaxed) != 0)
    }

    pub(super) fn length(&self, class: usize) -> usize {
        self.lists[class].length.load(Ordering::Relaxed) as usize
    }

    pub(super) fn held(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

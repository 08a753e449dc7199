//! A thread's cache: a list of free objects for each class.
//!
//! ```text
//! class   1  [ first │ left │ high │ most │ size ] ─► object ─► object ─► 0
//!         …
//! class 161  [ … ]                      limit │ room left │ used: a bit for each list that ever had an object
//! ```
//!
//! - **cache-T1** a list has `most - left` objects, and `most - high` is the least it had since the last collection. What is left is
//!   counted, and not the objects, as that is what a free looks at: below nothing there are too many.
//! - **cache-T2** `limit - room` is what all lists hold, in bytes.
//! - **cache-T3** a list that may have an object has its bit in `used`.
//!
//! A list may have `most` objects: it begins with one and grows each time that the thread asks the central list, first by
//! one, then by a batch; freeing more than `most` sends a batch to the central list. When the cache holds more than its
//! limit it is collected: of each list half of what was never needed since the last time goes back. The first object that
//! comes to a list is one more than it may have: so its bit is set in a slow path.
//!
//! Layer *malloc*. A thread's own: no lock and no locked operation. [`Cache::pop`] and [`Cache::push`] are the fast paths.
use core::sync::atomic::compiler_fence;

use base::bits::low32;
use base::sync::{AtomicU32, AtomicU64, AtomicUsize, OneWriter as _, Ordering};
use thread::{Member, Record};

use super::classes::{CLASSES, info};
use crate::links::{Chain, next_of, set_next};

/// The most objects of a list.
const MOST: u32 = 8192;
/// Lists: a number of eight bits is always one of them. Those beyond the classes are never touched.
const LISTS: usize = 256;
/// Requests to the central lists between two looks at the clock.
const REQUESTS: u32 = 64;

/// A class's objects.
#[derive(Debug)]
#[repr(C, align(32))]
struct FreeList {
    first: AtomicUsize,
    /// How many more it may have, and the most that was since the last collection: numbers with a sign.
    left: AtomicUsize,
    high: AtomicUsize,
    most: AtomicU32,
    /// Bytes of an object.
    size: AtomicU32,
}

impl FreeList {
    fn most(&self) -> u32 {
        self.most.load(Ordering::Relaxed)
    }

    /// Objects that it has.
    fn length(&self) -> u32 {
        self.beside(&self.left)
    }

    /// The least that it had since the last collection.
    fn low(&self) -> u32 {
        self.beside(&self.high)
    }

    /// What is not left of `most`; in the child of a fork another thread's may be one off.
    fn beside(&self, left: &AtomicUsize) -> u32 {
        let more = self.most() as usize;
        low32(more.wrapping_sub(left.load(Ordering::Relaxed)).cast_signed().max(0).cast_unsigned())
    }

    /// It has so many objects from now on, and fewer than ever if those are.
    fn set_length(&self, length: u32) {
        let left = (self.most() as usize).wrapping_sub(length as usize);
        self.left.store(left, Ordering::Relaxed);
        let high = self.high.load(Ordering::Relaxed).cast_signed().max(left.cast_signed());
        self.high.store(high.cast_unsigned(), Ordering::Relaxed);
    }

    /// It may have so many from now on.
    fn set_most(&self, most: u32) {
        let more = (most as usize).wrapping_sub(self.most() as usize);
        self.left.raise(more);
        self.high.raise(more);
        self.most.store(most, Ordering::Relaxed);
    }
}

/// A cache; all zero is an empty one without a limit.
#[derive(Debug)]
#[repr(C)]
pub struct Cache {
    member: Member,
    /// When it holds more than this it is collected.
    limit: AtomicUsize,
    /// Bytes that it may hold beside what it holds; below nothing when it is full.
    room: AtomicUsize,
    /// The class that was collected last, where a collection does not visit all.
    hand: AtomicU32,
    /// Requests to the central lists.
    asked: AtomicU32,
    used: [AtomicU64; CLASSES.div_ceil(64)],
    lists: [FreeList; LISTS],
}

// SAFETY: it begins with a `Member`, and zeroes are an empty one.
unsafe impl Record for Cache {}

impl Cache {
    /// Empty: for memory that held another thread's.
    pub(super) fn reset(&self, limit: usize) {
        self.limit.store(limit, Ordering::Relaxed);
        self.room.store(limit, Ordering::Relaxed);
        self.used.iter().for_each(|bits| bits.store(0, Ordering::Relaxed));
        for (class, list) in self.lists.iter().enumerate().take(CLASSES) {
            list.first.store(0, Ordering::Relaxed);
            list.left.store(0, Ordering::Relaxed);
            list.high.store(0, Ordering::Relaxed);
            list.most.store(0, Ordering::Relaxed);
            list.size.store(info(class).size, Ordering::Relaxed);
        }
    }

    /// The newest object of a class; 0: there is none.
    #[inline(always)]
    pub(super) fn pop(&self, class: usize) -> usize {
        let list = &self.lists[class % LISTS];
        let object = list.first.load(Ordering::Relaxed);
        if object == 0 {
            return 0;
        }
        list.first.store(next_of(object), Ordering::Relaxed);
        // To count and to look again are fewer instructions than to do both at once: the first is one.
        list.left.raise(1);
        let left = list.left.load(Ordering::Relaxed);
        if left.cast_signed() > list.high.load(Ordering::Relaxed).cast_signed() {
            list.high.store(left, Ordering::Relaxed);
        }
        self.room.raise(list.size.load(Ordering::Relaxed) as usize);
        object
    }

    /// Keeps an object of a class. `Some(false)`: the list or the cache holds more than it may, see [`excess`](Self::excess).
    /// `None`: nothing is done, as it is the one that came last.
    #[inline(always)]
    pub(super) fn push(&self, class: usize, object: usize) -> Option<bool> {
        let list = &self.lists[class % LISTS];
        let newest = list.first.load(Ordering::Relaxed);
        if newest == object {
            return None;
        }
        set_next(object, newest);
        // Whoever copies the process between the two finds a list that ends.
        compiler_fence(Ordering::Release);
        list.first.store(object, Ordering::Relaxed);
        list.left.lower(1);
        self.room.lower(list.size.load(Ordering::Relaxed) as usize);
        let (left, room) = (list.left.load(Ordering::Relaxed), self.room.load(Ordering::Relaxed));
        // Below nothing if one of the two is: one branch for both.
        Some((left | room).cast_signed() >= 0)
    }

    pub(super) fn push_chain(&self, class: usize, chain: Chain) {
        let list = &self.lists[class];
        set_next(chain.last, list.first.load(Ordering::Relaxed));
        compiler_fence(Ordering::Release);
        list.first.store(chain.first, Ordering::Relaxed);
        list.left.lower(chain.count as usize);
        self.room.lower(chain.count as usize * info(class).size as usize);
        self.note_used(class);
    }

    /// Takes up to `count` objects of a class. In the child of a fork the numbers of another thread's cache may be one off;
    /// the list is not, and is what counts.
    pub(super) fn take_chain(&self, class: usize, count: u32) -> Chain {
        let list = &self.lists[class];
        let first = list.first.load(Ordering::Relaxed);
        let length = list.length();
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
        list.set_length(length.saturating_sub(got));
        self.room.raise(got as usize * info(class).size as usize);
        Chain { first, last, count: got }
    }

    /// The thread asks a central list: whether it looks at the clock too.
    pub(super) fn looks_at_clock(&self) -> bool {
        self.asked.raise(1).is_multiple_of(REQUESTS)
    }

    /// A list may have objects from now on (cache-T3).
    fn note_used(&self, class: usize) {
        let bits = &self.used[class / 64];
        bits.store(bits.load(Ordering::Relaxed) | 1 << (class % 64), Ordering::Relaxed);
    }

    /// The thread asks for objects of a class: how many at once, and the list may grow.
    pub(super) fn ask(&self, class: usize) -> u32 {
        let (list, info) = (&self.lists[class], info(class));
        let most = list.most().max(1);
        let larger = if most < info.batch { most + 1 } else { (most + info.batch).min(MOST) };
        list.set_most(larger);
        most.min(info.batch)
    }

    /// A list holds more than it may: the batch that goes, and the list's new bound. None: it is the cache that is full.
    pub(super) fn excess(&self, class: usize) -> Chain {
        self.note_used(class);
        let (list, info) = (&self.lists[class], info(class));
        let (most, length) = (list.most(), list.length());
        if length <= most {
            return Chain::NONE;
        }
        if most < info.batch {
            list.set_most(most + 1);
        }
        // A whole batch is kept as one by the central list.
        if length > info.batch { self.take_older(class, info.batch) } else { Chain::NONE }
    }

    /// Takes `count` objects of a class, fewer than it has, and leaves the newest: freed again it is seen.
    fn take_older(&self, class: usize, count: u32) -> Chain {
        let newest = self.take_chain(class, 1);
        let chain = self.take_chain(class, count);
        self.push_chain(class, newest);
        chain
    }

    /// What it may hold from now on.
    pub(super) fn set_limit(&self, limit: usize) {
        let old = self.limit.replace(limit);
        self.room.raise(limit.wrapping_sub(old));
    }

    /// Whether it is to be collected.
    pub(super) fn is_full(&self) -> bool {
        self.room.load(Ordering::Relaxed).cast_signed() < 0
    }

    /// Collects: of each list half of what was not needed since its last time goes to `give`. `all`: of every list, else of one
    /// after the other until the cache holds an eighth less than it may.
    pub(super) fn collect(&self, all: bool, mut give: impl FnMut(usize, Chain)) {
        let limit = self.limit.load(Ordering::Relaxed);
        let enough = if all { 0 } else { limit - limit / 8 };
        let hand = self.hand.load(Ordering::Relaxed) as usize;
        // The lists behind the hand's, and then from the first on to it.
        for (from, to) in [(hand + 1, CLASSES), (1, hand + 1)] {
            for word in from / 64..to.div_ceil(64) {
                let mut bits = self.used[word].load(Ordering::Relaxed);
                while bits != 0 {
                    let class = word * 64 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    if !(from..to).contains(&class) {
                        continue;
                    }
                    if self.held() <= enough {
                        return;
                    }
                    self.hand.store(low32(class), Ordering::Relaxed);
                    self.collect_list(class, &mut give);
                }
            }
        }
    }

    #[inline]
    fn collect_list(&self, class: usize, give: &mut impl FnMut(usize, Chain)) {
        let list = &self.lists[class];
        let low = list.low();
        if low > 0 {
            let batch = info(class).batch;
            let mut left = low.div_ceil(2);
            while left > 0 {
                let chain = self.take_chain(class, left.min(batch));
                left -= chain.count.max(1).min(left);
                give(class, chain);
            }
            if list.most() > batch {
                list.set_most((list.most() - batch).max(batch));
            }
        }
        list.high.store(list.left.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    pub(super) fn has_some(&self) -> bool {
        self.lists.iter().any(|list| list.first.load(Ordering::Relaxed) != 0)
    }

    pub(super) fn length(&self, class: usize) -> usize {
        self.lists[class].length() as usize
    }

    pub(super) fn held(&self) -> usize {
        self.limit.load(Ordering::Relaxed).wrapping_sub(self.room.load(Ordering::Relaxed))
    }
}

//! The index of a store: entries by key, in a hash table that grows by one bucket at a time.
//!
//! ```text
//! buckets   │ 0 │ 1 │ … │ n−1 │        bucket of a key: as many low bits of its hash as make a number below n
//!             │
//! entries     └─► │ key │ state │ ─next─► │ key │ state │
//!
//! grow        bucket n takes its part of bucket n − 2^k's chain, no other is touched (Litwin, "Linear hashing", 1980)
//! ```
//!
//! - **index-I1** an entry in use is in the chain of its key's bucket, once, and no chain has another.
//! - **index-I2** entries in use are counted.
//! - **index-I3** an entry is marked exactly when it has a page that needs memory of its own: not one word that is repeated.
//!
//! Finding and adding take O(1), also while it grows. A bucket that cannot be had, or may not, is done without. The clock's hand goes
//! from mark to mark, however many entries are free or have only a word.
use core::ptr::NonNull;

use base::check::ensure;
use base::{Broken, PageAllocator};

mod marks;

use marks::Marks;

use crate::table::Table;

const NONE: u32 = u32::MAX;

/// What an entry has: where its page is, the next entry of the chain, and whether it was used of late. One enum, as its
/// parts then lie in 16 bytes.
#[derive(Debug, Clone, Copy)]
enum State<H> {
    Free { next: u32 },
    Same { next: u32, seen: bool, word: u64 },
    Packed { next: u32, seen: bool, handle: H },
    Raw { next: u32, seen: bool, page: NonNull<u8> },
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Held<H> {
    /// All its words are this one.
    Same(u64),
    /// In the heap, compressed, or as it is.
    Packed(H),
    /// In a page of its own.
    Raw(NonNull<u8>),
}

#[derive(Debug, Clone, Copy)]
struct Entry<H> {
    key: u64,
    state: State<H>,
}

impl<H: Copy> Entry<H> {
    const fn next(&self) -> u32 {
        match self.state {
            State::Free { next }
            | State::Same { next, .. }
            | State::Packed { next, .. }
            | State::Raw { next, .. } => next,
        }
    }

    const fn set_next(&mut self, to: u32) {
        match &mut self.state {
            State::Free { next }
            | State::Same { next, .. }
            | State::Packed { next, .. }
            | State::Raw { next, .. } => *next = to,
        }
    }

    const fn seen(&mut self) -> Option<&mut bool> {
        match &mut self.state {
            State::Free { .. } => None,
            State::Same { seen, .. } | State::Packed { seen, .. } | State::Raw { seen, .. } => {
                Some(seen)
            }
        }
    }

    const fn held(&self) -> Option<Held<H>> {
        match self.state {
            State::Free { .. } => None,
            State::Same { word, .. } => Some(Held::Same(word)),
            State::Packed { handle, .. } => Some(Held::Packed(handle)),
            State::Raw { page, .. } => Some(Held::Raw(page)),
        }
    }

    const fn hold(&mut self, held: Held<H>, next: u32, seen: bool) {
        self.state = match held {
            Held::Same(word) => State::Same { next, seen, word },
            Held::Packed(handle) => State::Packed { next, seen, handle },
            Held::Raw(page) => State::Raw { next, seen, page },
        };
    }
}

#[derive(Debug)]
pub(super) struct Index<H> {
    entries: Table<Entry<H>>,
    free: u32,
    buckets: Table<u32>,
    live: usize,
    marks: Marks,
    /// The entry at which [`oldest`](Self::oldest) looks next.
    hand: u32,
}

// SAFETY: the pages of its own are reached through it alone.
unsafe impl<H: Send> Send for Index<H> {}

/// A number in whose low bits all bits of the key count. Of 16 keys in a row the buckets are too, as they often come in
/// such rows.
const fn hash(key: u64) -> u32 {
    let row = key >> 4;
    let mixed = (row ^ (row >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 32) as u32).wrapping_add((key & 15) as u32)
}

impl<H: Copy> Index<H> {
    pub(super) const fn new() -> Self {
        let (entries, buckets, marks) = (Table::new(), Table::new(), Marks::new());
        Self { entries, free: NONE, buckets, live: 0, marks, hand: 0 }
    }

    pub(super) const fn live(&self) -> usize {
        self.live
    }

    /// Entries, in use and free.
    pub(super) const fn entries(&self) -> u32 {
        self.entries.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.bytes() + self.buckets.bytes() + self.marks.bytes()
    }

    #[inline]
    fn bucket(&self, key: u64) -> u32 {
        let (count, hash) = (self.buckets.len(), hash(key));
        let mask = count.next_power_of_two() - 1;
        let bucket = hash & mask;
        if bucket < count { bucket } else { bucket & (mask >> 1) }
    }

    fn first(&self, bucket: u32) -> u32 {
        self.buckets.get(bucket).copied().unwrap_or(NONE)
    }

    #[inline]
    pub(super) fn find(&self, key: u64) -> Option<u32> {
        let mut id = self.first(self.bucket(key));
        while let Some(entry) = self.entries.get(id) {
            if entry.key == key {
                return Some(id);
            }
            id = entry.next();
        }
        None
    }

    pub(super) fn get(&self, id: u32) -> Option<(u64, Held<H>)> {
        let entry = self.entries.get(id)?;
        Some((entry.key, entry.held()?))
    }

    /// As [`get`](Self::get); the entry was used.
    #[inline]
    pub(super) fn see(&mut self, id: u32) -> Option<Held<H>> {
        let entry = self.entries.get_mut(id)?;
        if let Some(seen) = entry.seen().filter(|seen| !**seen) {
            *seen = true;
        }
        entry.held()
    }

    /// Makes sure that the next [`insert`](Self::insert) has room. `false`: there is no memory.
    pub(super) fn reserve<P: PageAllocator>(&mut self, from: &mut P) -> bool {
        if self.buckets.len() == 0 && self.buckets.push(NONE, from).is_none() {
            return false;
        }
        if self.free == NONE {
            if !self.marks.reserve(self.entries.len(), from) {
                return false;
            }
            let entry = Entry { key: 0, state: State::Free { next: NONE } };
            let Some(id) = self.entries.push(entry, from) else { return false };
            self.free = id;
        }
        true
    }

    /// Adds a key that is not there. Nothing happens without room; see [`reserve`](Self::reserve). A bucket more takes `room`
    /// bytes at most.
    pub(super) fn insert<P: PageAllocator>(
        &mut self,
        key: u64,
        held: Held<H>,
        from: &mut P,
        room: usize,
    ) {
        let (id, bucket) = (self.free, self.bucket(key));
        let first = self.first(bucket);
        let Some(entry) = self.entries.get_mut(id) else { return };
        self.free = entry.next();
        entry.key = key;
        entry.hold(held, first, true);
        self.marks.set(id, !matches!(held, Held::Same(_)));
        self.set_first(bucket, id);
        self.live += 1;
        if self.live > self.buckets.len() as usize && self.buckets.next_bytes() <= room {
            self.grow(from);
        }
    }

    fn set_first(&mut self, bucket: u32, id: u32) {
        if let Some(first) = self.buckets.get_mut(bucket) {
            *first = id;
        }
    }

    /// A bucket more, if there is memory for it: it takes what is its from the one that had it.
    fn grow<P: PageAllocator>(&mut self, from: &mut P) {
        let Some(new) = self.buckets.push(NONE, from) else { return };
        let Some(high) = new.checked_ilog2() else { return };
        let old = new ^ (1 << high);
        let mut id = self.first(old);
        let mut chains = [(old, NONE), (new, NONE)];
        while let Some(entry) = self.entries.get(id) {
            let (next, bucket) = (entry.next(), self.bucket(entry.key));
            let chain = usize::from(bucket == new);
            if let Some(entry) = self.entries.get_mut(id) {
                entry.set_next(chains[chain].1);
            }
            chains[chain].1 = id;
            id = next;
        }
        chains.into_iter().for_each(|(bucket, first)| self.set_first(bucket, first));
    }

    /// Gives an entry another page; what it had.
    pub(super) fn replace(&mut self, id: u32, held: Held<H>) -> Option<Held<H>> {
        let entry = self.entries.get_mut(id)?;
        let old = entry.held()?;
        entry.hold(held, entry.next(), true);
        self.marks.set(id, !matches!(held, Held::Same(_)));
        Some(old)
    }

    /// Takes an entry out; what it had. O(chain).
    pub(super) fn remove(&mut self, id: u32) -> Option<Held<H>> {
        let entry = *self.entries.get(id)?;
        let (held, next) = (entry.held()?, entry.next());
        let bucket = self.bucket(entry.key);
        let mut before = self.first(bucket);
        if before == id {
            self.set_first(bucket, next);
        } else {
            while let Some(entry) = self.entries.get_mut(before) {
                if entry.next() == id {
                    entry.set_next(next);
                    break;
                }
                before = entry.next();
            }
        }
        let free = self.free;
        self.entries.get_mut(id)?.state = State::Free { next: free };
        self.marks.set(id, false);
        self.free = id;
        self.live -= 1;
        Some(held)
    }

    /// The next entry with memory of its own that was not used since it was last looked at; of those that are, `may` is
    /// asked. Goes round twice at most, and O(entries / 4,096) from one to the next.
    pub(super) fn oldest(&mut self, mut may: impl FnMut(u64, Held<H>) -> bool) -> Option<u32> {
        for _ in 0..2 * self.marks.count() {
            let id = self.marks.next(self.hand).or_else(|| self.marks.next(0))?;
            self.hand = id + 1;
            let entry = self.entries.get_mut(id)?;
            let (was_seen, held) = (entry.seen().is_some_and(core::mem::take), entry.held()?);
            if !was_seen && may(entry.key, held) {
                return Some(id);
            }
        }
        None
    }

    /// Gives the tables back; there are no entries then.
    pub(super) fn give_back<P: PageAllocator>(&mut self, from: &mut P) {
        self.entries.give_back(from);
        self.buckets.give_back(from);
        self.marks.give_back(from);
        (self.free, self.live, self.hand) = (NONE, 0, 0);
    }

    /// Walks the chains and the free entries.
    pub(super) fn check(&self) -> Result<(), Broken> {
        let mut live = 0;
        for bucket in 0..self.buckets.len() {
            let mut id = self.first(bucket);
            while let Some(entry) = self.entries.get(id) {
                live += 1;
                ensure(live <= self.live, "index-I1: a chain ends", bucket as usize)?;
                ensure(entry.held().is_some(), "index-I1: a chain is of used ones", id as usize)?;
                let own = self.bucket(entry.key) == bucket;
                ensure(own, "index-I1: an entry is in its key's chain", id as usize)?;
                id = entry.next();
            }
        }
        ensure(live == self.live, "index-I1: every entry in use is in a chain", live)?;
        let used = (0..self.entries.len()).filter(|&id| self.get(id).is_some()).count();
        ensure(used == self.live, "index-I2: entries in use are counted", used)?;
        self.marks.check()?;
        for id in 0..self.entries.len() {
            let has_memory = self.get(id).is_some_and(|(_, held)| !matches!(held, Held::Same(_)));
            let is_right = self.marks.has(id) == has_memory;
            ensure(is_right, "index-I3: entries with memory of their own are marked", id as usize)?;
        }
        let (mut free, mut id) = (0, self.free);
        while let Some(entry) = self.entries.get(id) {
            free += 1;
            ensure(free + used <= self.entries.len() as usize, "index-I2: free entries end", free)?;
            id = entry.next();
        }
        ensure(free + used == self.entries.len() as usize, "index-I2: entries add up", free)
    }
}

#[cfg(test)]
mod tests;

//! Who allocates and who frees.

use std::collections::{BTreeMap, HashMap};

use trace::{NumberMap, Thread};

use crate::facts::{ByThread, Threads};

/// Threads that are followed one by one; programs have had a hundred thousand, one after the other.
const FOLLOWED: usize = 4096;
const LISTED: usize = 64;
const PAIRS: usize = 256;

#[derive(Debug, Default)]
struct One {
    by: ByThread,
    live: u64,
}

/// Follows the threads through the second pass.
#[derive(Debug, Default)]
pub(crate) struct Follow {
    all: NumberMap<Thread, One>,
    pairs: HashMap<(Thread, Thread), u64>,
    running: u64,
    count: u64,
    at_once: u64,
    freed: u64,
    freed_elsewhere: u64,
}

impl Follow {
    fn one(&mut self, thread: Thread) -> Option<&mut One> {
        if self.all.len() >= FOLLOWED && !self.all.contains_key(&thread) {
            return None;
        }
        let one = self.all.entry(thread).or_default();
        one.by.thread = thread;
        Some(one)
    }

    pub(crate) fn started(&mut self, thread: Thread) {
        self.count = self.count.max(u64::from(thread) + 1);
        self.running += 1;
        self.at_once = self.at_once.max(self.running);
        self.one(thread);
    }

    pub(crate) fn ended(&mut self, thread: Thread) {
        self.running = self.running.saturating_sub(1);
        if let Some(one) = self.one(thread) {
            one.by.has_ended = true;
        }
    }

    pub(crate) fn named(&mut self, thread: Thread, name: &str) {
        if let Some(one) = self.one(thread) {
            name.clone_into(&mut one.by.name);
        }
    }

    pub(crate) fn allocated(&mut self, thread: Thread, size: u64) {
        self.count = self.count.max(u64::from(thread) + 1);
        if let Some(one) = self.one(thread) {
            one.by.blocks += 1;
            one.by.bytes += size;
            one.live += size;
            one.by.peak = one.by.peak.max(one.live);
        }
    }

    /// `realloc` took a block away that this thread had allocated.
    pub(crate) fn moved(&mut self, owner: Thread, size: u64) {
        if let Some(one) = self.one(owner) {
            one.live = one.live.saturating_sub(size);
        }
    }

    pub(crate) fn freed(&mut self, owner: Thread, by: Thread, size: u64) {
        self.freed += 1;
        if let Some(one) = self.one(owner) {
            one.live = one.live.saturating_sub(size);
            one.by.freed_elsewhere += u64::from(owner != by);
        }
        self.freed_elsewhere += u64::from(owner != by);
        if self.pairs.len() < FOLLOWED || self.pairs.contains_key(&(owner, by)) {
            *self.pairs.entry((owner, by)).or_default() += 1;
        }
    }

    pub(crate) fn finish(self) -> Threads {
        let sum_of_peaks = self.all.values().map(|one| one.by.peak).sum();
        let mut list: Vec<ByThread> = self.all.into_values().map(|one| one.by).collect();
        list.sort_by_key(|by| (core::cmp::Reverse(by.bytes), by.thread));
        list.truncate(LISTED);
        let pairs: BTreeMap<_, _> = self.pairs.into_iter().collect();
        let mut pairs: Vec<_> = pairs.into_iter().map(|((a, f), n)| (a, f, n)).collect();
        pairs.sort_by_key(|&(.., n)| core::cmp::Reverse(n));
        pairs.truncate(PAIRS);
        Threads {
            count: self.count,
            at_once: self.at_once.max(1),
            list,
            freed_elsewhere: self.freed_elsewhere,
            freed: self.freed,
            sum_of_peaks,
            pairs,
        }
    }
}

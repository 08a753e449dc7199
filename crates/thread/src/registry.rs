//! The registry: every thread that has a cache.
//!
//! ```text
//! head ─► cache ⇄ cache ⇄ cache          guarded by one lock
//! ```
//!
//! - **registry-T1** a cache is on the list from its first use to its thread's end.
//!
//! Layer *thread*. Used when threads begin and end, by statistics, and in the child of a
//! `fork`, where the caches of threads that no longer exist are emptied.
use base::live::{At, Table};
use base::lock::Lock;
use base::sync::{AtomicU32, Ordering, fence};
use page::System;

use crate::cache::ThreadCache;
use crate::links::List;

/// The list of caches.
#[derive(Debug)]
pub struct Registry<S> {
    lock: Lock<S>,
    caches: List<ThreadCache>,
    live: AtomicU32,
    begun: AtomicU32,
}

impl<S: System> Registry<S> {
    /// No thread yet.
    pub const fn new() -> Self {
        Self {
            lock: Lock::new(),
            caches: List::new(),
            live: AtomicU32::new(0),
            begun: AtomicU32::new(0),
        }
    }

    /// Where its list and its counters are, and the fields of a thread's cache, for who reads the process from outside.
    pub const fn show(&'static self, table: Table) -> Table {
        ThreadCache::show(table)
            .at(At::Threads, &self.caches.first)
            .at(At::ThreadsNow, &self.live)
            .at(At::ThreadsEver, &self.begun)
    }

    /// The lock, for `fork`.
    pub fn lock_for_fork(&self) -> &Lock<S> {
        &self.lock
    }

    /// Threads with a cache now.
    pub fn live(&self) -> u32 {
        self.live.load(Ordering::Relaxed)
    }

    /// Threads that ever had one.
    pub fn begun(&self) -> u32 {
        self.begun.load(Ordering::Relaxed)
    }

    /// Enters a cache and numbers it.
    pub fn enter(&self, cache: &ThreadCache) {
        let _guard = self.lock.lock();
        cache.number.store(self.begun.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        self.caches.push(cache);
        self.live.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes a cache off the list.
    pub fn leave(&self, cache: &ThreadCache) {
        let _guard = self.lock.lock();
        self.unlink(cache);
    }

    fn unlink(&self, cache: &ThreadCache) {
        self.caches.remove(cache);
        self.live.fetch_sub(1, Ordering::Relaxed);
    }

    /// Calls `visit` with every cache, under the lock.
    pub fn each(&self, visit: impl FnMut(&ThreadCache)) {
        let _guard = self.lock.lock();
        self.caches.iter().for_each(visit);
    }

    /// Looks at the slabs while no thread moves objects: `look` is given what threads have not
    /// reported yet. `None`: a thread was at it before or meanwhile (account-Y1), so what was seen may
    /// not fit together.
    pub fn at_rest<R>(&self, look: impl FnOnce(usize) -> R) -> Option<R> {
        let _guard = self.lock.lock();
        let (passes, unreported) = self.sum()?;
        let answer = look(unreported);
        // What was read above was read before the passes are read again.
        fence(Ordering::Acquire);
        (self.sum()?.0 == passes).then_some(answer)
    }

    /// The passes of all threads and what they have not reported. `None`: one is in a pass.
    fn sum(&self) -> Option<(u64, usize)> {
        let (mut passes, mut unreported, mut inside) = (0, 0usize, false);
        self.caches.iter().for_each(|cache| {
            let now = cache.account.passes();
            inside |= !now.is_multiple_of(2);
            passes += u64::from(now);
            unreported = unreported.wrapping_add(cache.account.unreported());
        });
        (!inside).then_some((passes, unreported))
    }

    /// Takes the caches off the list that `keep` does not want, and then hands each to `take`,
    /// under the lock.
    pub fn retain(
        &self,
        mut keep: impl FnMut(&ThreadCache) -> bool,
        mut take: impl FnMut(&ThreadCache),
    ) {
        let _guard = self.lock.lock();
        self.caches.iter().for_each(|cache| {
            if !keep(cache) {
                self.unlink(cache);
                take(cache);
            }
        });
    }
}

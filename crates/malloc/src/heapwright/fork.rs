//! Around `fork`: hold every lock, then let go; in the child also reclaim the other threads' caches.
//!
//! Locks are taken in the order in which the rest of the allocator nests them: registry,
//! shelves, heaps' large blocks, huge mappings, descriptors, pages. That is about a hundred
//! uncontended locks, some microseconds. Before them come the two locks under which the set of
//! locks changes; nobody waits for anything while inside of those.
//!
//! A signal handler may fork on a thread that it interrupted inside a lock. That thread cannot
//! leave the lock before the fork has returned, so it must not wait for threads that wait for
//! it: it takes what it can get, as does one that waited too long for such a thread. POSIX lets
//! the child of such a fork do little more than `exec`; locks that could not be taken stay locked
//! there, what other threads kept is not given back, and its thread gets spare blocks only.
use base::lock::Lock;
use page::System;
use thread::{ThreadCache, Tls};

use super::{Flagship, Heap};

impl<S: System, T: Tls> Flagship<S, T> {
    /// Calls `visit` with every lock, in order, while it says to go on. Under the locks of the set.
    fn each_lock(&self, mut visit: impl FnMut(&Lock<S>) -> bool) -> bool {
        visit(self.threads.lock_for_fork())
            && self.central.each_lock(&mut visit)
            && (0..object::central::HEAPS).all(|owner| {
                let owner = object::central::FIRST_HEAP + base::bits::low32(owner);
                // SAFETY: by own-heap-W4 a slot names a heap.
                unsafe { Heap::at(self.central.heap(owner)) }
                    .is_none_or(|heap| visit(heap.lock_for_fork()))
            })
            && visit(self.huge.lock_for_fork())
            && visit(self.meta.lock_for_fork())
            && visit(self.pages.lock_for_fork())
    }

    /// Before a fork: nobody is inside any structure when this returns `true`. `false`: some
    /// thread still was after `timeout_ms`; nothing is held, or, the `last` time, what
    /// can be had, and the answer is `true`.
    pub fn before_fork(&self, mut timeout_ms: u32, last: bool) -> bool {
        let [heaps, shards] = self.central.locks_of_the_set();
        if !heaps.hold(&mut timeout_ms) || !shards.hold(&mut timeout_ms) {
            self.missing.begin(last, true);
            self.release_all();
            return last;
        }
        let mut interrupted = heaps.is_interrupted() || shards.is_interrupted();
        self.each_lock(|lock| {
            interrupted |= lock.is_interrupted();
            true
        });
        self.missing.begin(interrupted || last, false);
        let done = self.each_lock(|lock| self.missing.hold(lock, &mut timeout_ms));
        if !done {
            // While the set is held: the locks are the same in both.
            self.each_lock(|lock| {
                lock.release();
                lock.nudge();
                true
            });
            self.release_all();
        } else if !self.missing.is_partial() {
            self.make_way_for_fork();
        }
        done
    }

    /// A fork that would be refused for what is free: it goes back. No other thread is inside, or there is none.
    pub fn make_way_for_fork(&self) {
        self.pages.make_way_for_fork(self.huge.bytes());
    }

    /// After a fork, in the parent.
    pub fn after_fork_in_parent(&self) {
        self.release_all();
    }

    /// After a fork, in the child, which has one thread: what the others kept comes back.
    pub fn after_fork_in_child(&self) {
        self.release_all();
        self.missing.in_child::<S>();
        self.pages.note_child();
        self.peak.forget();
        if self.outside.forget() {
            self.pages.slack.note_uncounted();
        }
        if self.missing.is_partial() {
            return;
        }
        let mine = ThreadCache::current(&self.tls).map(ThreadCache::address);
        self.threads.retain(
            |cache| Some(cache.address()) == mine,
            |cache| self.reclaim_dead(cache, &cache.look_alone(&self.tls)),
        );
    }

    /// Releases what is held, the set last: each visit sees the same locks.
    fn release_all(&self) {
        let [heaps, shards] = self.central.locks_of_the_set();
        if heaps.is_held() || heaps.is_interrupted() {
            self.each_lock(|lock| {
                lock.release();
                true
            });
        }
        shards.release();
        heaps.release();
    }
}

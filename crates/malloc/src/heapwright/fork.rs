//! Around `fork`: hold every lock, then let go; in the child also bury the other threads.
//!
//! Locks are taken in the order in which the rest of the allocator nests them: registry,
//! shelves, heaps' large blocks, huge mappings, descriptors, pages. That is about a hundred
//! uncontended locks, some microseconds. Whether a process has one thread is not known here:
//! one may be in its first call.
use base::lock::Lock;
use page::System;
use thread::{ThreadCache, Tls};

use super::{Flagship, Heap};

impl<S: System, T: Tls> Flagship<S, T> {
    /// Calls `visit` with every lock, in order.
    fn each_lock(&self, mut visit: impl FnMut(&Lock<S>)) {
        visit(self.threads.lock_for_fork());
        self.central.each_lock(&mut visit);
        for owner in 0..object::central::HEAPS {
            let at = self.central.heap(object::central::FIRST_HEAP + base::bits::low32(owner));
            if at != 0 {
                // SAFETY: a heap's shelves are its first field.
                let heap = unsafe { &*core::ptr::with_exposed_provenance::<Heap<S>>(at) };
                visit(heap.lock_for_fork());
            }
        }
        visit(self.huge.lock_for_fork());
        visit(self.meta.lock_for_fork());
        visit(self.pages.lock_for_fork());
    }

    /// Before a fork: nobody is inside any structure when this returns.
    pub fn before_fork(&self) {
        self.central.splitting().hold();
        self.each_lock(Lock::hold);
    }

    /// After a fork, in the parent.
    pub fn after_fork_in_parent(&self) {
        self.each_lock(Lock::release);
        self.central.splitting().release();
    }

    /// After a fork, in the child, which has one thread: what the others kept comes back.
    pub fn after_fork_in_child(&self) {
        self.each_lock(Lock::reset);
        self.central.splitting().reset();
        self.pages.note_child();
        let mine = ThreadCache::current(&self.tls).map(ThreadCache::address);
        self.threads.each_unlocked(&mut |cache| {
            if Some(cache.address()) != mine {
                self.threads.leave(cache);
                cache.bury(self.depot());
            }
        });
    }
}

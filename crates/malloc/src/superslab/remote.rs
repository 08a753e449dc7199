//! Objects that others free: in chains to their owner's queue, which drains it in its slow paths.
//!
//! ```text
//! freed by another ─► chain ─push_remote─► queue ─drain─► slabs        the owner is gone: whoever pushed drains
//! ```
use page::System;

use super::Superslab;
use super::heap::{Heap, Whose};
use super::switches::Switch;

impl<S: System> Superslab<S> {
    /// What others freed of this heap's goes back to its slabs.
    #[inline]
    pub(super) fn drain(&self, heap: &Heap) {
        if heap.has_remote() {
            self.drain_all(heap);
        }
    }

    #[cold]
    fn drain_all(&self, heap: &Heap) {
        heap.drain(|object| match self.pool.slab_of(object) {
            Some(slab) => self.put(heap, slab, object),
            None => self.end_for("free()", object),
        });
    }

    /// A chain of another heap's objects goes to its queue.
    pub(super) fn push_remote(&self, owner: usize, first: usize, last: usize) {
        let Some(heap) = crate::links::at::<Heap>(owner) else { return };
        let guard = (!self.switches.is_on(Switch::RemoteQueue)).then(|| self.remote.lock());
        let is_left = heap.push_remote(first, last);
        drop(guard);
        if is_left {
            self.drain_left(heap);
        }
    }

    /// Drains a heap without an owner, so that what it frees can go back.
    #[cold]
    fn drain_left(&self, heap: &Heap) {
        self.threads.settle(heap, || {
            let is_left = heap.is(Whose::Left);
            if is_left {
                self.drain(heap);
                self.pool.supers.purge_left(&heap.supers);
            }
            is_left && heap.end_if_bare()
        });
    }
}

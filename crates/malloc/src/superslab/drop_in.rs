//! superslab as a drop-in library: threads that end, forks, figures.
use core::fmt;

use thread::ThreadEnds;

use super::heap::{Heap, Whose};
use super::{Malloc, size_of_class};
use crate::drop_in::{DropIn, Figures};

impl ThreadEnds for Malloc {
    type Record = Heap;

    fn thread_ended(&'static self, heap: &Heap) {
        // Before the lock: others' objects may make this thread drain a heap that nobody owns, which needs it.
        heap.supers.set_ends(true);
        self.empty(heap);
        self.threads.leave(heap, || {
            heap.supers.set_ends(false);
            heap.leave();
            self.counts.take_over(&heap.counts);
            self.drain(heap);
            self.pool.supers.purge_left(&heap.supers);
            heap.end_if_bare()
        });
    }
}

impl DropIn for Malloc {
    crate::drop_in::by_halves!();

    fn set(&self, key: &str, value: &str) -> bool {
        let known = self.switches.set(key, value);
        if let Some(heap) = self.heap() {
            heap.set_magazines(self.switches.magazine(), size_of_class);
        }
        known
    }

    fn before_confinement(&self) {
        self.pool.supers.before_confinement();
    }

    fn size_in_handler(&self, address: usize) -> Option<Option<usize>> {
        match self.size_in_slab(address) {
            Some((len, _)) => Some(Some(len)),
            None => self.pool.supers.huge().try_len_of(address),
        }
    }

    fn after_fork(&self, in_child: bool) {
        if crate::fork::release_all(|visit| self.each_lock(visit), &self.missing, in_child) {
            self.threads.only_me(|heap| {
                heap.set_whose(Whose::Lost);
                false
            });
        }
    }

    fn write_stats(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let Figures { live, cached, .. } = self.numbers();
        let [refills, handed, slabs, again] = self.counted();
        write!(
            out,
            "{live} bytes in use, {cached} in magazines of {} threads, {} in superslabs, {} in the pool; \
             {refills} refills, {handed} of them from the depot; {slabs} slabs began to serve, {again} of them again",
            self.threads.live(),
            self.pool.bytes(),
            self.pool.supers.pooled_bytes()
        )
    }

    fn write_fields(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let [refills, handed, slabs, again] = self.counted();
        write!(
            out,
            ",\"superslab\":{{\"refills\":{refills},\"from_depot\":{handed},\"slabs\":{slabs},\"again\":{again}}}"
        )
    }
}

impl Malloc {
    /// What its heaps did, and those of threads that have ended.
    fn counted(&self) -> [usize; 4] {
        let mut sums = self.counts.all();
        self.each_heap(|heap| {
            let counts = heap.counts.all();
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        });
        sums
    }
}

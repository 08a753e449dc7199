//! sharded as a drop-in library: threads that end, forks, figures.
use core::fmt;

use base::sync::Ordering;
use source::os::imp::process::random;
use thread::ThreadEnds;

use super::Malloc;
use super::heap::{Heap, Thread};
use crate::drop_in::{DropIn, Figures};
use crate::heapwright::options::switch;
use crate::links;

impl ThreadEnds for Malloc {
    type Record = Thread;

    fn thread_ended(&'static self, thread: &Thread) {
        thread.segments.set_ends(true);
        self.abandon(thread);
        thread.segments.set_ends(false);
        // Heaps that it made serve the next thread with its record.
        self.threads.leave(thread, || thread.spare.load(Ordering::Relaxed) == 0);
    }
}

impl DropIn for Malloc {
    crate::drop_in::by_halves!();

    fn set(&self, key: &str, value: &str) -> bool {
        let Some(is_on) = switch(value).filter(|_| key == "shuffle") else { return false };
        // Where the kernel has no number for us the addresses that it chose are one.
        let seed = || random().unwrap_or_else(|| links::address(self) as u64) | 1;
        self.shuffle.set(if is_on { seed() } else { 0 });
        true
    }

    fn before_confinement(&self) {
        self.segments.before_confinement();
    }

    fn size_in_handler(&self, address: usize) -> Option<Option<usize>> {
        match self.size_in_page(address) {
            Some((len, _)) => Some(Some(len)),
            None => self.segments.huge().try_len_of(address),
        }
    }

    fn after_fork(&self, in_child: bool) {
        if !crate::fork::release_all(|visit| self.each_lock(visit), &self.missing, in_child) {
            return;
        }
        // The others' heaps are lost: nobody knows in the middle of what they were.
        self.threads.only_me(|_| false);
        let mine = self.thread().into_iter().flat_map(Thread::all_heaps);
        mine.flat_map(Heap::pages).for_each(|page| page.thread_free.forget_tellers());
    }

    fn write_stats(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(
            out,
            "{} bytes in use by {} threads, {} in segments, {} in the pool",
            self.numbers().live,
            self.threads.live(),
            self.segments.bytes(),
            self.segments.pooled_bytes()
        )
    }
}

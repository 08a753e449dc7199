//! thread-caching as a drop-in library: threads that end, forks, figures.
use core::fmt;

use base::sync::Ordering;
use thread::ThreadEnds;

use super::Malloc;
use super::cache::Cache;
use crate::drop_in::{DropIn, Figures};

impl ThreadEnds for Malloc {
    type Record = Cache;

    fn thread_ended(&'static self, cache: &Cache) {
        // Before the lock: it takes those of central lists, and may give memory back.
        self.empty(cache);
        self.threads.leave(cache, || true);
    }
}

impl DropIn for Malloc {
    const SMALL_ALIGN: usize = 8;

    crate::drop_in::by_halves!();

    fn set(&self, key: &str, value: &str) -> bool {
        let known = self.settings.set(key, value);
        if let Some(cache) = self.cache() {
            cache.set_limit(self.limit());
        }
        known
    }

    fn before_confinement(&self) {
        self.pages.look_at_memory_limit();
    }

    fn size_in_handler(&self, address: usize) -> Option<Option<usize>> {
        match self.size_in_span(address) {
            Some((len, _)) => Some(Some(len)),
            None => self.huge.try_len_of(address),
        }
    }

    fn make_way_for_fork(&self) {
        self.pages.make_way_for_fork(self.huge.bytes());
    }

    fn after_fork(&self, in_child: bool) {
        if crate::fork::release_all(|visit| self.each_lock(visit), &self.missing, in_child) {
            self.pages.note_child();
            self.threads.only_me(|_| true);
            self.none_lost.iter().for_each(|none| none.store(false, Ordering::Relaxed));
            self.lost.store(true, Ordering::Relaxed);
        }
    }

    fn write_stats(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let Figures { committed, live, cached, .. } = self.numbers();
        write!(
            out,
            "{live} bytes in use, {cached} cached by {} threads, {committed} costing, {} given back",
            self.threads.live(),
            self.pages.purged_bytes()
        )
    }
}

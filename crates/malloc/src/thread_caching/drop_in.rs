//! thread-caching as a drop-in library: threads that end, forks, figures.
use core::fmt;

use base::lock::{Busy, Park as _};
use base::sync::Ordering;
use source::os::Os;
use thread::ThreadEnds;

use super::Malloc;
use super::cache::Cache;
use crate::drop_in::{DropIn, Figures};

impl ThreadEnds for Malloc {
    type Record = Cache;

    fn thread_ended(&'static self, cache: &Cache) {
        if Os::is_busy() {
            // It ends in a signal handler that interrupted this: what it has stays.
            return;
        }
        let _busy = Busy::<Os>::new();
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

    fn before_fork(&self, mut timeout_ms: u32, last: bool) -> bool {
        let held = crate::fork::hold_all(
            |visit| self.each_lock(visit),
            &self.missing,
            &mut timeout_ms,
            last,
        );
        if held && !self.missing.is_partial() {
            self.make_way_for_fork();
        }
        held
    }

    fn make_way_for_fork(&self) {
        self.make_way();
    }

    fn after_fork(&self, in_child: bool) {
        crate::fork::release_all(|visit| self.each_lock(visit));
        if in_child {
            self.missing.in_child::<Os>();
        }
        if in_child && !self.missing.is_partial() {
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

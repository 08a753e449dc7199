//! The flagship: magazines in TLS over slabs with out-of-band bitmaps over one region.
//!
//! ```text
//! malloc ─► fast ─ magazine has an object? ─► it            12 instructions, no atomics
//!              └─► slow ─ refill: claim up to 63 objects    one atomic a bitmap word
//!                      └─ no slab: new slab from granules   one lock
//!                            └─ no granules: commit blocks  one system call in 2 MiB, or an eighth of the heap
//! free   ─► fast ─ region? class byte, magazine has room?   17 instructions, no atomics
//!              └─► slow ─ flush half a magazine             one atomic a bitmap word
//!                      └─ large run, huge mapping, foreign  told apart by the span map
//! ```
//!
//! | size            | where                       | metadata                        |
//! |-----------------|-----------------------------|---------------------------------|
//! | to 64 KiB       | slab of its class           | a bit an object, out of band    |
//! | to 32 MiB       | run of granules             | a word in the span map          |
//! | above           | a mapping of its own        | an entry in a table             |
//!
//! There is no owner of an object, so a free from another thread is the same free. The
//! design and what was tried: docs/decisions.
use base::Malloc;
use base::bits::index;
use base::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use object::Central;
use object::shelf::Supply;
use object::size_class::MAX_LINEAR;
use page::{Huge, Meta, PageHeap, Spare, System};
use thread::cache::Backend;
use thread::{Outside, Registry, Tls};

use crate::fork::Missing;

mod aligned;
mod check;
mod fast;
pub mod fork;
pub mod global;
pub mod heap;
mod interrupted;
mod large;
mod live;
pub mod options;
mod peak;
mod realloc;
mod record;
mod safe;
mod slow;
mod slow_calls;
pub mod split;
pub mod stats;
mod walk;

pub use global::HEAP;
pub use heap::Heap;
pub use split::Split;
pub use stats::Stats;
pub use walk::Block;

/// The allocator, on a system `S` and thread-local storage `T`.
#[derive(Debug)]
pub struct Flagship<S, T> {
    /// Granules of the region: slabs and large blocks.
    pub(crate) pages: PageHeap<S>,
    /// Slabs, by size class and shard.
    pub(crate) central: Central<S>,
    pub(crate) meta: Meta<S>,
    /// Blocks above 32 MiB.
    pub(crate) huge: Huge<S>,
    /// Blocks for signal handlers that interrupted this.
    pub(crate) spare: Spare,
    /// Threads that have a cache.
    pub(crate) threads: Registry<S>,
    /// The calling thread's magazines.
    pub(crate) tls: T,
    /// What it was made of when it was largest.
    pub(crate) peak: peak::Peak,
    slow_calls: slow_calls::SlowCalls,
    /// Whether threads go without magazines, so that every free is checked at once.
    pub(crate) safe: AtomicBool,
    /// Up to this size a block is freed by its size alone: 0 once there was a heap of its own (own-heap-W5).
    pub(crate) freed_by_size: AtomicUsize,
    pub(crate) uncached: AtomicU32,
    /// Operations on slabs outside of any thread's cache (account-Y2).
    pub(crate) outside: Outside,
    /// Refills and flushes of threads that have ended.
    pub(crate) refills: AtomicU64,
    pub(crate) flushes: AtomicU64,
    /// What the fork under way could not have.
    pub(crate) missing: Missing,
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// An allocator that has done nothing yet: no call to `source` before the first request.
    #[must_use]
    pub const fn new(source: S, tls: T) -> Self {
        Self {
            pages: PageHeap::new(source),
            central: Central::new(),
            meta: Meta::new(),
            huge: Huge::new(),
            spare: Spare::new(),
            threads: Registry::new(),
            tls,
            peak: peak::Peak::new(),
            slow_calls: slow_calls::SlowCalls::new(),
            safe: AtomicBool::new(false),
            freed_by_size: AtomicUsize::new(MAX_LINEAR),
            uncached: AtomicU32::new(0),
            outside: Outside::new(),
            refills: AtomicU64::new(0),
            flushes: AtomicU64::new(0),
            missing: Missing::new(),
        }
    }

    /// Where its memory comes from.
    pub fn source(&self) -> &S {
        &self.pages.source
    }

    pub(crate) fn supply(&self) -> Supply<'_, S> {
        Supply { pages: &self.pages, meta: &self.meta }
    }

    pub(crate) fn backend(&self) -> Backend<'_, S> {
        Backend { central: &self.central, supply: self.supply(), threads: self.threads.live() }
    }

    /// Gives all free memory back to the system now: the calling thread's magazines, all threads' runs, empty
    /// slabs, free granules. Returns the bytes given back, by whomever, meanwhile. O(size of the heap).
    pub fn purge(&self) -> usize {
        if S::is_busy() {
            return 0;
        }
        let before = self.pages.purge.total_bytes();
        self.empty_magazines("purge");
        self.give_back_runs();
        self.trim();
        let order = self.pages.purge.order();
        self.outside.pass(|| self.central.purge_holes_in(self.supply(), &order));
        drop(order);
        self.pages.purge_all();
        self.pages.release_empty();
        index(self.pages.purge.total_bytes() - before) + self.meta.trim(&self.pages)
    }

    fn give_back_runs(&self) {
        self.threads.each(|cache| cache.give_back_runs(self.backend()));
    }

    /// Gives back what has been free for long, and holes as a busy program would: for a thread that does
    /// nothing else. `true`: there is more to be done at once.
    pub fn look(&self) -> bool {
        if self.pages.has_holes_of_old() {
            self.outside.pass(|| self.central.purge_holes(self.supply()));
        }
        let is_more = self.pages.look();
        self.meta.look(&self.pages);
        is_more
    }

    /// Whether a thread has a cache. If not nobody allocates, or all do without.
    pub fn has_caches(&self) -> bool {
        self.threads.live() != 0
    }

    /// Bytes of blocks obtained from the system, but for mappings of their own.
    pub fn committed_bytes(&self) -> usize {
        self.pages.committed_bytes()
    }

    /// The limit on the process's addresses has changed: what is only reserved is given up, or
    /// reserved again where there is no limit any more.
    pub fn limit_changed(&self) {
        self.pages.limit_changed();
    }

    /// From now on [`before_confinement`](Self::before_confinement) is called before a filter of system calls is installed: until
    /// then `process_madvise` may be used, which hardly any program calls and a filter may therefore kill.
    pub fn hears_of_confinement(&self) {
        self.pages.hears_of_confinement();
    }

    /// The process is about to be confined: what the first request and a large heap ask the system
    /// for is asked for now. Takes no lock after the first request: a signal handler may confine.
    pub fn before_confinement(&self) {
        if self.pages.is_untouched() && !S::is_busy() {
            let block = Malloc::malloc(self, 1);
            // SAFETY: allocated above.
            unsafe { self.free(block) };
        }
        self.pages.before_confinement();
    }

    /// Gives back what the calling thread keeps. What was freed and is no live object is found,
    /// and ends the process; `caller` is named.
    pub fn empty_magazines(&self, caller: &'static str) {
        if !S::is_busy()
            && let Some(cache) = thread::ThreadCache::current(&self.tls)
        {
            self.end_process_on_fault(caller, cache.empty_all(self.backend(), &self.tls));
        }
    }

    /// Gives back every empty slab.
    pub(crate) fn trim(&self) {
        self.outside.pass(|| self.central.trim(self.supply()));
    }

    /// From now on threads have no magazines and every call is checked at once. The calling
    /// thread gives its magazines up; those of others stay until their thread ends.
    pub fn set_safe(&self, safe: bool) {
        self.safe.store(safe, Ordering::Relaxed);
        if safe {
            // No thread will have a cache, so nobody would see that there are several.
            self.pages.look_at_memory_limit();
            self.drop_cache("safe");
        }
    }
}

#[cfg(test)]
mod tests;

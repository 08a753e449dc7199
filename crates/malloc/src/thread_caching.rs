//! Thread-caching: the design of TCMalloc. Lists of free objects in each thread, central lists behind them, spans of pages
//! behind those.
//!
//! ```text
//! malloc ─► cache ─ a list has an object? ─► it                      no atomics
//!              └─► central list of the class ─ a batch               one lock
//!                     └─► page heap ─ a span                         one lock
//! free   ─► page map ─► class ─► cache ─ the list is full? a batch ─► central list
//!              └─ no class: a span of its own ─► page heap; or a mapping of its own
//! ```
//!
//! | size       | where                 | metadata                                        |
//! |------------|-----------------------|-------------------------------------------------|
//! | to 32 KiB  | span of its class     | 64 bytes a span, 8 bytes a page of 4 KiB        |
//! | to 32 MiB  | span of its own       | as above                                        |
//! | above      | a mapping of its own  | an entry in a table                             |
//!
//! What a thread may cache depends on how many there are: 16 MiB together, 2 MiB at most, unless it is set otherwise (module
//! `settings`). `docs/classic-mallocs.md` walks one malloc and one free through it. After Ghemawat and Menage, "TCMalloc: Thread-Caching Malloc"; what is better than the text
//! is that memory goes back to the system.
use core::ptr;

use base::check::ensure;
use base::lock::{Busy, Lock};
use base::sync::{AtomicBool, Ordering};
use base::{Broken, Check};
use page::{Huge, System};
use source::os::Os;
use thread::Members;

use crate::drop_in::Figures;
use crate::fork::Missing;
use crate::links::{Chain, set_next};
use crate::misuse::{self, Misuse};

mod cache;
mod calls;
mod central;
mod classes;
mod drop_in;
mod pages;
mod settings;
mod span;

use cache::Cache;
use central::Central;
use classes::{CLASSES, MAX_SIZE, info};
use pages::{PAGE, Pages};
use settings::Settings;
use span::Span;

/// Above this a block is a mapping of its own, which can grow by page tables.
const MAX_SPAN: usize = 32 << 20;
/// A mapping of its own that shrinks stays one down to this.
const MIN_MAPPING: usize = 1 << 20;
/// The process's malloc of this design.
pub type Malloc = ThreadCaching<Os>;

/// One that has done nothing yet.
#[must_use]
pub const fn new() -> Malloc {
    ThreadCaching::new(Os)
}

/// The malloc, on a system `S`.
#[derive(Debug)]
pub struct ThreadCaching<S> {
    pages: Pages<S>,
    central: [Central<S>; CLASSES],
    huge: Huge<S>,
    threads: Members<S, Cache>,
    settings: Settings,
    /// What the fork under way could not have.
    missing: Missing,
    /// Whether spare caches may hold objects: in the child of a fork those of threads that it does not have do.
    lost: AtomicBool,
    /// Whether they were searched in vain for objects of a class: as they get none, they have none later.
    none_lost: [AtomicBool; CLASSES],
}

impl<S: System> ThreadCaching<S> {
    /// One that has done nothing yet: no call to `source` before the first request.
    #[must_use]
    pub const fn new(source: S) -> Self {
        Self {
            pages: Pages::new(source),
            central: [const { Central::new() }; CLASSES],
            huge: Huge::new(),
            threads: Members::new(),
            settings: Settings::new(),
            missing: Missing::new(),
            lost: AtomicBool::new(false),
            none_lost: [const { AtomicBool::new(false) }; CLASSES],
        }
    }

    /// Where its memory comes from.
    pub fn source(&self) -> &S {
        &self.pages.source
    }

    #[inline(always)]
    fn cache(&self) -> Option<&Cache> {
        self.threads.current()
    }

    /// The calling thread's cache, made if need be. `None`: out of memory, or the thread is as good as ended.
    #[cold]
    fn cache_or_new(&self) -> Option<&Cache> {
        if let Some(cache) = self.cache() {
            return Some(cache);
        }
        let cache = self.threads.current_or_new(
            self.source(),
            |_| (),
            |cache| {
                if self.lost.load(Ordering::Relaxed) {
                    self.empty(cache);
                }
                cache.reset(self.limit());
            },
        );
        if self.threads.live() >= 2 {
            // The first moment at which there are threads: later it would be noticed more often.
            self.pages.look_at_memory_limit();
        }
        cache
    }

    /// The cache to free to: none is made for a few objects, see [`Members::note_free`].
    fn cache_to_free(&self) -> Option<&Cache> {
        self.cache().or_else(|| self.threads.note_free().then(|| self.cache_or_new())?)
    }

    /// An object from the cache. Null: it has none of the class.
    #[inline(always)]
    fn pop(&self, class: usize) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.cache().map_or(0, |cache| cache.pop(class)))
    }

    #[inline(always)]
    fn allocate(&self, class: usize) -> *mut u8 {
        let object = self.pop(class);
        if object.is_null() { self.allocate_slow(class) } else { object }
    }

    /// A batch from the central list. Null: out of memory.
    #[cold]
    #[inline(never)]
    fn allocate_slow(&self, class: usize) -> *mut u8 {
        let cache = self.cache_or_new();
        let _busy = Busy::<S>::new();
        if cache.is_some_and(Cache::looks_at_clock) {
            self.threads.look(self.source(), self.pages.tick());
        }
        let want = cache.map_or(1, |cache| cache.ask(class));
        let take = || {
            if let Some(chain) = self.take_lost(class, want) {
                return Some(chain);
            }
            let chain = self.central[class].take(&self.pages, self.settings.unit(), class, want);
            (chain.count > 0).then_some(chain)
        };
        let Some(chain) = take().or_else(|| self.make_room(take)) else { return ptr::null_mut() };
        let rest = chain.rest();
        match cache {
            Some(cache) if rest.count > 0 => cache.push_chain(class, rest),
            None if rest.count > 0 => self.give_back("malloc()", class, rest),
            _ => {}
        }
        ptr::with_exposed_provenance_mut(chain.first)
    }

    /// In the child of a fork: objects of a cache whose thread it does not have. A child that soon ends or executes a program
    /// touches none: to give them all back took 0.1 to 0.4 s for caches of 64 MiB, each page of which was copied.
    fn take_lost(&self, class: usize, want: u32) -> Option<Chain> {
        if !self.lost.load(Ordering::Relaxed) || self.none_lost[class].load(Ordering::Relaxed) {
            return None;
        }
        let (mut found, mut are_some) = (Chain::NONE, false);
        self.threads.each_spare(|cache| {
            if found.count == 0 {
                found = cache.take_chain(class, want);
            }
            are_some |= cache.has_some();
            false
        });
        self.lost.store(are_some, Ordering::Relaxed);
        self.none_lost[class].store(found.count == 0, Ordering::Relaxed);
        (found.count > 0).then_some(found)
    }

    /// Objects of a class go to the central list; what is none ends the process.
    fn give_back(&self, caller: &str, class: usize, chain: Chain) {
        if chain.count == 0 {
            return;
        }
        if let Err((address, what)) = self.central[class].put(&self.pages, class, chain) {
            misuse::end::<S>(caller, address, what);
        }
    }

    /// A list or the cache is full, or there is no cache. It stays so in a signal handler that interrupted this.
    #[cold]
    #[inline(never)]
    fn free_slow(&self, class: usize) {
        if S::is_busy() {
            return;
        }
        let _busy = Busy::<S>::new();
        let Some(cache) = self.cache() else { return };
        self.give_back("free()", class, cache.excess(class));
        if cache.is_full() {
            cache.set_limit(self.limit());
            let give = |class, chain| self.give_back("free()", class, chain);
            cache.collect(self.settings.walks_all(), give);
        }
    }

    /// What each thread's cache may hold.
    fn limit(&self) -> usize {
        self.settings.limit(self.threads.live())
    }

    /// Frees an object by a thread that has no cache yet, or none any more.
    #[cold]
    #[inline(never)]
    fn free_uncached(&self, class: usize, object: usize) {
        match self.cache_to_free() {
            Some(cache) => {
                if cache.push(class, object) == Some(false) {
                    self.free_slow(class);
                }
            }
            None => {
                set_next(object, 0);
                self.give_back("free()", class, Chain::of(object));
            }
        }
    }

    /// Frees what is no object of a class: a span of its own, a mapping, or nothing of ours.
    #[cold]
    #[inline(never)]
    fn free_large(&self, address: usize) {
        if let Some(span) = self.pages.entry(address).span()
            && self.pages.free_block(span, address)
        {
            return;
        }
        if !self.huge.deallocate(&self.pages.source, address) {
            self.end_for("free()", address);
        }
    }

    #[cold]
    fn end_for(&self, caller: &str, address: usize) -> ! {
        let is_ours = self.pages.entry(address).span().is_some();
        misuse::end::<S>(caller, address, if is_ours { Misuse::NoBlock } else { Misuse::Foreign })
    }

    /// A block of more than a class has, and whether it is zero.
    #[cold]
    #[inline(never)]
    fn allocate_large(&self, size: usize, align: usize) -> (*mut u8, bool) {
        if size > isize::MAX.cast_unsigned() {
            return (ptr::null_mut(), false);
        }
        let own_span = || {
            let (pages, align_pages) = (self.settings.pages_for(size), align.div_ceil(PAGE));
            let fits = size <= MAX_SPAN && align <= MAX_SPAN;
            let (span, zero) = fits.then(|| self.pages.allocate(pages, align_pages, 0))??;
            Some((span.start(), zero))
        };
        let mapping = || Some((self.huge.allocate(&self.pages.source, size.max(1), align)?, true));
        let found =
            own_span().or_else(mapping).or_else(|| self.make_room(|| own_span().or_else(mapping)));
        let (at, zero) = found.unwrap_or((0, false));
        (ptr::with_exposed_provenance_mut(at), zero)
    }

    /// Tries again after all that is free was put together, and again after it gave its addresses up (`ulimit -v`).
    #[cold]
    fn make_room<R>(&self, again: impl Fn() -> Option<R>) -> Option<R> {
        self.collect_all();
        again().or_else(|| self.pages.release_free().then(again)?)
    }

    /// Bytes of the live block at `address`, and the span if it has one of its own.
    fn size_of(&self, caller: &str, address: usize) -> (usize, Option<&'static Span>) {
        let mapping = || Some((self.huge.len_of(address)?, None));
        let found = self.size_in_span(address).or_else(mapping);
        found.unwrap_or_else(|| self.end_for(caller, address))
    }

    /// As [`size_of`](Self::size_of), of a block of spans. `None`: there is no such block.
    fn size_in_span(&self, address: usize) -> Option<(usize, Option<&'static Span>)> {
        let entry = self.pages.entry(address);
        match entry.class() {
            0 => {
                let span = entry.span().filter(|span| span.is_block_at(address))?;
                Some((span.len(), Some(span)))
            }
            class => Some((info(class).size as usize, None)),
        }
    }

    /// All that a cache holds goes back.
    fn empty(&self, cache: &Cache) {
        for class in 1..CLASSES {
            loop {
                let chain = cache.take_chain(class, info(class).batch);
                if chain.count == 0 {
                    break;
                }
                self.give_back("free()", class, chain);
            }
        }
    }

    /// Calls `visit` with every lock, in the order in which they nest.
    fn each_lock(&self, mut visit: impl FnMut(&Lock<S>) -> bool) -> bool {
        visit(self.threads.lock_for_fork())
            && self.central.iter().all(|central| visit(central.lock_for_fork()))
            && visit(self.huge.lock_for_fork())
            && visit(self.pages.lock_for_fork())
            && visit(self.pages.arena.lock_for_fork())
    }

    /// Puts together what is free: the calling thread's cache and whole batches go to their spans.
    fn collect_all(&self) {
        if let Some(cache) = self.cache() {
            self.empty(cache);
        }
        if self.lost.load(Ordering::Relaxed) {
            self.threads.each_spare(|cache| {
                self.empty(cache);
                true
            });
            self.lost.store(false, Ordering::Relaxed);
        }
        for (class, central) in self.central.iter().enumerate().skip(1) {
            if let Err((address, what)) = central.trim(&self.pages, class) {
                misuse::end::<S>("malloc_trim()", address, what);
            }
        }
    }

    /// Gives back all that is free; the bytes.
    pub fn trim_all(&self) -> usize {
        let _busy = Busy::<S>::new();
        self.collect_all();
        let gone = self.pages.purge_all();
        self.pages.give_up_free();
        gone + self.threads.trim(self.source())
    }

    /// Bytes in the caches of all threads.
    fn cached_bytes(&self) -> usize {
        let mut sum = 0_usize;
        self.threads.each(|cache| sum += cache.held());
        if self.lost.load(Ordering::Relaxed) {
            // Their numbers may be an object off, and below nothing then.
            self.threads.each_spare(|cache| {
                sum = sum.wrapping_add(cache.held());
                false
            });
        }
        sum.cast_signed().max(0).cast_unsigned()
    }

    fn numbers(&self) -> Figures {
        let cached = self.cached_bytes();
        let of_classes: usize =
            (1..CLASSES).map(|class| self.central[class].out() * info(class).size as usize).sum();
        let blocks = self.pages.block_bytes();
        let huge = (self.huge.bytes(), self.huge.count());
        Figures {
            committed: self.pages.costing_bytes()
                + self.pages.arena.used_bytes()
                + self.threads.costing_bytes()
                + huge.0,
            live: (of_classes + blocks).saturating_sub(cached) + huge.0,
            cached,
            huge,
        }
    }
}

impl<S: System> Check for ThreadCaching<S> {
    fn check(&self) -> Result<(), Broken> {
        for (class, central) in self.central.iter().enumerate().skip(1) {
            central.check(class)?;
        }
        self.pages.check()?;
        let mut lists = Ok(());
        let mine = self.cache().map(ptr::from_ref);
        self.threads.each(|cache| {
            let held: usize = (1..CLASSES).map(|c| cache.length(c) * info(c).size as usize).sum();
            // Another thread's cache changes meanwhile.
            if mine == Some(ptr::from_ref(cache)) && lists.is_ok() {
                // But for the object that was moving when a signal handler interrupted it and asked for this.
                let off = held.abs_diff(cache.held());
                lists = ensure(off <= MAX_SIZE, "cache-T2: a cache's bytes add up", held);
            }
        });
        lists?;
        self.huge.check()
    }
}

#[cfg(test)]
mod tests;

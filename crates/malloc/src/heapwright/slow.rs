//! The slow paths: refilling and flushing magazines, threads that begin and end, and
//! pointers that belong to nobody.
use core::ptr;

use base::Malloc;
use base::lock::Busy;
use base::sync::Ordering;
use object::central::{Fault, Place};
use object::shelf::Share;
use object::size_class::{MAX_SIZE, class_of, info};
use page::region::Span;
use page::{GRANULE, System, try_purging};
use policy::caches::looks_at_clock;
use policy::table::MOST_LATE_FREES;
use thread::cache::SlotSnapshot;
use thread::tls::{A_FREE, ENDS};
use thread::{ThreadCache, Tls};

use super::Flagship;
use crate::misuse::{self, Misuse};

impl<S: System, T: Tls> Flagship<S, T> {
    /// `size` bytes when [`malloc_fast`](Self::malloc_fast) had none. Null: out of memory.
    #[cold]
    #[inline(never)]
    pub fn malloc_slow(&self, size: usize) -> *mut u8 {
        if size > MAX_SIZE {
            return self.allocate_large(size, 1).0;
        }
        self.refill(class_of(size).max(1))
    }

    /// An object of a class. Null: out of memory.
    pub(crate) fn refill(&self, class: usize) -> *mut u8 {
        if S::is_busy() {
            return self.spare_object(class);
        }
        self.tell_slow_call();
        let object = match self.cache() {
            Some(cache) => {
                self.look_at_clock(cache);
                let object = cache.refill(self.backend(), &self.tls, class);
                if object == 0 { self.refill_with_own(cache, class) } else { object }
            }
            None => self.claim_uncached(class),
        };
        ptr::with_exposed_provenance_mut(object)
    }

    /// As [`refill`](Self::refill) when there is no memory: what is kept may leave a slab.
    #[cold]
    fn refill_with_own(&self, cache: &ThreadCache, class: usize) -> usize {
        self.keep_nothing();
        cache.refill(self.backend(), &self.tls, class)
    }

    /// Before malloc refuses: what the calling thread keeps goes back, all threads' runs, and slabs that are empty.
    #[cold]
    pub(super) fn keep_nothing(&self) {
        if let Some(cache) = ThreadCache::current(&self.tls) {
            self.end_process_on_fault("malloc", cache.empty_all(self.backend(), &self.tls));
        }
        self.give_back_runs();
        self.trim();
    }

    /// Once in `SLOW_PATHS_PER_LOOK` slow paths of a thread: purges what is due by the clock, and finds out the thread's NUMA
    /// node. Else a thread that uses only what it keeps would do neither.
    fn look_at_clock(&self, cache: &ThreadCache) {
        let (refills, flushes) = cache.slow_paths();
        if looks_at_clock(refills + flushes) {
            let _ = self.pages.look();
            self.meta.look(&self.pages);
            cache.learn_node(self.backend());
        }
    }

    /// One object for a thread without magazines; 0: out of memory.
    fn claim_uncached(&self, class: usize) -> usize {
        self.outside.pass(|| {
            let mut out = [0];
            let got = self.central.claim(self.supply(), Place::ANY, class, Share::Lines, &mut out);
            self.note_uncached(got * info(class).size as usize, 0);
            out[0]
        })
    }

    /// Gives one object back that is in no magazine, and counts it (slack-X1).
    pub(crate) fn give_back_one(&self, address: usize) -> Result<(), Fault> {
        if S::is_busy() {
            return Ok(());
        }
        if let Some(cache) = ThreadCache::current(&self.tls) {
            return cache.give_back_one(self.backend(), address);
        }
        self.outside.pass(|| {
            let back = self.central.give_back(self.supply(), &[address]);
            self.note_uncached(0, back.bytes);
            back.answer()
        })
    }

    /// Reports an operation without a magazine, and looks for holes when that is worth it.
    fn note_uncached(&self, claimed: usize, given_back: usize) {
        self.uncached.fetch_add(1, Ordering::Relaxed);
        if self.pages.note_traffic(claimed, given_back) {
            self.central.purge_holes(self.supply());
        }
    }

    /// The calling thread's cache, made now if it can have one.
    #[inline]
    pub(crate) fn cache(&self) -> Option<&ThreadCache> {
        ThreadCache::current(&self.tls).or_else(|| self.attach())
    }

    /// A cache for a thread that frees and has none: not for its first blocks, which may be what the C library frees of a thread
    /// that has ended, and whose end nobody would tell us.
    #[cold]
    fn attach_to_free(&self) -> Option<&ThreadCache> {
        let ends = self.tls.load(ENDS);
        if ends / A_FREE >= MOST_LATE_FREES {
            return self.attach();
        }
        self.tls.store(ENDS, ends + A_FREE);
        None
    }

    #[cold]
    #[inline(never)]
    fn attach(&self) -> Option<&ThreadCache> {
        // A thread that has ended gets no cache again: what it still frees comes from
        // destructors and from the C library's own clean-up, after which nobody would tell us.
        let has_ended = !self.tls.load(ENDS).is_multiple_of(A_FREE);
        if self.safe.load(Ordering::Relaxed) || has_ended {
            return None;
        }
        let cache = ThreadCache::attach(self.supply(), &self.tls)?;
        self.threads.enter(cache);
        cache.learn_node(self.backend());
        if self.threads.begun() >= 2 {
            // The first moment at which there are threads: later it would be noticed more often.
            self.pages.look_at_memory_limit();
        }
        if self.threads.begun() == 2 {
            try_purging(self.source());
        }
        if !self.tls.watch(cache.address()) {
            // Nobody would say when it ends, so it goes on without.
            self.thread_ended();
        }
        // The options are read with the first cache, and may say that there shall be none.
        ThreadCache::current(&self.tls)
    }

    /// The calling thread ends: what it kept goes back, and it goes on without a cache.
    pub fn thread_ended(&self) {
        self.tls.store(ENDS, self.tls.load(ENDS) + 1);
        if !S::is_busy() {
            self.drop_cache("thread exit");
        }
    }

    /// What the calling thread keeps goes back, and it has no cache any more. It is emptied before
    /// it leaves the registry, so that nothing it has moved is unseen (slack-X1).
    pub(crate) fn drop_cache(&self, caller: &'static str) {
        if let Some(cache) = ThreadCache::current(&self.tls) {
            // A handler that comes meanwhile has no cache to take from.
            let _busy = Busy::<S>::new();
            self.end_process_on_fault(caller, cache.empty_all(self.backend(), &self.tls));
            self.threads.leave(cache);
            self.note_end(cache);
            cache.detach(self.backend(), &self.tls);
        }
    }

    /// Gives back what a thread kept that no longer exists, by what its slots looked like. It
    /// has left the registry.
    pub(crate) fn reclaim_dead(&self, cache: &ThreadCache, look: &SlotSnapshot) {
        self.note_end(cache);
        cache.reclaim(self.backend(), look);
    }

    fn note_end(&self, cache: &ThreadCache) {
        let (refills, flushes) = cache.slow_paths();
        self.refills.fetch_add(refills, Ordering::Relaxed);
        self.flushes.fetch_add(flushes, Ordering::Relaxed);
    }

    /// Frees what [`free_fast`](Self::free_fast) could not; `caller` is named in messages.
    /// Never touches errno.
    /// # Safety
    /// As [`Malloc::free`].
    #[cold]
    #[inline(never)]
    pub unsafe fn free_slow(&self, ptr: *mut u8, caller: &'static str) {
        let address = ptr.expose_provenance();
        if address == 0 {
            return;
        }
        if S::is_busy() {
            return self.free_later(address, caller);
        }
        self.look_for_peak(true);
        let region = &self.pages.region;
        let Some(granule) = region.granule_of(address) else {
            if !self.free_mapping(address) {
                self.foreign(caller, address);
            }
            return;
        };
        let class = usize::from(region.class(granule));
        if class != 0 {
            return self.free_object(address, class, caller);
        }
        match region.span(granule) {
            Span::Run(count) if address == region.address_of(granule) => {
                self.free_run(address, granule, count, caller);
            }
            Span::Kept(_) if address == region.address_of(granule) => {
                self.end_process_on_fault(caller, Err(Fault::DoubleFree(address)));
            }
            Span::Slab(descriptor) => self.free_of_heap(address, descriptor, caller),
            // Between a window's blocks the system may have put a mapping of ours.
            _ if self.free_mapping(address) => (),
            _ => self.foreign(caller, address),
        }
    }

    /// Frees what [`free_sized_fast`](Self::free_sized_fast) could not. In safe mode a size
    /// that is not the block's ends the process.
    /// # Safety
    /// As [`Malloc::free_sized`], or for a block of `aligned_alloc` with its alignment.
    #[cold]
    #[inline(never)]
    pub unsafe fn free_sized_slow(
        &self,
        ptr: *mut u8,
        align: usize,
        size: usize,
        caller: &'static str,
    ) {
        self.verify_size(ptr, align, size, caller);
        // SAFETY: the caller's promise.
        unsafe { self.free_slow(ptr, caller) }
    }

    /// Frees an object of a class whose magazine is full or missing.
    pub(crate) fn free_object(&self, address: usize, class: usize, caller: &'static str) {
        let answer = match ThreadCache::current(&self.tls).or_else(|| self.attach_to_free()) {
            Some(cache) => {
                self.look_at_clock(cache);
                cache.flush(self.backend(), &self.tls, class, address)
            }
            None => self.give_back_one(address),
        };
        self.end_process_on_fault(caller, answer);
    }

    /// Ends the process with a message that names the pointer, if there was a fault.
    pub(crate) fn end_process_on_fault(&self, caller: &'static str, answer: Result<(), Fault>) {
        match answer {
            Ok(()) => (),
            // Freed by its size, a spare block came into a magazine.
            Err(Fault::Foreign(address)) if self.spare.free(address) => (),
            Err(Fault::Foreign(address)) => self.foreign(caller, address),
            Err(Fault::Misaligned(address)) => misuse::end::<S>(caller, address, Misuse::Inside),
            Err(Fault::DoubleFree(address)) => misuse::end::<S>(caller, address, Misuse::Free),
        }
    }

    #[cold]
    pub(crate) fn foreign(&self, caller: &'static str, address: usize) -> ! {
        let region = &self.pages.region;
        let ours = region.granule_of(address).is_some();
        misuse::end::<S>(caller, address, if ours { Misuse::NoBlock } else { Misuse::Foreign })
    }

    /// The usable size of a live block; `None`: there is no such block.
    pub(crate) fn size_of_block(&self, address: usize) -> Option<usize> {
        let region = &self.pages.region;
        let Some(granule) = region.granule_of(address) else {
            return self.len_of_mapping(address);
        };
        match region.class(granule) {
            0 => match region.span(granule) {
                Span::Run(count) if address == region.address_of(granule) => Some(count * GRANULE),
                Span::Slab(descriptor) => self.size_in_heap(address, descriptor),
                _ => self.len_of_mapping(address),
            },
            class => Some(info(usize::from(class)).size as usize),
        }
    }
}

// SAFETY: blocks come from slabs, runs and mappings, each of which hands out disjoint,
// 16-byte aligned memory and takes it back before it hands it out again.
unsafe impl<S: System, T: Tls> Malloc for Flagship<S, T> {
    #[inline]
    fn malloc(&self, size: usize) -> *mut u8 {
        let ptr = self.malloc_fast(size);
        if ptr.is_null() { self.malloc_slow(size) } else { ptr }
    }

    fn calloc(&self, count: usize, size: usize) -> *mut u8 {
        let Some(size) = count.checked_mul(size) else { return ptr::null_mut() };
        if size > MAX_SIZE {
            return self.calloc_large(size, 1);
        }
        let ptr = self.malloc(size);
        if !ptr.is_null() {
            // SAFETY: just allocated, at least `size` bytes.
            unsafe { ptr.write_bytes(0, size) };
        }
        ptr
    }

    fn aligned_alloc(&self, align: usize, size: usize) -> *mut u8 {
        self.allocate_aligned(align, size)
    }

    unsafe fn realloc(&self, ptr: *mut u8, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.resize(ptr, size, "realloc") }
    }

    #[inline]
    unsafe fn free(&self, ptr: *mut u8) {
        // SAFETY: the caller's promise.
        if !unsafe { self.free_fast(ptr) } {
            // SAFETY: the caller's promise.
            unsafe { self.free_slow(ptr, "free") }
        }
    }

    #[inline]
    unsafe fn free_sized(&self, ptr: *mut u8, size: usize) {
        // SAFETY: the caller's promise.
        if !unsafe { self.free_sized_fast(ptr, size) } {
            // SAFETY: the caller's promise.
            unsafe { self.free_sized_slow(ptr, 1, size, "free_sized") }
        }
    }

    unsafe fn usable_size(&self, ptr: *mut u8) -> usize {
        let address = ptr.addr();
        if address == 0 {
            return 0;
        }
        self.verify(address, "malloc_usable_size()");
        match self.size_of_block(address) {
            Some(size) => size,
            None if S::is_busy() => 0,
            None => self.foreign("malloc_usable_size()", address),
        }
    }
}

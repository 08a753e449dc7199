//! Large blocks: runs of granules to 32 MiB, mappings of their own above.
use core::ptr;

use base::bits::align_up;
use base::lock::Busy;
use object::Fault;
use page::geometry::{BLOCK, granules_for};
use page::{GRANULE, System};
use policy::caches::runs;
use thread::runs::Kept;
use thread::{ThreadCache, Tls};

use super::Flagship;

/// Above this a block is a mapping of its own.
pub(super) const MAX_RUN: usize = 32 << 20;

/// A mapping of its own that shrinks stays one down to this: cutting it is one system call, and
/// a block that swings across [`MAX_RUN`] would be copied each time.
pub(super) const MIN_MAPPING: usize = 1 << 20;

impl<S: System, T: Tls> Flagship<S, T> {
    /// At least `size` bytes, more than a size class has, at a multiple of `align`, and
    /// whether they are known to be zero. Null: out of memory.
    pub(super) fn allocate_large(&self, size: usize, align: usize) -> (*mut u8, bool) {
        if S::is_busy() {
            return (self.spare_block(size, align), false);
        }
        self.tell_slow_call();
        if size > isize::MAX.cast_unsigned() {
            return (ptr::null_mut(), false);
        }
        if size > MAX_RUN || align > BLOCK {
            return self.allocate_huge(size, align);
        }
        let count = granules_for(size);
        if align <= GRANULE {
            let kept = self.cache().map_or(0, |cache| {
                let _busy = Busy::<S>::new();
                cache.runs.pop(&self.pages.region, count)
            });
            if kept != 0 {
                return (ptr::with_exposed_provenance_mut(kept), false);
            }
        }
        let (run, zero) = self.allocate_run(count, (align / GRANULE).max(1));
        if run.is_null() {
            // The region is exhausted; the rest of the address space may not be, nor what is kept.
            return self.allocate_huge(size, align);
        }
        (run, zero)
    }

    fn allocate_run(&self, count: usize, align: usize) -> (*mut u8, bool) {
        let run = self.pages.allocate_aligned(count, align);
        let Some((run, granule)) =
            run.and_then(|run| Some((run, self.pages.region.granule_of(run.at)?)))
        else {
            return (ptr::null_mut(), false);
        };
        self.pages.region.enter_run(granule, count);
        (ptr::with_exposed_provenance_mut(run.at), run.zero)
    }

    /// A mapping of its own; where addresses are short (`ulimit -v`), what is kept goes back, empty
    /// blocks give theirs up for it, or it is a run after all.
    fn allocate_huge(&self, size: usize, align: usize) -> (*mut u8, bool) {
        let mapping = self.allocate_mapping(size, align);
        if !mapping.is_null() {
            return (mapping, true);
        }
        if !self.pages.may_make_room(size) {
            return (ptr::null_mut(), false);
        }
        self.keep_nothing();
        if self.pages.release_empty() {
            let mapping = self.allocate_mapping(size, align);
            if !mapping.is_null() {
                return (mapping, true);
            }
        }
        self.allocate_run(granules_for(size), (align / GRANULE).max(1))
    }

    fn allocate_mapping(&self, size: usize, align: usize) -> *mut u8 {
        let at = self.map_huge(size, align);
        self.note_mapped();
        ptr::with_exposed_provenance_mut(at.unwrap_or(0))
    }

    /// A mapping of its own, which [`note_mapped`](Self::note_mapped) does not know of yet.
    pub(super) fn map_huge(&self, size: usize, align: usize) -> Option<usize> {
        let source = &self.pages.source;
        let at = self.huge.allocate(source, size, align)?;
        if self.pages.wants_huge_for_all() {
            // SAFETY: all of the mapping just made.
            unsafe { source.prefer_huge(at, align_up(size, source.page_size()), true) };
        }
        Some(at)
    }

    /// Unmaps the mapping of its own that starts at `address`, or frees the spare block there. `false`: there is none.
    pub(super) fn free_mapping(&self, address: usize) -> bool {
        if self.spare.free(address) {
            return true;
        }
        let is_ours = self.huge.deallocate(&self.pages.source, address);
        self.note_mapped();
        is_ours
    }

    /// Mappings of their own have come, gone or changed.
    pub(super) fn note_mapped(&self) {
        self.pages.note_mapped(|| self.huge.bytes());
    }

    /// `size` zeroed bytes, more than a size class has, at a multiple of `align`. Memory that is zero is not written.
    pub(super) fn calloc_large(&self, size: usize, align: usize) -> *mut u8 {
        let (ptr, zero) = self.allocate_large(size, align);
        if !ptr.is_null() && !zero {
            // SAFETY: just allocated, at least `size` bytes.
            unsafe { ptr.write_bytes(0, size) };
        }
        ptr
    }

    /// Frees the run of `count` granules at `address`: to the thread's cache, else for good.
    pub(super) fn free_run(
        &self,
        address: usize,
        granule: usize,
        count: usize,
        caller: &'static str,
    ) {
        let _busy = Busy::<S>::new();
        let region = &self.pages.region;
        let kept = ThreadCache::current(&self.tls).map_or(Kept::No, |cache| {
            cache.runs.push(region, granule, count, runs(self.threads.live()))
        });
        match kept {
            Kept::Yes => (),
            Kept::No if region.end_run(granule, count) => self.pages.deallocate(address, count),
            // Another thread was faster (region-R5).
            Kept::No | Kept::Twice => {
                self.end_process_on_fault(caller, Err(Fault::DoubleFree(address)))
            }
        }
    }
}

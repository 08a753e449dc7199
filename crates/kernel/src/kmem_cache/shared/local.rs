//! A thread's handle to a shared cache.
use core::fmt;
use core::ptr::NonNull;

use base::PageAllocator;
use base::lock::Park;

use super::SharedKmemCache;
use super::pair::Pair;
use crate::kmem_cache::misuse::Misuse;

/// A thread's magazines; dropped, it gives what is in them back.
pub struct LocalKmemCache<'a, L: Park, P: PageAllocator> {
    pub(super) pair: Pair,
    pub(super) shared: &'a SharedKmemCache<L, P>,
}

impl<L: Park, P: PageAllocator> LocalKmemCache<'_, L, P> {
    /// An object. `None`: there is no memory. O(1); once in as many calls as a magazine has rounds a lock, O(objects of a slab) for
    /// a new one.
    #[inline(always)]
    pub fn allocate(&mut self) -> Option<NonNull<u8>> {
        self.pair.allocate(self.shared)
    }

    /// The same, and all bytes are 0. Not for objects with a constructor.
    pub fn allocate_zeroed(&mut self) -> Option<NonNull<u8>> {
        let object = self.allocate()?;
        // SAFETY: an object has this many bytes.
        unsafe { object.write_bytes(0, self.shared.settings.size) };
        Some(object)
    }

    /// Gives an object back. What is found wrong ends in the misuse hook, as of [`KmemCache::free`](crate::kmem_cache::KmemCache::free).
    /// # Safety
    /// `object` was allocated in this handle's cache, by whichever thread, is live, and is dead afterwards.
    #[inline(always)]
    pub unsafe fn free(&mut self, object: NonNull<u8>) {
        if !self.pair.push(&self.shared.map, object) {
            self.pair.free_or_end(self.shared, object);
        }
    }

    /// As [`free`](Self::free), for whoever can go on.
    /// Errors: as [`SharedKmemCache::try_free`], of which this handle's magazines are looked through.
    /// # Safety
    /// As [`SharedKmemCache::try_free`].
    pub unsafe fn try_free(&mut self, object: NonNull<u8>) -> Result<(), Misuse> {
        self.pair.try_free(self.shared, object)
    }

    /// Fills all of `out` with objects, or none of it: whether there was memory; if not, all of `out` is `None`, whatever it was.
    /// O(objects).
    #[must_use]
    pub fn allocate_bulk(&mut self, out: &mut [Option<NonNull<u8>>]) -> bool {
        self.pair.allocate_bulk(self.shared, out)
    }

    /// Gives all objects back. O(objects).
    /// # Safety
    /// As [`free`](Self::free) for each of them.
    pub unsafe fn free_bulk(&mut self, objects: &[NonNull<u8>]) {
        let found = self.pair.free_bulk(self.shared, objects);
        self.shared.expect(found);
    }

    /// Empties the magazines into the slabs.
    pub fn flush(&mut self) {
        let found = self.pair.flush(self.shared);
        self.shared.expect(found);
    }
}

impl<L: Park, P: PageAllocator> Drop for LocalKmemCache<'_, L, P> {
    fn drop(&mut self) {
        self.flush();
    }
}

impl<L: Park, P: PageAllocator> fmt::Debug for LocalKmemCache<'_, L, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKmemCache").field("pair", &self.pair).finish_non_exhaustive()
    }
}

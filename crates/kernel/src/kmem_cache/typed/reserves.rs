//! Reserves of a cache of a type.
use core::ptr::NonNull;

use base::PageAllocator;

use super::Cache;
use crate::kmem_cache::reserve::Reserve;

impl<T, P: PageAllocator> Cache<T, P> {
    /// See [`KmemCache::reserve`](crate::kmem_cache::KmemCache::reserve).
    pub fn reserve(&mut self, count: usize) -> Option<Reserve> {
        self.raw.reserve(count)
    }

    /// See [`KmemCache::allocate_from`](crate::kmem_cache::KmemCache::allocate_from).
    pub fn allocate_from(&mut self, reserve: &mut Reserve) -> Option<NonNull<T>> {
        self.raw.allocate_from(reserve).map(NonNull::cast)
    }

    /// See [`KmemCache::refill`](crate::kmem_cache::KmemCache::refill).
    #[must_use]
    pub fn refill(&mut self, reserve: &mut Reserve) -> bool {
        self.raw.refill(reserve)
    }

    /// See [`KmemCache::give_back`](crate::kmem_cache::KmemCache::give_back).
    pub fn give_back(&mut self, reserve: Reserve) {
        self.raw.give_back(reserve);
    }
}

//! Reserves of a cache with one owner.
use core::ptr::NonNull;

use base::PageAllocator;

use super::KmemCache;
use crate::kmem_cache::reserve::Reserve;

impl<P: PageAllocator> KmemCache<P> {
    /// `count` objects laid aside, so that as many allocations cannot fail. O(count). `None`: there is no memory.
    pub fn reserve(&mut self, count: usize) -> Option<Reserve> {
        let reserve = Reserve::new(&mut self.identity, &mut self.pages, count)?;
        Making { cache: self, reserve: Some(reserve) }.make()
    }

    /// An object of a reserve of this cache. `None` only when all that were laid aside are taken. O(1).
    ///
    /// Another cache's reserve ends in the misuse hook.
    pub fn allocate_from(&mut self, reserve: &mut Reserve) -> Option<NonNull<u8>> {
        self.expect(reserve.check_owner(&self.identity, self.name()));
        reserve.take()
    }

    /// Fills a reserve of this cache up again, to as many objects as it was made for. `false`: there is no memory; it is as it was.
    ///
    /// Another cache's reserve ends in the misuse hook.
    #[must_use]
    pub fn refill(&mut self, reserve: &mut Reserve) -> bool {
        self.expect(reserve.check_owner(&self.identity, self.name()));
        reserve.fill(|places| self.allocate_bulk(places))
    }

    /// Gives back what is left of a reserve of this cache. O(objects left).
    ///
    /// Another cache's reserve ends in the misuse hook; if that goes on, what was in it is lost to its cache.
    pub fn give_back(&mut self, reserve: Reserve) {
        self.expect(reserve.check_owner(&self.identity, self.name()));
        let (front, mut ground) = self.parts();
        let found = front.free_bulk(&mut ground, reserve.objects());
        reserve.close(&mut self.pages);
        self.expect(found);
    }
}

/// A reserve that is being filled: dropped, its places go back, also when a constructor panics.
struct Making<'a, P: PageAllocator> {
    cache: &'a mut KmemCache<P>,
    reserve: Option<Reserve>,
}

impl<P: PageAllocator> Making<'_, P> {
    fn make(mut self) -> Option<Reserve> {
        let filled = self.cache.refill(self.reserve.as_mut()?);
        if filled { self.reserve.take() } else { None }
    }
}

impl<P: PageAllocator> Drop for Making<'_, P> {
    fn drop(&mut self) {
        if let Some(reserve) = self.reserve.take() {
            reserve.close(&mut self.cache.pages);
        }
    }
}

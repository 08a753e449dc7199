//! Objects laid aside: as many allocations cannot fail.
//!
//! - **reserve-E1** the first `len` places are objects that nobody else has.
//! - **reserve-E2** only the cache that made it, which has the same number, touches the places: without the cache nothing can.
//!
//! Numbers are given out by a compare-and-exchange: a processor without one, as thumbv6m, has no reserves.
use core::num::NonZeroUsize;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use base::PageAllocator;

use super::front::Slot;
use super::misuse::{Finding, Misuse};
use super::settings::Name;

/// What a cache that has made a reserve is known by; no other ever has the same. O(1).
#[derive(Debug)]
pub(super) struct Identity(Option<NonZeroUsize>);

impl Identity {
    /// Of a cache that has made none.
    pub(super) const fn new() -> Self {
        Self(None)
    }

    /// The number, given out at the first call. `None`: all numbers were given out.
    fn number(&mut self) -> Option<NonZeroUsize> {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        if self.0.is_none() {
            let next = |last: usize| last.checked_add(1);
            let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
            self.0 = NonZeroUsize::new(last + 1);
        }
        self.0
    }
}

/// Objects of one cache, to which what is left has to be given back: dropped, they are lost.
///
/// Only that cache takes objects out of it. Another one's, and that of a cache that is gone, is of no use:
///
/// ```compile_fail,E0382
/// fn after<P: base::PageAllocator>(mut cache: heapwright_kernel_allocators::kmem_cache::KmemCache<P>) {
///     let mut reserve = cache.reserve(4).unwrap();
///     drop(cache);
///     cache.allocate_from(&mut reserve);
/// }
/// ```
#[derive(Debug)]
#[must_use = "objects that are not given back are lost"]
pub struct Reserve {
    owner: NonZeroUsize,
    places: NonNull<Slot>,
    len: usize,
    capacity: usize,
}

// SAFETY: what it points to is its own.
unsafe impl Send for Reserve {}

/// How many pages have room for as many places.
fn pages_of<P: PageAllocator>(pages: &P, capacity: usize) -> usize {
    (capacity * size_of::<Slot>()).div_ceil(pages.page_size()).max(1)
}

impl Reserve {
    /// Without objects, with room for `capacity`.
    pub(super) fn new<P: PageAllocator>(
        owner: &mut Identity,
        pages: &mut P,
        capacity: usize,
    ) -> Option<Self> {
        let owner = owner.number()?;
        capacity.checked_mul(size_of::<Slot>())?;
        let count = pages_of(pages, capacity);
        let places = pages.allocate_pages(count, size_of::<Slot>())?.cast();
        Some(Self { owner, places, len: 0, capacity })
    }

    /// That this is a reserve of the cache with this identity (reserve-E2).
    /// Errors: it is another's.
    pub(super) fn check_owner(&self, owner: &Identity, cache: Name) -> Result<(), Misuse> {
        if owner.0 == Some(self.owner) {
            return Ok(());
        }
        let address = self.places.addr().get();
        Err(Misuse { cache, address, finding: Finding::OtherReserve, users: None })
    }

    /// Has `fill` fill the free places, all or none; whether it did.
    pub(super) fn fill(&mut self, fill: impl FnOnce(&mut [Slot]) -> bool) -> bool {
        for index in self.len..self.capacity {
            // SAFETY: a place of ours.
            let place = unsafe { self.places.add(index) };
            // SAFETY: as above.
            unsafe { place.write(None) };
        }
        // SAFETY: the rest of our places.
        let rest = unsafe { self.places.add(self.len) };
        let mut rest = NonNull::slice_from_raw_parts(rest, self.capacity - self.len);
        // SAFETY: they were just written, and only this has them.
        let done = fill(unsafe { rest.as_mut() });
        if done {
            self.len = self.capacity;
        }
        done
    }

    pub(super) fn objects(&self) -> &[NonNull<u8>] {
        let objects = NonNull::slice_from_raw_parts(self.places.cast(), self.len);
        // SAFETY: none of them is missing (reserve-E1).
        unsafe { objects.as_ref() }
    }

    /// Gives the places back, whose objects somebody else has now.
    pub(super) fn close<P: PageAllocator>(self, pages: &mut P) {
        let count = pages_of(pages, self.capacity);
        // SAFETY: `new` took them.
        unsafe { pages.deallocate_pages(self.places.cast(), count) };
    }

    /// An object. `None` only when all that were laid aside are taken. O(1).
    pub(super) fn take(&mut self) -> Option<NonNull<u8>> {
        let last = self.len.checked_sub(1)?;
        self.len = last;
        // SAFETY: a place with an object (reserve-E1).
        let place = unsafe { self.places.add(last) };
        // SAFETY: as above.
        unsafe { place.read() }
    }

    /// How many it was made for.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many allocations cannot fail.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether none is left.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
}

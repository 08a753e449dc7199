//! Objects laid aside: as many allocations cannot fail.
//!
//! ```text
//! pages of the reserve  [ object │ object │ object │   │   ]      len 3, capacity 5
//! ```
//!
//! - **E1** the first `len` places are objects that nobody else has.
use core::ptr::NonNull;

use base::PageAllocator;

use super::front::Slot;

/// Objects of one cache, to which what is left has to be given back: dropped, they are lost.
#[derive(Debug)]
#[must_use = "objects that are not given back are lost"]
pub struct Reserve {
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
    pub(super) fn new<P: PageAllocator>(pages: &mut P, capacity: usize) -> Option<Self> {
        capacity.checked_mul(size_of::<Slot>())?;
        let count = pages_of(pages, capacity);
        let places = pages.allocate_pages(count, size_of::<Slot>())?.cast();
        Some(Self { places, len: 0, capacity })
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

    /// The objects that are left.
    pub(super) fn objects(&self) -> &[NonNull<u8>] {
        let objects = NonNull::slice_from_raw_parts(self.places.cast(), self.len);
        // SAFETY: none of them is missing (E1).
        unsafe { objects.as_ref() }
    }

    /// Gives the places back, whose objects somebody else has now.
    pub(super) fn close<P: PageAllocator>(self, pages: &mut P) {
        let count = pages_of(pages, self.capacity);
        // SAFETY: `new` took them.
        unsafe { pages.deallocate_pages(self.places.cast(), count) };
    }

    /// An object. `None` only when all that were laid aside are taken. O(1).
    pub fn allocate(&mut self) -> Option<NonNull<u8>> {
        let last = self.len.checked_sub(1)?;
        self.len = last;
        // SAFETY: a place with an object (E1).
        let place = unsafe { self.places.add(last) };
        // SAFETY: as above.
        unsafe { place.read() }
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

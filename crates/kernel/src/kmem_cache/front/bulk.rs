//! Many objects in one call: what the magazines have is copied, the slabs give and take the rest.
use core::ptr::NonNull;

use base::PageAllocator;

use super::{Front, Slot};
use crate::kmem_cache::misuse::Misuse;
use crate::kmem_cache::page_map::{Near, PageMap};
use crate::kmem_cache::slabs::{Ground, Slabs, TAGS};

impl Front {
    /// Fills all of `out`; if that is not possible nothing of it. Whether it did.
    pub(crate) fn allocate_bulk<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        out: &mut [Slot],
    ) -> bool {
        let mut done = self.main.take(out);
        if done < out.len() && !self.spare.is_empty() {
            core::mem::swap(&mut self.main, &mut self.spare);
            done += self.main.take(&mut out[done..]);
        }
        done == out.len() || self.allocate_rest(ground, out, done)
    }

    #[inline(never)]
    fn allocate_rest<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        out: &mut [Slot],
        done: usize,
    ) -> bool {
        let filled = Filling::new(&mut self.slabs, ground, out, done).fill();
        self.expect(filled)
    }

    /// Gives all objects back.
    /// Errors: the first thing found wrong; all that was right is free.
    #[inline]
    pub(crate) fn free_bulk<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        objects: &[NonNull<u8>],
    ) -> Result<(), Misuse> {
        if are_ours(objects, ground.map, &mut self.near, self.tag)
            && self.main.top() != objects.first().copied()
            && self.main.put(objects)
        {
            return Ok(());
        }
        self.free_bulk_slow(ground, objects)
    }

    #[inline(never)]
    fn free_bulk_slow<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        objects: &[NonNull<u8>],
    ) -> Result<(), Misuse> {
        if self.capacity == 0 {
            return self.slabs.give_all(ground, objects.iter().rev().copied(), 0);
        }
        let mut found = Ok(());
        for &object in objects {
            found = found.and(self.free(ground, object));
        }
        found
    }

    /// Gives all objects back, each of which may be anything.
    /// Errors: the first thing found wrong; all that was right is free.
    pub(crate) fn try_free_bulk<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        objects: &[NonNull<u8>],
    ) -> Result<(), Misuse> {
        if self.capacity == 0 {
            return self.free_bulk_slow(ground, objects);
        }
        let mut found = Ok(());
        for &object in objects {
            found = found.and(self.try_free(ground, object));
        }
        found
    }
}

/// An array that is being filled from the slabs: dropped, it gives back what it has, also when a constructor panics.
struct Filling<'a, 'b, P: PageAllocator> {
    slabs: &'a mut Slabs,
    ground: &'a mut Ground<'b, P>,
    out: &'a mut [Slot],
    /// How many of its first places have an object.
    had: usize,
}

impl<'a, 'b, P: PageAllocator> Filling<'a, 'b, P> {
    const fn new(
        slabs: &'a mut Slabs,
        ground: &'a mut Ground<'b, P>,
        out: &'a mut [Slot],
        had: usize,
    ) -> Self {
        Self { slabs, ground, out, had }
    }

    /// Fills all of it; if that is not possible nothing. Whether it did.
    /// Errors: as of [`Slabs::take_back`]; nothing of it is filled.
    fn fill(mut self) -> Result<bool, Misuse> {
        while self.had < self.out.len() {
            let Some(object) = self.slabs.take(self.ground, 0) else {
                return self.empty().map(|()| false);
            };
            self.out[self.had] = Some(object);
            self.had += 1;
        }
        // All of it is the caller's.
        core::mem::forget(self);
        Ok(true)
    }

    fn empty(&mut self) -> Result<(), Misuse> {
        self.slabs.take_back(self.ground, self.out, self.had)
    }
}

impl<P: PageAllocator> Drop for Filling<'_, '_, P> {
    fn drop(&mut self) {
        // After `empty` there is nothing; after a panic that says what there is to say.
        let _ = self.empty();
    }
}

/// Whether each of `objects` lies in a slab with this tag: looks once for those that follow each other in a page.
#[inline(always)]
fn are_ours(objects: &[NonNull<u8>], map: &PageMap, near: &mut Near, tag: usize) -> bool {
    let mut last = None;
    objects.iter().all(|object| {
        let at = object.addr().get();
        let page = map.page_of(at);
        if last == Some(page) {
            return true;
        }
        last = Some(page);
        let entry = match map.get_near(at, near) {
            found if found.is_null() => map.go(at, near),
            found => found,
        };
        !entry.is_null() && entry.addr() & TAGS == tag
    })
}

//! Many objects in one call: what the magazines have is copied, the slabs give and take the rest.
use core::ptr::NonNull;

use base::PageAllocator;

use super::{Front, Slot};
use crate::kmem_cache::misuse::Misuse;
use crate::kmem_cache::page_map::{Near, PageMap};
use crate::kmem_cache::slabs::{Ground, TAGS};

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
        for at in done..out.len() {
            out[at] = self.slabs.take(ground, 0);
            if out[at].is_none() {
                let found = self.slabs.take_back(ground, out, at);
                self.expect(found);
                return false;
            }
        }
        true
    }

    /// Gives all objects back.
    ///
    /// # Errors
    ///
    /// The first thing found wrong; all that was right is free.
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
    ///
    /// # Errors
    ///
    /// The first thing found wrong; all that was right is free.
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

/// Whether each of `objects` lies in a slab with this tag: looks once for those that follow each other in a page.
#[inline(always)]
pub(in crate::kmem_cache) fn are_ours(
    objects: &[NonNull<u8>],
    map: &PageMap,
    near: &mut Near,
    tag: usize,
) -> bool {
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

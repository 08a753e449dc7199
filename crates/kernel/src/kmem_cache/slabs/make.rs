//! Slabs come from pages and go back to them.
use core::ptr::NonNull;

use base::PageAllocator;

use super::{Ground, Slabs};
use crate::kmem_cache::debug;
use crate::kmem_cache::order;
use crate::kmem_cache::slab::Slab;

impl Slabs {
    /// A new slab, on no list; of as few pages as hold an object where there are no more.
    pub(super) fn new_slab<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
    ) -> Option<Slab> {
        let slab = self.make(ground, self.shape.order);
        slab.or_else(|| self.make(ground, self.shape.least))
    }

    fn make<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>, order: u32) -> Option<Slab> {
        let bytes = self.shape.page << order;
        let objects = order::objects(self.shape.stride, self.shape.page, order);
        let piece = self.pieces.take(ground.pages)?;
        let made = self.make_in(ground, piece, order, bytes, objects);
        if made.is_none() {
            // SAFETY: just taken.
            unsafe { self.pieces.give(piece, ground.pages) };
        }
        made
    }

    fn make_in<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        piece: NonNull<u8>,
        order: u32,
        bytes: usize,
        objects: usize,
    ) -> Option<Slab> {
        if let Some(shuffle) = &mut self.shuffle
            && !shuffle.is_ready()
        {
            shuffle.prepare(self.shape.objects, self.pieces.take(ground.pages)?);
        }
        let base = ground.pages.allocate_pages(1 << order, bytes)?;
        let entry = piece.as_ptr().map_addr(|at| at | self.tag);
        if !ground.map.set(base, 1 << order, entry, ground.pages) {
            // SAFETY: just allocated.
            unsafe { ground.pages.deallocate_pages(base, 1 << order) };
            return None;
        }
        let slab = match &mut self.shuffle {
            // SAFETY: a piece has room for a full slab's descriptor, which this is.
            Some(shuffle) => unsafe {
                Slab::create(piece, base, order, objects, shuffle.order(objects))
            },
            // SAFETY: as above.
            None => unsafe {
                Slab::create(piece, base, order, objects, 0..base::bits::low16(objects))
            },
        };
        if !self.settings.debug.is_none() {
            debug::made(self, slab);
        }
        self.construct(ground, slab);
        self.counts.slabs += 1;
        self.counts.objects += objects;
        self.counts.bytes += bytes;
        Some(slab)
    }

    /// Runs the constructor for all objects of a slab that is not counted yet.
    fn construct<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>, slab: Slab) {
        let Some(ctor) = self.settings.ctor else { return };
        let objects = self.objects_of(slab);
        let guard = Leaving { slabs: self, ground, slab };
        for object in objects {
            // SAFETY: a new object's memory.
            unsafe { ctor.run(object) };
        }
        // All went well: nothing leaves.
        core::mem::forget(guard);
    }

    /// Gives an empty slab, which is on no list, back to the pages.
    #[cold]
    #[inline(never)]
    pub(super) fn retire<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>, slab: Slab) {
        self.counts.slabs -= 1;
        self.counts.objects -= slab.objects();
        self.counts.bytes -= self.shape.page << slab.order();
        drop(Leaving { slabs: self, ground, slab });
    }
}

/// A slab that is on no list and not counted: dropped, it goes back to the pages, also when a constructor panics.
struct Leaving<'a, 'b, P: PageAllocator> {
    slabs: &'a mut Slabs,
    ground: &'a mut Ground<'b, P>,
    slab: Slab,
}

impl<P: PageAllocator> Drop for Leaving<'_, '_, P> {
    fn drop(&mut self) {
        let (base, count) = (self.slab.base(), 1 << self.slab.order());
        self.ground.map.unset(base, count);
        // SAFETY: `make` took it, and nothing leads to it any more.
        unsafe { self.slabs.pieces.give(self.slab.into_piece(), self.ground.pages) };
        // SAFETY: `make_in` took these pages, and none of their objects is in use.
        unsafe { self.ground.pages.deallocate_pages(base, count) };
    }
}

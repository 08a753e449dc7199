//! Slabs come from pages and go back to them.
use core::ptr::NonNull;

use base::PageAllocator;

use super::{Ground, Slabs};
use crate::kmem_cache::debug;
use crate::kmem_cache::order;
use crate::kmem_cache::slab::Slab;

impl Slabs {
    /// A slab with free objects, on no list: a new one, or one in which something was reclaimed.
    pub(super) fn new_slab<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
    ) -> Option<Slab> {
        if let Some(slab) = self.make(ground, self.shape.order) {
            return Some(slab);
        }
        if self.shape.least < self.shape.order
            && let Some(slab) = self.make(ground, self.shape.least)
        {
            return Some(slab);
        }
        self.reclaim(ground);
        self.partial.pop_front().or_else(|| self.make(ground, self.shape.least))
    }

    /// Asks the user for objects.
    pub(in crate::kmem_cache) fn reclaim<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>) {
        let Some(reclaim) = self.settings.reclaim else { return };
        reclaim.run(&mut |object| {
            if let Err(misuse) = self.give(ground, object, 0) {
                (self.settings.on_misuse)(&misuse);
            }
        });
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
        let first = self.next_colour(order);
        let slab = match &mut self.shuffle {
            // SAFETY: a piece has room for a full slab's descriptor, which this is.
            Some(shuffle) => unsafe {
                Slab::create(piece, base, order, first, objects, shuffle.order(objects))
            },
            // SAFETY: as above.
            None => unsafe {
                Slab::create(piece, base, order, first, objects, 0..base::bits::low16(objects))
            },
        };
        self.counts.slabs += 1;
        self.counts.made += 1;
        self.counts.objects += objects;
        self.counts.bytes += bytes;
        if !self.settings.debug.is_none() {
            debug::made(self, slab);
        }
        if let Some(ctor) = self.settings.ctor {
            // SAFETY: a new object's memory.
            self.objects_of(slab).for_each(|object| unsafe { ctor.run(object) });
        }
        Some(slab)
    }

    fn next_colour(&mut self, order: u32) -> usize {
        if !self.settings.colour {
            return 0;
        }
        let colour = if self.colour <= self.shape.rest(order) { self.colour } else { 0 };
        self.colour = colour + self.shape.align;
        colour
    }

    /// Gives an empty slab, which is on no list, back to the pages.
    #[cold]
    #[inline(never)]
    pub(super) fn retire<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>, slab: Slab) {
        if let Some(dtor) = self.settings.dtor {
            // SAFETY: a free object, which its constructor made.
            self.objects_of(slab).for_each(|object| unsafe { dtor.run(object) });
        }
        let (base, count) = (slab.base(), 1 << slab.order());
        ground.map.unset(base, count);
        self.counts.slabs -= 1;
        self.counts.given_back += 1;
        self.counts.objects -= slab.objects();
        self.counts.bytes -= count * self.shape.page;
        // SAFETY: `make` took it, and nothing leads to it any more.
        unsafe { self.pieces.give(slab.into_piece(), ground.pages) };
        // SAFETY: `make_in` took these pages, and none of their objects is in use.
        unsafe { ground.pages.deallocate_pages(base, count) };
    }
}

//! Two magazines of a shared cache: a thread's, or a slot's.
use core::ptr::NonNull;

use base::PageAllocator;
use base::lock::Park;

use super::{MOST, SharedKmemCache};
use crate::kmem_cache::front::{self, Slot};
use crate::kmem_cache::misuse::{Finding, Misuse};
use crate::kmem_cache::page_map::{Near, PageMap};
use crate::kmem_cache::sheaf::Sheaf;

#[derive(Debug)]
pub(super) struct Pair {
    main: Sheaf,
    near: Near,
    spare: Sheaf,
}

// SAFETY: the magazines are its alone.
unsafe impl Send for Pair {}

impl Pair {
    pub(super) const fn new(main: Sheaf, spare: Sheaf) -> Self {
        Self { main, near: Near::NOTHING, spare }
    }

    pub(super) fn empty() -> Self {
        Self::new(Sheaf::none(), Sheaf::none())
    }

    #[inline(always)]
    pub(super) fn allocate<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
    ) -> Option<NonNull<u8>> {
        match self.main.pop() {
            Some(object) => Some(object),
            None => self.allocate_slow(shared),
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_slow<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
    ) -> Option<NonNull<u8>> {
        if !self.spare.is_empty() {
            core::mem::swap(&mut self.main, &mut self.spare);
        } else if !self.get_full(shared) {
            let mut back = shared.back();
            if self.main.is_none() {
                self.main = back.new_sheaf(shared.capacity);
            }
            let (slabs, mut ground) = back.parts(&shared.map);
            if self.main.is_none() || front::refill(self.main, slabs, &mut ground) == 0 {
                return slabs.take(&mut ground, 0);
            }
        }
        self.main.pop()
    }

    /// Exchanges `main`, which is empty, for a full one of the depot; whether there was one.
    fn get_full<L: Park, P: PageAllocator>(&mut self, shared: &SharedKmemCache<L, P>) -> bool {
        if shared.capacity == 0 {
            return false;
        }
        let mut depot = shared.depot();
        let Some(full) = depot.full.pop() else {
            depot.counts.missed += 1;
            return false;
        };
        depot.counts.gets += 1;
        let empty = core::mem::replace(&mut self.main, full);
        shared.put_empty(empty, depot);
        true
    }

    /// Gives an object back if that is a push; whether it was.
    #[inline(always)]
    pub(super) fn push(&mut self, map: &PageMap, object: NonNull<u8>) -> bool {
        self.push_at(object, map.get_near(object.addr().get(), &self.near))
    }

    #[inline(always)]
    fn push_at(&mut self, object: NonNull<u8>, entry: *mut u8) -> bool {
        !entry.is_null() && self.main.top() != Some(object) && self.main.push(object)
    }

    #[inline]
    pub(super) fn free<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        object: NonNull<u8>,
    ) -> Result<(), Misuse> {
        if self.push(&shared.map, object) { Ok(()) } else { self.free_slow(shared, object) }
    }

    /// As [`free`](Self::free); what is wrong ends in the misuse hook.
    #[inline(never)]
    pub(super) fn free_or_end<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        object: NonNull<u8>,
    ) {
        shared.expect(self.free_slow(shared, object));
    }

    #[inline(never)]
    fn free_slow<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        object: NonNull<u8>,
    ) -> Result<(), Misuse> {
        if shared.capacity > 0 {
            let entry = shared.map.go(object.addr().get(), &mut self.near);
            if self.push_at(object, entry) {
                return Ok(());
            }
            if self.main.top() == Some(object) {
                return Err(shared.misuse(object, Finding::DoubleFree));
            }
            if entry.is_null() {
                return Err(shared.misuse(object, Finding::Foreign));
            }
            let found = self.make_room(shared, object);
            if found.is_err_and(|misuse| misuse.address == object.addr().get()) {
                return found;
            }
            if self.main.push(object) {
                return found;
            }
        }
        let mut back = shared.back();
        let (slabs, mut ground) = back.parts(&shared.map);
        slabs.give(&mut ground, object, 0)
    }

    /// Gives an object back that may be anything: looks for it in its slab and in these magazines. A lock, and O(rounds).
    /// Errors: what is wrong with it; nothing has changed then. Or what emptying a magazine found; then the object is free.
    pub(super) fn try_free<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        object: NonNull<u8>,
    ) -> Result<(), Misuse> {
        if shared.capacity > 0 {
            shared.look(object)?;
            if self.main.has(object) || self.spare.has(object) {
                return Err(shared.misuse(object, Finding::DoubleFree));
            }
        }
        self.free(shared, object)
    }

    /// Makes room in `main`, which is full, for an object, unless there is no memory for a magazine.
    /// Errors: what emptying a magazine found; there is room then. If it names the object, that one is free already.
    fn make_room<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        object: NonNull<u8>,
    ) -> Result<(), Misuse> {
        if self.main.is_none() {
            self.main = shared.get_empty();
            return Ok(());
        }
        if self.spare.is_none() {
            self.spare = shared.get_empty();
        }
        if !self.spare.is_none() && self.spare.is_empty() {
            core::mem::swap(&mut self.main, &mut self.spare);
            return Ok(());
        }
        let mut depot = shared.depot();
        if depot.full.len() < MOST {
            depot.counts.puts += 1;
            depot.full.push(self.main);
            let empty = depot.empty.pop();
            drop(depot);
            self.main = empty.unwrap_or_else(|| shared.get_empty());
            return Ok(());
        }
        depot.counts.refused += 1;
        drop(depot);
        let found = shared.flush(self.main);
        // It may have been in the magazine that was emptied.
        shared.look(object)?;
        found
    }

    pub(super) fn allocate_bulk<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        out: &mut [Slot],
    ) -> bool {
        let mut done = self.main.take(out);
        while done < out.len() {
            if !self.spare.is_empty() {
                core::mem::swap(&mut self.main, &mut self.spare);
            } else if !self.get_full(shared) {
                return shared.allocate_rest(out, done);
            }
            done += self.main.take(&mut out[done..]);
        }
        true
    }

    #[inline]
    pub(super) fn free_bulk<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        objects: &[NonNull<u8>],
    ) -> Result<(), Misuse> {
        if front::are_ours(objects, &shared.map, &mut self.near, 0)
            && self.main.top() != objects.first().copied()
            && self.main.put(objects)
        {
            return Ok(());
        }
        self.free_bulk_slow(shared, objects)
    }

    #[cold]
    #[inline(never)]
    fn free_bulk_slow<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
        objects: &[NonNull<u8>],
    ) -> Result<(), Misuse> {
        if shared.capacity == 0 {
            let mut back = shared.back();
            let (slabs, mut ground) = back.parts(&shared.map);
            return slabs.give_all(&mut ground, objects.iter().rev().copied(), 0);
        }
        let mut found = Ok(());
        for &object in objects {
            found = found.and(self.free(shared, object));
        }
        found
    }

    /// Empties the magazines into the slabs, and gives them to the depot.
    /// Errors: the first thing found wrong; there are no magazines any more.
    pub(super) fn flush<L: Park, P: PageAllocator>(
        &mut self,
        shared: &SharedKmemCache<L, P>,
    ) -> Result<(), Misuse> {
        let leaving = Leaving { pair: self, shared };
        leaving.empty()
    }
}

/// A pair whose magazines go to the depot when this is dropped, also when a destructor panics.
struct Leaving<'a, L: Park, P: PageAllocator> {
    pair: &'a mut Pair,
    shared: &'a SharedKmemCache<L, P>,
}

impl<L: Park, P: PageAllocator> Leaving<'_, L, P> {
    fn empty(&self) -> Result<(), Misuse> {
        let found = self.shared.flush(self.pair.main);
        found.and(self.shared.flush(self.pair.spare))
    }
}

impl<L: Park, P: PageAllocator> Drop for Leaving<'_, L, P> {
    fn drop(&mut self) {
        for sheaf in [self.pair.main, self.pair.spare] {
            if !sheaf.is_empty() {
                // After a panic, which says what there is to say.
                let _ = self.shared.flush(sheaf);
            }
        }
        for sheaf in [&mut self.pair.main, &mut self.pair.spare] {
            let sheaf = core::mem::replace(sheaf, Sheaf::none());
            self.shared.put_empty(sheaf, self.shared.depot());
        }
    }
}

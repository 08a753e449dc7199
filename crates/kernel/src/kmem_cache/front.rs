//! Two magazines in front of a cache's slabs: most calls pop or push, and know nothing of slabs.
//!
//! ```text
//! allocate ◄─ pop ─┐           empty: swap, or fill `main` from the slabs
//!               main ⇄ spare
//! free ──── push ──┘           full: swap, or empty `spare` into the slabs
//! ```
//!
//! - **kmem-front-R1** an object in a magazine is in no other, and in use as far as its slab knows.
//! - **kmem-front-R2** the magazines are the cache's pieces for them, or the one with no room.
//!
//! A policy without magazines is this with the one that is empty and full at once: both slow paths go to the slabs. A double free
//! that is not seen at once, as another object was freed since, is seen when both come to the slabs. Layer *kernel*. O(1), and
//! once in as many calls as a magazine has rounds O(rounds). Bonwick and Adams, "Magazines and Vmem", 2001.
use core::ptr::NonNull;

use base::{Broken, PageAllocator, check::ensure};

use super::misuse::{Finding, Misuse};
use super::order;
use super::page_map::{Near, PageMap};
use super::pieces::Pieces;
use super::settings::{DebugFlags, Policy, Refused, Settings};
use super::shape::Shape;
use super::sheaf::{self, Sheaf};
use super::slabs::{Ground, Slabs, TAGS};

mod bulk;
mod trying;

/// What is handed out and taken at a place in an array.
pub(crate) type Slot = Option<NonNull<u8>>;

/// A cache without the pages it takes.
#[derive(Debug)]
pub(crate) struct Front {
    main: Sheaf,
    near: Near,
    tag: usize,
    spare: Sheaf,
    capacity: usize,
    pieces: Pieces,
    pub(super) slabs: Slabs,
}

// SAFETY: what it points to is its own, and what it was given to call may be called from any thread.
unsafe impl Send for Front {}

/// How many rounds a cache's magazines have.
fn capacity(settings: &Settings, stride: usize) -> usize {
    /// More rounds would not be worth their memory.
    const MOST: usize = 1020;
    match settings.policy {
        Policy::Magazine(least) if settings.debug.is_none() => {
            // A head of four words, and as many rounds as fill a power of two of words.
            let wanted = order::magazine_capacity(stride).max(least.min(MOST));
            (wanted + 4).next_power_of_two() - 4
        }
        _ => 0,
    }
}

impl Front {
    /// Nothing allocated. The map's pointers of it will have this tag, below 64.
    /// Errors: the settings do not make a cache.
    pub(crate) fn new(mut settings: Settings, page: usize, tag: usize) -> Result<Self, Refused> {
        if settings.ctor.is_some() {
            settings.debug = settings.debug.without(DebugFlags::POISON);
        }
        let shape = Shape::of(&settings, page)?;
        let capacity = capacity(&settings, shape.stride);
        Ok(Self {
            main: Sheaf::none(),
            near: Near::NOTHING,
            tag,
            spare: Sheaf::none(),
            capacity,
            pieces: Pieces::new(sheaf::bytes(capacity)),
            slabs: Slabs::new(settings, shape, tag),
        })
    }

    #[inline(always)]
    pub(crate) fn allocate<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
    ) -> Option<NonNull<u8>> {
        match self.main.pop() {
            Some(object) => Some(object),
            None => self.allocate_slow(ground),
        }
    }

    #[inline(never)]
    fn allocate_slow<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
    ) -> Option<NonNull<u8>> {
        if self.capacity == 0 {
            return self.slabs.take(ground, 0);
        }
        if !self.spare.is_empty() {
            core::mem::swap(&mut self.main, &mut self.spare);
        } else if self.fill(ground) == 0 {
            return self.slabs.take(ground, 0);
        }
        self.main.pop()
    }

    /// Fills `main`, which is empty, with objects of one slab after the other; how many it has then.
    #[cold]
    fn fill<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>) -> usize {
        if !Self::make(&mut self.main, self.capacity, &mut self.pieces, ground) {
            return 0;
        }
        let main = self.main;
        self.slabs.take_many(ground, main.capacity(), |object| {
            main.push(object);
        })
    }

    /// Makes the magazine if there is none; whether there is one.
    fn make<P: PageAllocator>(
        sheaf: &mut Sheaf,
        capacity: usize,
        pieces: &mut Pieces,
        ground: &mut Ground<'_, P>,
    ) -> bool {
        if sheaf.is_none()
            && let Some(piece) = pieces.take(ground.pages)
        {
            // SAFETY: a piece of this size.
            *sheaf = unsafe { Sheaf::create(piece, capacity) };
        }
        !sheaf.is_none()
    }

    /// Gives an object back if that is a push; whether it was.
    #[inline(always)]
    pub(crate) fn push(&mut self, map: &PageMap, object: NonNull<u8>) -> bool {
        self.push_at(object, map.get_near(object.addr().get(), &self.near))
    }

    /// The same of an object for whose page the map has `entry`.
    #[inline(always)]
    pub(crate) fn push_at(&mut self, object: NonNull<u8>, entry: *mut u8) -> bool {
        let is_ours = !entry.is_null() && entry.addr() & TAGS == self.tag;
        is_ours && self.main.top() != Some(object) && self.main.push(object)
    }

    /// Gives an object back.
    /// Errors: what is wrong with it, as far as that shows before a magazine is emptied; nothing has changed then. Or what
    /// emptying one found; then the object is free.
    #[inline]
    pub(crate) fn free<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        object: NonNull<u8>,
    ) -> Result<(), Misuse> {
        if self.push(ground.map, object) { Ok(()) } else { self.free_slow(ground, object) }
    }

    /// As [`free`](Self::free), of what could not be pushed.
    #[inline]
    pub(crate) fn free_slow<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        object: NonNull<u8>,
    ) -> Result<(), Misuse> {
        let at = object.addr().get();
        let entry = match ground.map.get_near(at, &self.near) {
            far if far.is_null() => ground.map.go(at, &mut self.near),
            near => near,
        };
        self.free_at(ground, object, entry)
    }

    /// Gives an object back, for whose page the map has `entry`.
    /// Errors: as [`free`](Self::free).
    #[inline(never)]
    pub(crate) fn free_at<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        object: NonNull<u8>,
        entry: *mut u8,
    ) -> Result<(), Misuse> {
        if self.push_at(object, entry) {
            return Ok(());
        }
        let (slab, index) = self.slabs.find_at(entry, object)?;
        if self.capacity == 0 {
            return self.slabs.give_at(ground, slab, index, object, 0);
        }
        if self.main.top() == Some(object) || !slab.is_taken(index) {
            return Err(self.slabs.misuse(object, Finding::DoubleFree));
        }
        let found = self.make_room(ground);
        // It may have been in the magazine that was emptied.
        self.slabs.look(ground.map, object)?;
        if !self.main.push(object) {
            self.slabs.give_at(ground, slab, index, object, 0)?;
        }
        found
    }

    /// Makes room in `main`, which is full, unless there is no memory for a magazine.
    /// Errors: what emptying a magazine found; there is room then.
    #[cold]
    fn make_room<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>) -> Result<(), Misuse> {
        if self.main.is_none() {
            Self::make(&mut self.main, self.capacity, &mut self.pieces, ground);
            return Ok(());
        }
        if !Self::make(&mut self.spare, self.capacity, &mut self.pieces, ground) {
            return Ok(());
        }
        let mut found = Ok(());
        if self.spare.len() == self.capacity {
            found = flush(self.spare, &mut self.slabs, ground);
        }
        core::mem::swap(&mut self.main, &mut self.spare);
        found
    }

    /// Bytes of an object of ours that is in use, for whose page the map has `entry`.
    /// Errors: what is wrong with it.
    pub(crate) fn size_of_live(
        &self,
        object: NonNull<u8>,
        entry: *mut u8,
    ) -> Result<usize, Misuse> {
        let (slab, index) = self.slabs.find_at(entry, object)?;
        if !slab.is_taken(index) {
            return Err(self.slabs.misuse(object, Finding::Free));
        }
        Ok(self.slabs.shape.size)
    }

    pub(crate) fn allocate_for<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        user: usize,
    ) -> Option<NonNull<u8>> {
        if self.capacity == 0 { self.slabs.take(ground, user) } else { self.allocate(ground) }
    }

    /// Gives an object back for `user`.
    /// Errors: as [`try_free`](Self::try_free).
    pub(crate) fn free_for<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        object: NonNull<u8>,
        user: usize,
    ) -> Result<(), Misuse> {
        if self.capacity == 0 {
            self.slabs.give(ground, object, user)
        } else {
            self.try_free(ground, object)
        }
    }

    /// Of `near`'s slab if one of its objects is free there, else any.
    /// Errors: what is wrong with `near`.
    pub(crate) fn allocate_near<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        near: NonNull<u8>,
    ) -> Result<Slot, Misuse> {
        self.slabs.take_near(ground, near, 0)
    }

    /// Empties the magazines into the slabs and gives them back.
    /// Errors: the first thing found wrong; they are empty and given back.
    fn flush<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>) -> Result<(), Misuse> {
        let mut found = Ok(());
        for sheaf in [&mut self.main, &mut self.spare] {
            found = found.and(flush(*sheaf, &mut self.slabs, ground));
            let sheaf = core::mem::replace(sheaf, Sheaf::none());
            if !sheaf.is_none() {
                // SAFETY: a piece of ours, which `make` took.
                unsafe { self.pieces.give(sheaf.into_piece(), ground.pages) };
            }
        }
        self.pieces.trim(ground.pages);
        found
    }

    /// Empties the magazines and gives empty slabs back; how many.
    pub(crate) fn shrink<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>) -> usize {
        let found = self.flush(ground);
        let count = self.slabs.shrink(ground);
        self.expect(found);
        count
    }

    /// Gives back all there is, if no object is in use; how many are.
    pub(crate) fn close<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>) -> usize {
        let found = self.flush(ground);
        self.near = Near::NOTHING;
        let live = self.slabs.close(ground);
        self.expect(found);
        live
    }

    /// What was found wrong ends in the misuse hook.
    #[inline]
    pub(super) fn expect<T>(&self, found: Result<T, Misuse>) -> T {
        match found {
            Ok(value) => value,
            Err(misuse) => self.end(&misuse),
        }
    }

    #[cold]
    #[inline(never)]
    fn end(&self, misuse: &Misuse) -> ! {
        (self.slabs.settings.on_misuse)(misuse)
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn cached(&self) -> usize {
        self.main.len() + self.spare.len()
    }

    pub(crate) fn table_bytes(&self) -> usize {
        self.slabs.table_bytes() + self.pieces.bytes()
    }

    /// Proves kmem-front-R1 and kmem-front-R2, and what the slabs have to prove.
    pub(crate) fn check(&self, map: &PageMap) -> Result<(), Broken> {
        self.slabs.check(map)?;
        for object in self.main.iter().chain(self.spare.iter()) {
            let is_taken = self.slabs.find(map, object).is_ok_and(|(slab, at)| slab.is_taken(at));
            ensure(
                is_taken,
                "kmem-front-R1: an object in a magazine is in use",
                object.addr().get(),
            )?;
            let times = self.main.iter().chain(self.spare.iter()).filter(|&one| one == object);
            ensure(times.count() == 1, "kmem-front-R1: it is in no other", object.addr().get())?;
        }
        let made = usize::from(!self.main.is_none()) + usize::from(!self.spare.is_none());
        self.pieces.check(made)
    }
}

/// Gives the objects of a magazine to their slabs.
/// Errors: the first thing found wrong; the magazine is empty, and all that was right is free.
fn flush<P: PageAllocator>(
    sheaf: Sheaf,
    slabs: &mut Slabs,
    ground: &mut Ground<'_, P>,
) -> Result<(), Misuse> {
    slabs.give_all(ground, sheaf.leave(), 0)
}

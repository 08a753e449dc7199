//! The slabs of one cache: objects out of the present one, then out of partial ones, then out of new ones.
//!
//! ```text
//!              take ◄── current ◄── partial ⇄ partial ⇄ partial ◄──┐ a free
//!                          │ exhausted                             │
//!                          └──────► full ⇄ full ───────────────────┘
//!  pages ──► new            empty, and enough are partial ──► pages
//! ```
//!
//! - **kmem-slabs-N1** a slab is the current one, on the list of partial ones, where some of its objects are free, or on that of full ones,
//!   where none is.
//! - **kmem-slabs-N2** `count`, `objects` and `live` are the sums over all slabs; so is what the pieces have given out.
//! - **kmem-slabs-N3** the map leads from each page of a slab to its descriptor, and to no other page.
//!
//! Objects are taken from one slab until none is left, whatever is freed elsewhere meanwhile: what is allocated together lies
//! together. Layer *kernel*. O(1); O(objects of a slab) for a new one. Bonwick, "The Slab Allocator", 1994; SLUB of Linux 6.12.
use core::ptr::NonNull;

use base::PageAllocator;

use super::debug;
use super::misuse::{Finding, Misuse};
use super::order;
use super::page_map::PageMap;
use super::pieces::Pieces;
use super::settings::{Policy, Settings};
use super::shape::Shape;
use super::shuffle::Shuffle;
use super::slab::{self, List, On, Slab};

mod make;
mod shrink;

/// The low bits of a pointer in the map.
pub(crate) const TAGS: usize = 63;

/// What a cache stands on: pages, and the map that finds its slabs.
#[derive(Debug)]
pub(crate) struct Ground<'a, P> {
    pub(crate) pages: &'a mut P,
    pub(crate) map: &'a PageMap,
}

#[derive(Debug)]
pub(crate) struct Slabs {
    current: Option<Slab>,
    partial: List,
    full: List,
    pub(super) settings: Settings,
    pub(super) shape: Shape,
    tag: usize,
    pieces: Pieces,
    shuffle: Option<Shuffle>,
    min_partial: usize,
    pub(super) counts: Counts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) slabs: usize,
    pub(super) objects: usize,
    /// In use, or in a magazine.
    pub(super) live: usize,
    pub(super) bytes: usize,
}

impl Slabs {
    /// Without slabs. The map's pointers of it will have this tag.
    pub(super) fn new(settings: Settings, shape: Shape, tag: usize) -> Self {
        let shuffle = match settings.policy {
            Policy::Random(seed) => Some(Shuffle::new(seed)),
            _ => None,
        };
        Self {
            current: None,
            partial: List::new(On::Partial),
            full: List::new(On::Full),
            tag,
            pieces: Pieces::new(slab::bytes(shape.objects)),
            shuffle,
            min_partial: order::min_partial(shape.stride),
            counts: Counts::default(),
            settings,
            shape,
        }
    }

    /// An object. `None`: there is no memory.
    #[inline]
    pub(super) fn take<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        user: usize,
    ) -> Option<NonNull<u8>> {
        if let Some(slab) = self.current
            && let Some(index) = slab.pop()
        {
            return Some(self.hand_out(slab, index, user));
        }
        self.take_slow(ground, user)
    }

    #[cold]
    #[inline(never)]
    fn take_slow<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        user: usize,
    ) -> Option<NonNull<u8>> {
        let slab = self.next_slab(ground)?;
        let index = slab.pop()?;
        Some(self.hand_out(slab, index, user))
    }

    /// Makes a slab with free objects the current one, which is exhausted.
    fn next_slab<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>) -> Option<Slab> {
        if let Some(full) = self.current.take() {
            self.full.push_back(full);
        }
        let slab = match self.partial.pop_front() {
            Some(slab) => slab,
            None => self.new_slab(ground)?,
        };
        slab.set_on(On::Current);
        self.current = Some(slab);
        Some(slab)
    }

    /// Shows up to `most` objects to `take`, who has them then; how many. Not for a cache with checks.
    pub(super) fn take_many<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        most: usize,
        mut take: impl FnMut(NonNull<u8>),
    ) -> usize {
        debug_assert!(self.settings.debug.is_none());
        let (stride, mut done) = (self.shape.stride, 0);
        while done < most {
            let count = self.current.map_or(0, |slab| {
                slab.pop_many(most - done, |index| {
                    // SAFETY: an object of the slab.
                    take(unsafe { slab.at(usize::from(index) * stride) });
                })
            });
            self.counts.live += count;
            done += count;
            if done < most && self.next_slab(ground).is_none() {
                break;
            }
        }
        done
    }

    /// Of `near`'s slab if one of its objects is free, else any.
    pub(super) fn take_near<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        near: NonNull<u8>,
        user: usize,
    ) -> Result<Option<NonNull<u8>>, Misuse> {
        let (slab, _) = self.find(ground.map, near)?;
        let Some(index) = slab.pop() else { return Ok(self.take(ground, user)) };
        if slab.on() == On::Partial && slab.live() == slab.objects() {
            self.partial.remove(slab);
            self.full.push_back(slab);
        }
        Ok(Some(self.hand_out(slab, index, user)))
    }

    #[inline]
    fn hand_out(&mut self, slab: Slab, index: u16, user: usize) -> NonNull<u8> {
        self.counts.live += 1;
        let offset = usize::from(index) * self.shape.stride + self.shape.left;
        // SAFETY: an object of the slab.
        let object = unsafe { slab.at(offset) };
        if !self.settings.debug.is_none() {
            debug::allocated(self, object, user);
        }
        object
    }

    #[inline]
    pub(super) fn find(&self, map: &PageMap, object: NonNull<u8>) -> Result<(Slab, u16), Misuse> {
        self.find_at(map.get(object.addr().get()), object)
    }

    /// The same with what the map says.
    #[inline]
    pub(super) fn find_at(
        &self,
        entry: *mut u8,
        object: NonNull<u8>,
    ) -> Result<(Slab, u16), Misuse> {
        let slab = Slab::from_ptr(entry.map_addr(|address| address & !TAGS));
        let Some(slab) = slab.filter(|_| entry.addr() & TAGS == self.tag) else {
            return Err(self.misuse(object, Finding::Foreign));
        };
        let offset = object.addr().get().wrapping_sub(slab.first() + self.shape.left);
        let index = self.shape.index(offset);
        if index >= slab.objects() || index * self.shape.stride != offset {
            return Err(self.misuse(object, Finding::Inside));
        }
        Ok((slab, base::bits::low16(index)))
    }

    /// Gives an object back; its slab too when it is empty and enough others have free objects.
    /// Errors: what is wrong with it; nothing has changed then.
    #[inline]
    pub(super) fn give<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        object: NonNull<u8>,
        user: usize,
    ) -> Result<(), Misuse> {
        let (slab, index) = self.find(ground.map, object)?;
        self.give_at(ground, slab, index, object, user)
    }

    #[inline]
    pub(super) fn give_at<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        slab: Slab,
        index: u16,
        object: NonNull<u8>,
        user: usize,
    ) -> Result<(), Misuse> {
        self.put(slab, index, object, user)?;
        self.settle(ground, slab);
        Ok(())
    }

    /// Takes back what a bulk got, the first `had` of `out`, as it cannot get the rest: all of `out` is `None` then.
    /// Errors: one of them is no live object: it was freed twice, and came out of a magazine.
    #[cold]
    pub(super) fn take_back<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        out: &mut [Option<NonNull<u8>>],
        had: usize,
    ) -> Result<(), Misuse> {
        let (got, rest) = out.split_at_mut(had);
        // What the caller left there is the caller's.
        rest.fill(None);
        self.give_all(ground, got.iter_mut().rev().filter_map(Option::take), 0)
    }

    /// Gives objects back in this order, so that the last is handed out next; looks for a slab once for those of it that follow
    /// each other.
    /// Errors: the first thing found wrong; all that was right is free.
    pub(super) fn give_all<P: PageAllocator>(
        &mut self,
        ground: &mut Ground<'_, P>,
        objects: impl Iterator<Item = NonNull<u8>>,
        user: usize,
    ) -> Result<(), Misuse> {
        let mut found = Ok(());
        let mut last: Option<Slab> = None;
        for object in objects {
            let here = last.filter(|slab| {
                object.addr().get().wrapping_sub(slab.base().addr().get())
                    < self.shape.page << slab.order()
            });
            let at = match here {
                Some(slab) => self.find_at(slab.as_ptr().map_addr(|at| at | self.tag), object),
                None => {
                    last.take().into_iter().for_each(|slab| self.settle(ground, slab));
                    self.find(ground.map, object)
                }
            };
            match at.and_then(|(slab, index)| {
                last = Some(slab);
                self.put(slab, index, object, user)
            }) {
                Ok(()) => {}
                Err(misuse) => found = found.and(Err(misuse)),
            }
        }
        last.into_iter().for_each(|slab| self.settle(ground, slab));
        found
    }

    /// Marks an object as free; its slab is on the list where it was.
    #[inline]
    fn put(
        &mut self,
        slab: Slab,
        index: u16,
        object: NonNull<u8>,
        user: usize,
    ) -> Result<(), Misuse> {
        if !self.settings.debug.is_none() && slab.is_taken(index) {
            debug::freed(self, object, user)?;
        }
        if !slab.push(index) {
            return Err(self.misuse(object, Finding::DoubleFree));
        }
        self.counts.live -= 1;
        Ok(())
    }

    /// That an object is in use.
    /// Errors: what is wrong with it.
    pub(super) fn look(&self, map: &PageMap, object: NonNull<u8>) -> Result<(), Misuse> {
        match self.find(map, object)? {
            (slab, index) if slab.is_taken(index) => Ok(()),
            _ => Err(self.misuse(object, Finding::DoubleFree)),
        }
    }

    /// Puts a slab where it belongs after objects of it were freed (kmem-slabs-N1).
    #[inline]
    fn settle<P: PageAllocator>(&mut self, ground: &mut Ground<'_, P>, slab: Slab) {
        match slab.on() {
            On::Full if slab.live() < slab.objects() => {
                self.full.remove(slab);
                self.partial.push_back(slab);
            }
            _ => {}
        }
        if slab.live() == 0 && slab.on() == On::Partial && self.partial.len() > self.min_partial {
            self.partial.remove(slab);
            self.retire(ground, slab);
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn misuse(&self, object: NonNull<u8>, finding: Finding) -> Misuse {
        let users = match finding {
            Finding::Foreign | Finding::Inside => None,
            _ => debug::users(self, object),
        };
        Misuse { cache: self.settings.name, address: object.addr().get(), finding, users }
    }

    pub(super) fn objects_of(&self, slab: Slab) -> impl Iterator<Item = NonNull<u8>> + use<> {
        let (stride, left) = (self.shape.stride, self.shape.left);
        // SAFETY: objects of the slab.
        (0..slab.objects()).map(move |index| unsafe { slab.at(index * stride + left) })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Slab> + use<> {
        self.current.into_iter().chain(self.partial.iter()).chain(self.full.iter())
    }

    /// Slabs of which some objects are free and none is being taken.
    pub(super) fn partial(&self) -> &List {
        &self.partial
    }

    pub(super) fn table_bytes(&self) -> usize {
        self.pieces.bytes()
    }
}

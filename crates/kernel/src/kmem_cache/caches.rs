//! `Caches`: a set of caches over the same pages, of which those that ask for nearly the same share their slabs.
//!
//! ```text
//! create("flow", 40) ─┐                      id ─► entry ─► magazines, slabs
//! create("item", 36) ─┴─► one of 40 bytes          ▲ tag
//! create("node", 40, ctor) ─► another        address ─► map ─► slab
//! ```
//!
//! - **kmem-caches-J1** the map's tag of a slab is the index of its cache's entry.
//! - **kmem-caches-J2** a cache has `users`, one for each `create` that got it and was not taken back; without one there is no entry.
//!
//! A new cache shares an old one's slabs when neither has a constructor, a destructor, a reclaim function, checks or
//! [`no_merge`](Settings::no_merge), both have the same policy, and the new one's stride is at most the old one's, less than a
//! word smaller, and the old one's is a multiple of the new one's alignment: the kernel's rule (`find_mergeable` of Linux 6.12, as
//! its behaviour is described). Then the two are one cache with two users; objects of the one may be freed as the other's.
//!
//! When there are no pages, empty slabs of all caches go back first. One owner. O(1), but O(caches) to create.
use core::fmt;
use core::ptr::NonNull;

use base::bits::align_up;
use base::{Broken, Check, PageAllocator, check::ensure};

use super::front::{Front, Slot};
use super::misuse::{Finding, Misuse};
use super::page_map::PageMap;
use super::settings::{Name, Refused, Settings};
use super::shape::Shape;
use super::slabs::{Ground, TAGS};
use super::statistics::{Info, Locality, SLABINFO_HEADER};

/// What is the same in two caches that share slabs is at most this much different.
const WORD: usize = 8;

/// A cache of a set; good until as often taken back as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheId {
    index: u8,
    serial: u32,
}

/// Why a set refused. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheError {
    /// The settings do not make a cache.
    Refused(Refused),
    /// The set has as many caches as it can have.
    Full,
    /// There is no cache with this id, or no more.
    Unknown,
    /// There is no memory.
    NoMemory,
    /// So many objects are in use.
    InUse(usize),
    /// The pointer is wrong.
    Misuse(Misuse),
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CacheError::Refused(refused) => refused.fmt(f),
            CacheError::Full => f.write_str("the set has no room for another cache"),
            CacheError::Unknown => f.write_str("no cache has this id, or no more"),
            CacheError::NoMemory => f.write_str("out of memory"),
            CacheError::InUse(live) => write!(f, "{live} objects are still in use"),
            CacheError::Misuse(misuse) => misuse.fmt(f),
        }
    }
}

impl core::error::Error for CacheError {}

#[derive(Debug)]
struct Entry {
    serial: u32,
    users: usize,
    front: Front,
}

/// At most `MOST` caches, below 64, over the same pages; from `&mut self`: one owner, no lock.
///
/// Dropped, it gives back the slabs without objects in use; those with some are lost to the pages.
///
/// ```
/// use base::AddMemory;
/// use heapwright_kernel_allocators::kmem_cache::{Caches, Settings};
/// use heapwright_kernel_allocators::bitmap::BitmapPages;
///
/// let mut memory = vec![0u8; 1 << 20];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
///
/// let mut caches = Caches::<_, 8>::new(pages);
/// let flow = caches.create(Settings::new("flow", 40)).unwrap();
/// let item = caches.create(Settings::new("item", 36)).unwrap();
/// let own = caches.create(Settings::new("own", 40).no_merge()).unwrap();
/// assert!(flow == item && flow != own);
/// let object = caches.allocate(flow).unwrap();
/// // SAFETY: it is refused.
/// let error = unsafe { caches.try_free(own, object) }.unwrap_err();
/// assert!(error.to_string().ends_with("is an object of cache flow"));
/// // SAFETY: it is live and used no more.
/// unsafe { caches.free(object) };
/// ```
pub struct Caches<P: PageAllocator, const MOST: usize = 32> {
    entries: [Option<Entry>; MOST],
    map: PageMap,
    pages: P,
    page: usize,
    serial: u32,
}

impl<P: PageAllocator, const MOST: usize> Caches<P, MOST> {
    /// Without caches.
    #[must_use]
    pub fn new(pages: P) -> Self {
        const { assert!(MOST > 0 && MOST < TAGS, "an index is a tag, and the last one is kmalloc's") };
        let page = pages.page_size();
        let entries = [const { None }; MOST];
        Self { entries, map: PageMap::new(page), pages, page, serial: 0 }
    }

    /// A new cache, or one that is there and fits as well. O(caches).
    ///
    /// # Errors
    ///
    /// [`Refused`](CacheError::Refused), [`Full`](CacheError::Full).
    pub fn create(&mut self, settings: Settings) -> Result<CacheId, CacheError> {
        let shape = Shape::of(&settings, self.page).map_err(CacheError::Refused)?;
        for (index, entry) in (0..).zip(&mut self.entries) {
            if let Some(entry) = entry
                && may_share(&entry.front, &settings, &shape)
            {
                entry.users += 1;
                // What is zeroed is as much as the largest of them asks for.
                let size = &mut entry.front.slabs.shape.size;
                *size = settings.size.max(*size);
                return Ok(CacheId { index, serial: entry.serial });
            }
        }
        let place = (0..).zip(&mut self.entries).find(|(_, entry)| entry.is_none());
        let (index, entry) = place.ok_or(CacheError::Full)?;
        let front =
            Front::new(settings, self.page, usize::from(index)).map_err(CacheError::Refused)?;
        self.serial += 1;
        *entry = Some(Entry { serial: self.serial, users: 1, front });
        Ok(CacheId { index, serial: self.serial })
    }

    #[inline]
    fn parts(&mut self, id: CacheId) -> Result<(&mut Entry, Ground<'_, P>), CacheError> {
        let entry = self.entries.get_mut(usize::from(id.index)).and_then(Option::as_mut);
        let entry = entry.filter(|entry| entry.serial == id.serial).ok_or(CacheError::Unknown)?;
        Ok((entry, Ground { pages: &mut self.pages, map: &self.map }))
    }

    /// An object. O(1); O(objects of a slab) for a new one.
    ///
    /// # Errors
    ///
    /// [`Unknown`](CacheError::Unknown), [`NoMemory`](CacheError::NoMemory).
    #[inline]
    pub fn allocate(&mut self, id: CacheId) -> Result<NonNull<u8>, CacheError> {
        let (entry, mut ground) = self.parts(id)?;
        match entry.front.allocate(&mut ground) {
            Some(object) => Ok(object),
            None => self.allocate_again(id),
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_again(&mut self, id: CacheId) -> Result<NonNull<u8>, CacheError> {
        self.shrink();
        let (entry, mut ground) = self.parts(id)?;
        entry.front.allocate(&mut ground).ok_or(CacheError::NoMemory)
    }

    /// The same, and all bytes are 0. Not for objects with a constructor.
    ///
    /// # Errors
    ///
    /// As [`allocate`](Self::allocate).
    pub fn allocate_zeroed(&mut self, id: CacheId) -> Result<NonNull<u8>, CacheError> {
        let object = self.allocate(id)?;
        let (entry, _) = self.parts(id)?;
        // SAFETY: an object has this many bytes.
        unsafe { object.write_bytes(0, entry.front.slabs.shape.size) };
        Ok(object)
    }

    /// Fills all of `out` with objects, or none of it: if it fails for want of memory, all of `out` is `None`. O(objects).
    ///
    /// # Errors
    ///
    /// As [`allocate`](Self::allocate).
    pub fn allocate_bulk(&mut self, id: CacheId, out: &mut [Slot]) -> Result<(), CacheError> {
        let (entry, mut ground) = self.parts(id)?;
        if entry.front.allocate_bulk(&mut ground, out) {
            return Ok(());
        }
        self.shrink();
        let (entry, mut ground) = self.parts(id)?;
        let done = entry.front.allocate_bulk(&mut ground, out);
        if done { Ok(()) } else { Err(CacheError::NoMemory) }
    }

    /// Gives an object back to whichever cache it belongs to. O(1). What is found wrong ends in that cache's misuse hook, or where
    /// there is none in a panic.
    ///
    /// # Safety
    ///
    /// `object` was allocated here, is live, and is dead afterwards.
    #[inline]
    pub unsafe fn free(&mut self, object: NonNull<u8>) {
        let entry = self.map.get(object.addr().get());
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        let owner = self.entries.get_mut(entry.addr() & TAGS).filter(|_| !entry.is_null());
        let Some(owner) = owner.and_then(Option::as_mut) else { nobodys(object) };
        if let Err(misuse) = owner.front.free_at(&mut ground, object, entry) {
            (owner.front.slabs.settings.on_misuse)(&misuse);
        }
    }

    /// Gives an object of this cache back, for whoever can go on.
    ///
    /// # Errors
    ///
    /// [`Unknown`](CacheError::Unknown); [`Misuse`](CacheError::Misuse), which names the right cache if there is one. As of
    /// [`KmemCache::try_free`](super::KmemCache::try_free) it may be another object's, and this one is free.
    ///
    /// # Safety
    ///
    /// As [`free`](Self::free), but a pointer that no object of this cache has, and one to an object that is free, be it in its
    /// slab or in a magazine, are refused.
    pub unsafe fn try_free(&mut self, id: CacheId, object: NonNull<u8>) -> Result<(), CacheError> {
        let (entry, mut ground) = self.parts(id)?;
        let Err(mut misuse) = entry.front.try_free(&mut ground, object) else { return Ok(()) };
        if misuse.finding == Finding::Foreign
            && let Some(owner) = self.owner(object)
        {
            misuse.finding = Finding::WrongCache(owner);
        }
        Err(CacheError::Misuse(misuse))
    }

    /// The name of the cache whose slab an address lies in. O(1).
    #[must_use]
    pub fn owner(&self, object: NonNull<u8>) -> Option<Name> {
        let entry = self.map.get(object.addr().get());
        let owner = self.entries.get(entry.addr() & TAGS)?.as_ref();
        owner.filter(|_| !entry.is_null()).map(|owner| owner.front.slabs.settings.name)
    }

    /// Takes a cache back, or one user of it.
    ///
    /// # Errors
    ///
    /// [`Unknown`](CacheError::Unknown); [`InUse`](CacheError::InUse): it was the last user, and so many objects are in use.
    pub fn destroy(&mut self, id: CacheId) -> Result<(), CacheError> {
        let (entry, mut ground) = self.parts(id)?;
        if entry.users > 1 {
            entry.users -= 1;
            return Ok(());
        }
        match entry.front.close(&mut ground) {
            0 => {
                self.entries[usize::from(id.index)] = None;
                Ok(())
            }
            live => Err(CacheError::InUse(live)),
        }
    }

    /// Empties all magazines and gives empty slabs of all caches back; how many. O(partial slabs).
    pub fn shrink(&mut self) -> usize {
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        let entries = self.entries.iter_mut().flatten();
        entries.map(|entry| entry.front.shrink(&mut ground)).sum()
    }

    /// What there is in a cache now. O(partial slabs).
    ///
    /// # Errors
    ///
    /// [`Unknown`](CacheError::Unknown).
    pub fn info(&self, id: CacheId) -> Result<Info, CacheError> {
        let entry = self.entries.get(usize::from(id.index)).and_then(Option::as_ref);
        let entry = entry.filter(|entry| entry.serial == id.serial).ok_or(CacheError::Unknown)?;
        Ok(entry.info())
    }

    /// The same of all caches.
    pub fn infos(&self) -> impl Iterator<Item = Info> {
        self.entries.iter().flatten().map(Entry::info)
    }

    /// How close together a cache's objects in use lie. O(objects of all its slabs).
    ///
    /// # Errors
    ///
    /// [`Unknown`](CacheError::Unknown).
    pub fn locality(&mut self, id: CacheId) -> Result<Locality, CacheError> {
        self.parts(id).map(|(entry, _)| Locality::of_front(&entry.front))
    }

    /// Writes what `/proc/slabinfo` would have.
    ///
    /// # Errors
    ///
    /// `to`'s.
    pub fn slabinfo(&self, to: &mut dyn fmt::Write) -> fmt::Result {
        writeln!(to, "{SLABINFO_HEADER}")?;
        self.infos().try_for_each(|info| writeln!(to, "{info}"))
    }

    /// The pages it takes its slabs from, to be given memory.
    ///
    /// # Safety
    ///
    /// What it has taken stays taken, and goes back to the same pages: they are not replaced, reset, or swapped.
    pub const unsafe fn pages_mut(&mut self) -> &mut P {
        &mut self.pages
    }
}

impl Entry {
    fn info(&self) -> Info {
        Info { aliases: self.users - 1, ..Info::of_front(&self.front) }
    }
}

/// The kernel's rule.
fn may_share(old: &Front, settings: &Settings, shape: &Shape) -> bool {
    let (theirs, stride) = (&old.slabs.settings, old.slabs.shape.stride);
    let size = align_up(align_up(settings.size, WORD), shape.align);
    settings.may_share()
        && theirs.may_share()
        && (settings.policy, settings.colour, settings.cpus)
            == (theirs.policy, theirs.colour, theirs.cpus)
        && size <= stride
        && stride - size < WORD
        && stride.is_multiple_of(shape.align)
        && old.slabs.shape.align.is_multiple_of(shape.align)
}

#[cold]
#[inline(never)]
fn nobodys(object: NonNull<u8>) -> ! {
    panic!("caches: {:#x} is no live object of them", object.addr())
}

impl<P: PageAllocator, const MOST: usize> Check for Caches<P, MOST> {
    fn check(&self) -> Result<(), Broken> {
        self.entries.iter().flatten().try_for_each(|entry| {
            ensure(entry.users > 0, "kmem-caches-J2: a cache has users", entry.users)?;
            entry.front.check(&self.map)
        })?;
        let mut strays = 0;
        self.map.each(&mut |entry| {
            let owner = self.entries.get(entry.addr() & TAGS);
            strays += usize::from(owner.is_none_or(Option::is_none));
        });
        ensure(strays == 0, "kmem-caches-J1: a tag is the index of a cache", strays)
    }
}

impl<P: PageAllocator, const MOST: usize> Drop for Caches<P, MOST> {
    fn drop(&mut self) {
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        let entries = self.entries.iter_mut().flatten();
        let live: usize = entries.map(|entry| entry.front.close(&mut ground)).sum();
        if live == 0 {
            self.map.clear(&mut self.pages);
        }
    }
}

impl<P: PageAllocator, const MOST: usize> fmt::Debug for Caches<P, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.infos()).finish()
    }
}

#[cfg(test)]
mod tests;

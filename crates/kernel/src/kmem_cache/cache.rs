//! `KmemCache`: objects of one size and alignment, given at run time, out of any pages, for one owner.
use core::fmt;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use base::{Broken, Check, PageAllocator};

use super::debug;
use super::front::Front;
use super::misuse::Misuse;
use super::page_map::PageMap;
#[cfg(target_has_atomic = "ptr")]
use super::reserve::Identity;
use super::settings::{Name, Refused, Settings};
use super::slabs::Ground;
use super::statistics::Info;

#[cfg(target_has_atomic = "ptr")]
mod reserves;

/// A cache that could not be taken down, as objects of it are in use.
#[derive(Debug)]
pub struct InUse<C> {
    /// The cache, as it was but for its magazines, which are empty.
    pub cache: C,
    /// How many objects are in use.
    pub live: usize,
    /// The cache's name.
    pub name: Name,
}

impl<C> fmt::Display for InUse<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cache {}: {} objects are still in use", self.name, self.live)
    }
}

impl<C: fmt::Debug> core::error::Error for InUse<C> {}

/// Objects of one size, from `&mut self`: one owner, no lock.
///
/// Dropped, it gives back the slabs without objects in use; those with some are lost to the pages.
///
/// ```
/// use base::AddMemory;
/// use heapwright_kernel_allocators::kmem_cache::{KmemCache, Policy, Settings};
/// use heapwright_kernel_allocators::bitmap::BitmapPages;
///
/// let mut memory = vec![0u8; 1 << 20];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
///
/// let mut cache = KmemCache::new(Settings::new("flow", 40), pages).unwrap();
/// let first = cache.allocate().unwrap();
/// let second = cache.allocate().unwrap();
/// assert_eq!(second.addr().get() - first.addr().get(), 40);
/// // SAFETY: both are live and used no more.
/// unsafe {
///     cache.free(first);
///     cache.free(second);
/// }
/// assert_eq!(cache.allocate(), Some(second), "the one that was freed last");
/// # unsafe { cache.free(second) };
/// assert_eq!(cache.info().objects_per_slab, 102);
/// let _pages = cache.destroy().unwrap();
/// ```
pub struct KmemCache<P: PageAllocator> {
    front: Front,
    map: PageMap,
    pages: P,
    #[cfg(target_has_atomic = "ptr")]
    identity: Identity,
}

impl<P: PageAllocator> KmemCache<P> {
    /// A cache without slabs.
    /// Errors: the settings do not make a cache.
    pub fn new(settings: Settings, pages: P) -> Result<Self, Refused> {
        let page = pages.page_size();
        let front = Front::new(settings, page, 0)?;
        Ok(Self {
            front,
            map: PageMap::new(page),
            pages,
            #[cfg(target_has_atomic = "ptr")]
            identity: Identity::new(),
        })
    }

    #[inline(always)]
    fn parts(&mut self) -> (&mut Front, Ground<'_, P>) {
        (&mut self.front, Ground { pages: &mut self.pages, map: &self.map })
    }

    /// An object: its bytes are what its constructor or its last user left there. O(1); O(objects of a slab) for a new one.
    /// `None`: there is no memory.
    #[inline(always)]
    pub fn allocate(&mut self) -> Option<NonNull<u8>> {
        let (front, mut ground) = self.parts();
        front.allocate(&mut ground)
    }

    /// The same, and all bytes are 0. Not for objects with a constructor.
    pub fn allocate_zeroed(&mut self) -> Option<NonNull<u8>> {
        let object = self.allocate()?;
        // SAFETY: an object has this many bytes.
        unsafe { object.write_bytes(0, self.front.slabs.shape.size) };
        Some(object)
    }

    /// The same as [`allocate`](Self::allocate), and a cache with [`DebugFlags::USER`](super::DebugFlags::USER) keeps who asked.
    pub fn allocate_for(&mut self, user: usize) -> Option<NonNull<u8>> {
        let (front, mut ground) = self.parts();
        front.allocate_for(&mut ground, user)
    }

    /// An object of the slab that `near` lies in if one is free there, not counting magazines, else any.
    ///
    /// A pointer that is none of this cache ends in the misuse hook.
    pub fn alloc_near(&mut self, near: NonNull<u8>) -> Option<NonNull<u8>> {
        let (front, mut ground) = self.parts();
        let found = front.allocate_near(&mut ground, near);
        self.expect(found)
    }

    /// Gives an object back, in the state that the constructor leaves if there is one. O(1).
    ///
    /// What is found wrong ends in the misuse hook: a foreign pointer and one to another cache's object at once. So does everything
    /// without magazines; with them a pointer into an object, and a second free that does not follow the first, show when a
    /// magazine is emptied.
    /// # Safety
    /// `object` was allocated here, is live, and is dead afterwards.
    #[inline(always)]
    pub unsafe fn free(&mut self, object: NonNull<u8>) {
        if !self.front.push(&self.map, object) {
            self.free_slow(object);
        }
    }

    #[inline(never)]
    fn free_slow(&mut self, object: NonNull<u8>) {
        let (front, mut ground) = self.parts();
        let found = front.free_slow(&mut ground, object);
        self.expect(found);
    }

    /// As [`free`](Self::free), for whoever can go on. With magazines the object is looked for in them: O(rounds).
    /// Errors: what was found wrong with it: nothing has changed then. Or with another object, freed by
    /// [`free`](Self::free), that came out of a magazine to make room: then this one is free.
    /// # Safety
    /// As [`free`](Self::free), but a pointer that no object of this cache has, and one to an object that is free, be it in its
    /// slab or in a magazine, are refused.
    pub unsafe fn try_free(&mut self, object: NonNull<u8>) -> Result<(), Misuse> {
        let (front, mut ground) = self.parts();
        front.try_free(&mut ground, object)
    }

    /// As [`try_free`](Self::try_free), and a cache with [`DebugFlags::USER`](super::DebugFlags::USER) keeps who freed.
    /// Errors: as [`try_free`](Self::try_free).
    /// # Safety
    /// As [`try_free`](Self::try_free).
    pub unsafe fn free_for(&mut self, object: NonNull<u8>, user: usize) -> Result<(), Misuse> {
        let (front, mut ground) = self.parts();
        front.free_for(&mut ground, object, user)
    }

    /// Bytes of an object here that is live.
    /// Errors: what is wrong with the pointer.
    pub fn try_size(&self, object: NonNull<u8>) -> Result<usize, Misuse> {
        self.front.size_of_live(object, self.map.get(object.addr().get()))
    }

    /// Fills all of `out` with objects, or none of it: whether there was memory; if not, all of `out` is `None`, whatever it was.
    /// O(objects).
    #[must_use]
    pub fn allocate_bulk(&mut self, out: &mut [Option<NonNull<u8>>]) -> bool {
        let (front, mut ground) = self.parts();
        front.allocate_bulk(&mut ground, out)
    }

    /// Gives all objects back. Without magazines the first of a slab is the next that is handed out, with them the last. With
    /// magazines an object that is in `objects` twice shows when a magazine is emptied. O(objects).
    /// # Safety
    /// As [`free`](Self::free) for each of them.
    pub unsafe fn free_bulk(&mut self, objects: &[NonNull<u8>]) {
        let (front, mut ground) = self.parts();
        let found = front.free_bulk(&mut ground, objects);
        self.expect(found);
    }

    /// As [`free_bulk`](Self::free_bulk), for whoever can go on. With magazines O(objects · rounds).
    /// Errors: the first thing that was found wrong; all that was right is free. One that is in `objects` twice is
    /// wrong the second time.
    /// # Safety
    /// As [`try_free`](Self::try_free) for each of them.
    pub unsafe fn try_free_bulk(&mut self, objects: &[NonNull<u8>]) -> Result<(), Misuse> {
        let (front, mut ground) = self.parts();
        front.try_free_bulk(&mut ground, objects)
    }

    /// Empties the magazines, gives empty slabs back, and sorts partial ones, the fullest first. How many slabs went back.
    /// O(partial slabs).
    pub fn shrink(&mut self) -> usize {
        let (front, mut ground) = self.parts();
        front.shrink(&mut ground)
    }

    /// Takes the cache down.
    /// Errors: objects are in use: the cache comes back, and says how many.
    pub fn destroy(mut self) -> Result<P, InUse<Self>> {
        let live = self.close();
        if live > 0 {
            let name = self.name();
            return Err(InUse { cache: self, live, name });
        }
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped, and nothing else in it has anything to drop.
        Ok(unsafe { ptr::read(&raw const this.pages) })
    }

    /// Gives back what can be given back; how many objects are in use.
    fn close(&mut self) -> usize {
        let (front, mut ground) = self.parts();
        let live = front.close(&mut ground);
        if live == 0 {
            self.map.clear(&mut self.pages);
        }
        live
    }

    /// What there is now. O(partial slabs).
    #[must_use]
    pub fn info(&self) -> Info {
        let mut info = Info::of(&self.front);
        info.table_bytes += self.map.bytes();
        info
    }

    /// Looks at what the cache's checks wrote beside and into every object; how many it has.
    /// Errors: the first byte that somebody else wrote.
    pub fn validate(&self) -> Result<usize, Misuse> {
        debug::validate(&self.front.slabs)
    }

    /// The cache's name.
    #[must_use]
    pub fn name(&self) -> Name {
        self.front.slabs.settings.name
    }

    /// Bytes of an object, as asked for.
    #[must_use]
    pub fn object_size(&self) -> usize {
        self.front.slabs.shape.size
    }

    /// The same, to be given memory.
    /// # Safety
    /// What it has taken stays taken, and goes back to the same pages: they are not replaced, reset, or swapped.
    pub unsafe fn pages_mut(&mut self) -> &mut P {
        &mut self.pages
    }

    /// Whether the page of this address belongs to a slab of this cache.
    #[must_use]
    pub fn owns(&self, address: usize) -> bool {
        !self.map.get(address).is_null()
    }

    #[inline]
    fn expect<T>(&self, found: Result<T, Misuse>) -> T {
        self.front.expect(found)
    }
}

impl<P: PageAllocator> Check for KmemCache<P> {
    fn check(&self) -> Result<(), Broken> {
        self.front.check(&self.map)
    }
}

impl<P: PageAllocator> Drop for KmemCache<P> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<P: PageAllocator> fmt::Debug for KmemCache<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KmemCache").field("info", &self.info()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;

//! `Kmalloc`: blocks of any size up to 4 MiB, freed by their address alone.
//!
//! ```text
//! request ≤ 8 KiB ─► one of 13 caches, kmalloc-8 to kmalloc-8k
//! request larger  ─► 2^k pages                                     address ─► map ─► the cache's slab │ k
//! ```
//!
//! - **kmalloc-A1** the map leads from each page of a slab to the slab, with its cache's index as tag, and from the first page of a larger
//!   block to its order with the tag `LARGE`.
//! - **kmalloc-A2** `large` and `large_bytes` are the larger blocks in use and their bytes.
//!
//! A power of two is aligned to itself, 96 to 32, 192 to 64; with red zones or users beside it what is cached and larger than a
//! page only to a page. A request of no bytes gets [`ZERO_SIZE`], which can be freed. When there are no pages, empty slabs of all
//! sizes go back first. One owner; a lock makes it many threads'. O(1) but for new slabs.
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};

use base::PageAllocator;

use crate::kmem_cache::front::{Front, Slot};
use crate::kmem_cache::order;
use crate::kmem_cache::page_map::{Near, PageMap};
use crate::kmem_cache::slabs::{Ground, TAGS};
use crate::kmem_cache::{DebugFlags, Finding, InUse, Misuse, Name, Policy, Settings};

mod inspect;
mod sizes;

pub use sizes::{LARGEST_CACHED, SIZES, size_roundup};

use sizes::{COUNT, NAMES};

/// What a request of no bytes gets: never to be read or written, and nobody's when it is freed.
pub const ZERO_SIZE: NonNull<u8> =
    NonNull::without_provenance(core::num::NonZeroUsize::new(16).unwrap());

const LARGE: usize = TAGS;

/// What kmalloc is asked to be.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Which free object is handed out.
    pub policy: Policy,
    /// What is checked. [`RED_ZONE`](DebugFlags::RED_ZONE) and [`USER`](DebugFlags::USER) lie between blocks: those of a cache that
    /// are larger than a page, 8 KiB, are aligned to a page only then.
    pub debug: DebugFlags,
    /// Slabs are as large as on a machine with this many processors.
    pub processors: usize,
    /// Called when a pointer is found to be wrong.
    pub on_misuse: fn(&Misuse) -> !,
}

impl Default for Options {
    /// Magazines, no checks, two processors, a panic.
    fn default() -> Self {
        Self {
            policy: Policy::Magazine(0),
            debug: DebugFlags::NONE,
            processors: 2,
            on_misuse: |misuse| panic!("{misuse}"),
        }
    }
}

/// Blocks up to 4 MiB, from `&mut self`: one owner, no lock.
///
/// ```
/// use base::AddMemory;
/// use heapwright_kernel_allocators::kmalloc::{Kmalloc, Options};
/// use heapwright_kernel_allocators::bitmap::BitmapPages;
///
/// let mut memory = vec![0u8; 1 << 20];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
///
/// let mut kmalloc = Kmalloc::new(pages, Options::default());
/// let block = kmalloc.allocate(100).unwrap();
/// // SAFETY: it is live.
/// assert_eq!(unsafe { kmalloc.ksize(block) }, 128);
/// // SAFETY: as above.
/// let block = unsafe { kmalloc.krealloc(Some(block), 20_000) }.unwrap();
/// assert_eq!(unsafe { kmalloc.ksize(block) }, 32 << 10);
/// // SAFETY: it is used no more.
/// unsafe { kmalloc.free(block) };
/// ```
pub struct Kmalloc<P: PageAllocator> {
    near: Near,
    fronts: [Front; COUNT],
    map: PageMap,
    pages: P,
    page: usize,
    large: usize,
    large_bytes: usize,
    on_misuse: fn(&Misuse) -> !,
}

impl<P: PageAllocator> Kmalloc<P> {
    /// Without slabs.
    /// Panics: the pages are so small, 8 bytes, that 8 KiB are no block of them.
    #[must_use]
    pub fn new(pages: P, options: Options) -> Self {
        let page = pages.page_size();
        let front = |index: usize| {
            let size: usize = SIZES[index];
            // What is aligned to more than a page is so by its stride, as slabs are to their size; unless checks have a part of it.
            let align = (1 << size.trailing_zeros()).min(page);
            let settings = Settings::new(NAMES[index], size)
                .align(align)
                .policy(options.policy)
                .debug(options.debug)
                .processors(options.processors)
                .on_misuse(options.on_misuse);
            Front::new(settings, page, index).expect("pages are large enough for 8 KiB")
        };
        Self {
            near: Near::NOTHING,
            fronts: core::array::from_fn(front),
            map: PageMap::new(page),
            pages,
            page,
            large: 0,
            large_bytes: 0,
            on_misuse: options.on_misuse,
        }
    }

    /// `size` bytes at least, uninitialised. O(1); O(objects of a slab) for a new one, and the pages' for more than 8 KiB. `None`:
    /// there is no memory, or `size` is above 1,024 pages.
    #[inline]
    pub fn allocate(&mut self, size: usize) -> Option<NonNull<u8>> {
        if size.wrapping_sub(1) >= LARGEST_CACHED {
            return self.allocate_large(size);
        }
        let index = sizes::index(size);
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        match self.fronts[index].allocate(&mut ground) {
            Some(block) => Some(block),
            None => self.allocate_again(index),
        }
    }

    #[cold]
    #[inline(never)]
    fn allocate_again(&mut self, index: usize) -> Option<NonNull<u8>> {
        self.shrink();
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        self.fronts[index].allocate(&mut ground)
    }

    #[inline(never)]
    fn allocate_large(&mut self, size: usize) -> Option<NonNull<u8>> {
        if size == 0 {
            return Some(ZERO_SIZE);
        }
        if size > self.page << order::LARGEST {
            return None;
        }
        let order = order::get_order(size, self.page);
        self.take_pages(order).or_else(|| {
            self.shrink();
            self.take_pages(order)
        })
    }

    fn take_pages(&mut self, order: u32) -> Option<NonNull<u8>> {
        let (count, bytes) = (1 << order, self.page << order);
        let block = self.pages.allocate_pages(count, bytes)?;
        let entry = ptr::without_provenance_mut((order as usize) << TAGS.count_ones() | LARGE);
        if !self.map.set(block, 1, entry, &mut self.pages) {
            // SAFETY: just allocated.
            unsafe { self.pages.deallocate_pages(block, count) };
            return None;
        }
        self.large += 1;
        self.large_bytes += bytes;
        Some(block)
    }

    /// The same, and `size` bytes are 0. O(size).
    pub fn allocate_zeroed(&mut self, size: usize) -> Option<NonNull<u8>> {
        let block = self.allocate(size)?;
        // SAFETY: a block has this many bytes; of none none is written.
        unsafe { block.write_bytes(0, size) };
        Some(block)
    }

    /// Fills all of `out` with blocks of `size` bytes, or none of it: whether there was memory; if not, all of `out` is `None`,
    /// whatever it was. O(blocks).
    #[must_use]
    pub fn allocate_bulk(&mut self, size: usize, out: &mut [Slot]) -> bool {
        if size.wrapping_sub(1) < LARGEST_CACHED {
            let index = sizes::index(size);
            let mut ground = Ground { pages: &mut self.pages, map: &self.map };
            return self.fronts[index].allocate_bulk(&mut ground, out)
                || self.allocate_bulk_again(index, out);
        }
        for at in 0..out.len() {
            out[at] = self.allocate_large(size);
            if out[at].is_none() {
                let (got, rest) = out.split_at_mut(at);
                // What the caller left there is the caller's.
                rest.fill(None);
                // SAFETY: just allocated.
                got.iter_mut()
                    .filter_map(Option::take)
                    .for_each(|block| unsafe { self.free(block) });
                return false;
            }
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn allocate_bulk_again(&mut self, index: usize, out: &mut [Slot]) -> bool {
        self.shrink();
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        self.fronts[index].allocate_bulk(&mut ground, out)
    }

    /// Gives a block back. O(1), the pages' for more than 8 KiB. A pointer that is found to be wrong ends in the misuse hook.
    /// # Safety
    /// `block` was allocated here, is live, and is dead afterwards.
    #[inline]
    pub unsafe fn free(&mut self, block: NonNull<u8>) {
        let entry = self.map.get_near(block.addr().get(), &self.near);
        if let Some(front) = self.fronts.get_mut(entry.addr() & TAGS)
            && front.push_at(block, entry)
        {
            return;
        }
        self.free_or_end(block);
    }

    #[inline(never)]
    fn free_or_end(&mut self, block: NonNull<u8>) {
        if let Err(misuse) = self.free_slow(block) {
            self.end(&misuse);
        }
    }

    /// As [`free`](Self::free), for whoever can go on. With magazines the block is looked for in them: O(rounds).
    /// Errors: what was found wrong with it: nothing has changed then. Or with another block, freed by
    /// [`free`](Self::free), that came out of a magazine to make room: then this one is free.
    /// # Safety
    /// As [`free`](Self::free), but a pointer that no block here has, and one to a block that is free, be it in its slab or in a
    /// magazine, are refused.
    pub unsafe fn try_free(&mut self, block: NonNull<u8>) -> Result<(), Misuse> {
        let entry = self.map.go(block.addr().get(), &mut self.near);
        match self.fronts.get_mut(entry.addr() & TAGS) {
            Some(front) if !entry.is_null() => {
                let mut ground = Ground { pages: &mut self.pages, map: &self.map };
                front.try_free_at(&mut ground, block, entry)
            }
            _ => self.free_large(block, entry),
        }
    }

    fn free_slow(&mut self, block: NonNull<u8>) -> Result<(), Misuse> {
        let entry = self.map.go(block.addr().get(), &mut self.near);
        match self.fronts.get_mut(entry.addr() & TAGS) {
            Some(front) if !entry.is_null() => {
                let mut ground = Ground { pages: &mut self.pages, map: &self.map };
                front.free_at(&mut ground, block, entry)
            }
            _ => self.free_large(block, entry),
        }
    }

    #[inline(never)]
    fn free_large(&mut self, block: NonNull<u8>, entry: *mut u8) -> Result<(), Misuse> {
        if block == ZERO_SIZE {
            return Ok(());
        }
        let order = self.large_order(block, entry)?;
        self.map.unset(block, 1);
        self.large -= 1;
        self.large_bytes -= self.page << order;
        // SAFETY: `take_pages` took them, and the caller gives them up.
        unsafe { self.pages.deallocate_pages(block, 1 << order) };
        Ok(())
    }

    fn large_order(&self, block: NonNull<u8>, entry: *mut u8) -> Result<u32, Misuse> {
        let finding = if entry.is_null() {
            Finding::Foreign
        } else if block.addr().get() & (self.page - 1) != 0 {
            Finding::Inside
        } else {
            return Ok(base::bits::low32(entry.addr() >> TAGS.count_ones()));
        };
        Err(self.misuse(block, finding))
    }

    fn misuse(&self, block: NonNull<u8>, finding: Finding) -> Misuse {
        Misuse { cache: Name::new("kmalloc"), address: block.addr().get(), finding, users: None }
    }

    /// How many bytes of a block may be used: [`size_roundup`] of what was asked for, 0 for [`ZERO_SIZE`]. O(1). A pointer that is
    /// found to be wrong ends in the misuse hook.
    /// # Safety
    /// `block` was allocated here and is live.
    #[must_use]
    pub unsafe fn ksize(&self, block: NonNull<u8>) -> usize {
        match self.try_ksize(block) {
            Ok(size) => size,
            Err(misuse) => self.end(&misuse),
        }
    }

    /// The same of any pointer.
    /// Errors: what is wrong with it.
    pub fn try_ksize(&self, block: NonNull<u8>) -> Result<usize, Misuse> {
        if block == ZERO_SIZE {
            return Ok(0);
        }
        let entry = self.map.get(block.addr().get());
        match self.fronts.get(entry.addr() & TAGS) {
            Some(front) if !entry.is_null() => front.size_of_live(block, entry),
            _ => self.large_order(block, entry).map(|order| self.page << order),
        }
    }

    /// Whether a slab or a larger block begins or lies in the page of this address.
    #[must_use]
    pub fn owns(&self, address: usize) -> bool {
        !self.map.get(address).is_null()
    }

    /// A block with `size` bytes and what `block` held of them: the same one if it has room, else another. `None` allocates; a
    /// size of 0 frees, and gives [`ZERO_SIZE`]. O(bytes moved). The result `None`: there is no memory; the old block stays.
    /// # Safety
    /// `block` was allocated here, is live, and is dead once something else is returned.
    pub unsafe fn krealloc(
        &mut self,
        block: Option<NonNull<u8>>,
        size: usize,
    ) -> Option<NonNull<u8>> {
        let Some(old) = block else { return self.allocate(size) };
        // SAFETY: the caller's promise.
        let had = unsafe { self.ksize(old) };
        if size > 0 && size <= had {
            return Some(old);
        }
        let new = self.allocate(size)?;
        // SAFETY: both are live and apart, and `had` is less than `size` unless that is 0.
        unsafe { new.copy_from_nonoverlapping(old, had.min(size)) };
        // SAFETY: the caller gives it up.
        unsafe { self.free(old) };
        Some(new)
    }

    /// Empties the magazines and gives empty slabs of all sizes back; how many. O(partial slabs).
    pub fn shrink(&mut self) -> usize {
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        self.fronts.iter_mut().map(|front| front.shrink(&mut ground)).sum()
    }

    /// Takes it down.
    /// Errors: blocks are in use: it comes back, and says how many.
    pub fn destroy(mut self) -> Result<P, InUse<Self>> {
        let live = self.close();
        if live > 0 {
            return Err(InUse { cache: self, live, name: Name::new("kmalloc") });
        }
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped, and nothing else in it has anything to drop.
        Ok(unsafe { ptr::read(&raw const this.pages) })
    }

    fn close(&mut self) -> usize {
        let mut ground = Ground { pages: &mut self.pages, map: &self.map };
        let small: usize = self.fronts.iter_mut().map(|front| front.close(&mut ground)).sum();
        if small + self.large == 0 {
            self.near = Near::NOTHING;
            self.map.clear(&mut self.pages);
        }
        small + self.large
    }

    /// The same, to be given memory.
    /// # Safety
    /// What it has taken stays taken, and goes back to the same pages: they are not replaced, reset, or swapped.
    pub const unsafe fn pages_mut(&mut self) -> &mut P {
        &mut self.pages
    }

    #[cold]
    #[inline(never)]
    fn end(&self, misuse: &Misuse) -> ! {
        (self.on_misuse)(misuse)
    }
}

impl<P: PageAllocator> Drop for Kmalloc<P> {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests;

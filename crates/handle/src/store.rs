//! `CompressedStore`: pages by number, compressed, in any heap of handles.
//!
//! ```text
//! put(7, page) ─► all words the same? ─yes─► the word, in the index
//!                    │ no
//!                 compress ─► short enough? ─yes─► an object of the heap
//!                                │ no
//!                             the page as it is: an object, or a page of its own where the heap has none so large
//!
//! get(7, page) ◄─ index ◄─ heap ◄─ decompress
//!
//! full            compact, if that is enough; else the page used longest ago is offered to the caller, who may keep it
//!                 elsewhere, and goes
//! ```
//!
//! - **store-C1** the heap's objects are those that entries name, one each.
//! - **store-C2** pages, their bytes, same-filled and raw ones are counted.
//!
//! A key costs 24 bytes, 4 of a bucket and a bit. `put` of a key that is there replaces its page only when the new one is in.
//! `get` and `put` take O(1) and what compressing takes; making room O(pages that are offered or were used since the
//! last time). What zram and zswap do in
//! the kernel (N. Gupta, S. Jennings, 2010 to 2013), with an index that takes any numbers.
use core::fmt;

use base::{Compact, HandleAllocator, PageAllocator};

mod check;
mod error;
mod index;
mod keep;
mod report;
mod room;

pub use error::StoreError;
pub use report::Report;

use index::Index;
use room::{Evict, Lack, Tidy};

use crate::PAGE;

/// The bytes of a page.
pub type Page = [u8; PAGE];

/// Makes pages shorter.
pub trait Compressor {
    /// Writes the page's bytes to `out` in fewer, and says in how many. `None`: they do not fit.
    fn compress(&mut self, page: &Page, out: &mut [u8]) -> Option<usize>;

    /// The other way: what [`compress`](Self::compress) wrote. `None`: `bytes` are not a page's.
    fn decompress(&mut self, bytes: &[u8], page: &mut Page) -> Option<()>;
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    compressed: usize,
    same: usize,
    huge: usize,
    /// Pages of the store's own, of `huge`.
    own: usize,
    huge_since: usize,
    compacted: usize,
    used_max: usize,
}

/// Pages by number in a heap `A`, which `C` makes short. The index lies in pages of `P`.
///
/// ```
/// use heapwright_handle::store::{Compressor, CompressedStore, Page};
/// use heapwright_handle::{PAGE, ZsMalloc};
/// # use base::AddMemory;
/// # use kernel::bitmap::BitmapPages;
///
/// /// Keeps what stands before the zeros at the end.
/// struct Trim;
///
/// impl Compressor for Trim {
///     fn compress(&mut self, page: &Page, out: &mut [u8]) -> Option<usize> {
///         let len = page.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1);
///         out.get_mut(..len)?.copy_from_slice(&page[..len]);
///         Some(len)
///     }
///
///     fn decompress(&mut self, bytes: &[u8], page: &mut Page) -> Option<()> {
///         page.fill(0);
///         page.get_mut(..bytes.len())?.copy_from_slice(bytes);
///         Some(())
///     }
/// }
///
/// # let mut memory = vec![0u8; 64 << 10];
/// # let mut pages = BitmapPages::<4096>::new();
/// # // SAFETY: `memory` is the allocator's alone and outlives it.
/// # unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// # let mut more = vec![0u8; 64 << 10];
/// # let mut for_index = BitmapPages::<4096>::new();
/// # // SAFETY: `more` is the allocator's alone and outlives it.
/// # unsafe { for_index.add_memory(more.as_mut_ptr(), more.len()) }.unwrap();
/// let heap = ZsMalloc::new(pages, Default::default());
/// let raw_from = heap.classes().huge_from();
/// let mut store = CompressedStore::new(for_index, heap, Trim).raw_from(raw_from).compacting();
/// let mut page = [0; PAGE];
/// page[..5].copy_from_slice(b"hello");
/// store.put(12, &page).unwrap();
///
/// let mut read = [1; PAGE];
/// store.get(12, &mut read).unwrap();
/// assert_eq!(read, page);
/// assert_eq!(store.report().compressed, 5);
/// ```
pub struct CompressedStore<P, A: HandleAllocator, C> {
    from: P,
    heap: A,
    compressor: C,
    index: Index<A::Handle>,
    tidy: Option<Tidy<A>>,
    raw_from: usize,
    limit: usize,
    counts: Counts,
    /// What was compressed.
    out: Page,
    offered: Page,
}

impl<P, A: HandleAllocator + fmt::Debug, C> fmt::Debug for CompressedStore<P, A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompressedStore")
            .field("heap", &self.heap)
            .field("counts", &self.counts)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<P: PageAllocator, A: HandleAllocator, C: Compressor> CompressedStore<P, A, C> {
    /// Without pages, and without a limit. `pages` are for the index, and for raw pages that are too large for the heap.
    #[must_use]
    pub fn new(pages: P, heap: A, compressor: C) -> Self {
        Self {
            from: pages,
            heap,
            compressor,
            index: Index::new(),
            tidy: None,
            raw_from: PAGE,
            limit: usize::MAX,
            counts: Counts::default(),
            out: [0; PAGE],
            offered: [0; PAGE],
        }
    }

    /// Keeps pages as they are that `len` bytes or more would be left of; a page at the most. For zsmalloc:
    /// [`Classes::huge_from`](crate::zsmalloc::Classes::huge_from), from where nothing is saved.
    #[must_use]
    pub fn raw_from(mut self, len: usize) -> Self {
        self.raw_from = len.clamp(1, PAGE);
        self
    }

    /// The most bytes of pages and tables; `None`: as many as there are. What is there already stays, and what costs
    /// nothing is kept when they are more.
    pub const fn set_limit(&mut self, bytes: Option<usize>) {
        self.limit = match bytes {
            Some(bytes) => bytes,
            None => usize::MAX,
        };
    }

    /// Keeps a page, in place of the one that has this key.
    /// Errors: [`Full`](StoreError::Full), [`NoMemory`](StoreError::NoMemory); the key has the page that it had.
    pub fn put(&mut self, key: u64, page: &Page) -> Result<(), StoreError> {
        self.put_with(key, page, None)
    }

    /// As [`put`](Self::put); to make room, `evict` is given pages used longest ago, and says whether it has taken the
    /// page over. Those go. After 16 refusals there is no room. None is offered when the limit leaves no room beside the
    /// tables even for this page alone; and where it lacks a page of the store's own, only those that have such a page.
    /// Errors: as [`put`](Self::put); pages that were taken over are gone.
    pub fn put_evicting(
        &mut self,
        key: u64,
        page: &Page,
        mut evict: impl FnMut(u64, &Page) -> bool,
    ) -> Result<(), StoreError> {
        self.put_with(key, page, Some(&mut evict))
    }

    fn put_with(&mut self, key: u64, page: &Page, mut evict: Evict<'_>) -> Result<(), StoreError> {
        let content = self.content(page);
        let old = self.index.find(key);
        let (before, mut refusals) = (self.memory(), 0);
        let held = loop {
            let (lack, is_free) = match self.hold(content, page, old.is_some()) {
                Ok(held) if self.memory() <= self.limit => break held,
                Ok(held) => {
                    let memory = self.memory();
                    self.let_go(held)?;
                    (Lack::Limit(memory - self.limit), memory <= before)
                }
                Err(StoreError::NoMemory) if self.is_own(content) => (Lack::Own, false),
                Err(StoreError::NoMemory) => (Lack::Memory, false),
                Err(error) => return Err(error),
            };
            if self.is_hopeless(content, old)
                || !self.make_room(key, lack, &mut evict, &mut refusals)?
            {
                if !is_free {
                    return Err(lack.into());
                }
                // Beyond the limit as before: what costs nothing is kept.
                break self.hold(content, page, old.is_some())?;
            }
        };
        self.count(content, held, true);
        match old {
            Some(id) => {
                if let Some(old) = self.index.replace(id, held) {
                    self.forget(old)?;
                }
            }
            None => {
                let room = self.limit.saturating_sub(self.memory());
                self.index.insert(key, held, &mut self.from, room);
            }
        }
        Ok(())
    }

    /// Copies the page of a key out.
    /// Errors: [`Missing`](StoreError::Missing), [`Damaged`](StoreError::Damaged); `page` then has any bytes.
    #[inline]
    pub fn get(&mut self, key: u64, page: &mut Page) -> Result<(), StoreError> {
        let id = self.index.find(key).ok_or(StoreError::Missing)?;
        let held = self.index.see(id).ok_or(StoreError::Missing)?;
        Self::unpack(&self.heap, &mut self.compressor, held, page)
    }

    /// Lets the page of a key go.
    /// Errors: [`Missing`](StoreError::Missing).
    pub fn remove(&mut self, key: u64) -> Result<(), StoreError> {
        let id = self.index.find(key).ok_or(StoreError::Missing)?;
        let held = self.index.remove(id).ok_or(StoreError::Missing)?;
        self.forget(held)
    }

    /// Whether a page has this key.
    pub fn contains(&self, key: u64) -> bool {
        self.index.find(key).is_some()
    }

    /// How many pages there are.
    pub const fn len(&self) -> usize {
        self.index.live()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The keys, in no order.
    pub fn keys(&self) -> impl Iterator<Item = u64> {
        (0..self.index.entries()).filter_map(|id| Some(self.index.get(id)?.0))
    }

    /// The heap that the pages are in.
    pub const fn heap(&self) -> &A {
        &self.heap
    }

    /// What there is.
    pub fn report(&self) -> Report {
        Report {
            original: self.len() * PAGE,
            compressed: self.counts.compressed,
            used: self.used(),
            limit: if self.limit == usize::MAX { 0 } else { self.limit },
            used_max: self.counts.used_max,
            same: self.counts.same,
            compacted: self.counts.compacted,
            huge: self.counts.huge,
            huge_since: self.counts.huge_since,
            tables: self.tables(),
        }
    }

    /// Lets all pages go, and returns what the store was made of. O(pages).
    pub fn into_parts(mut self) -> (P, A, C) {
        for id in 0..self.index.entries() {
            if let Some(held) = self.index.remove(id) {
                // A handle of its own is not refused.
                let _ = self.forget(held);
            }
        }
        self.index.give_back(&mut self.from);
        (self.from, self.heap, self.compressor)
    }

    fn used(&self) -> usize {
        self.heap.usage().pages + self.counts.own * PAGE
    }

    fn tables(&self) -> usize {
        self.heap.usage().tables + self.index.bytes()
    }

    /// What the limit is for.
    fn memory(&self) -> usize {
        self.used() + self.tables()
    }
}

impl<P: PageAllocator, A: Compact, C: Compressor> CompressedStore<P, A, C> {
    /// Compacts by itself before it lets pages go, when that gives back enough.
    #[must_use]
    pub fn compacting(mut self) -> Self {
        self.tidy = Some(Tidy { freeable: A::freeable, compact: A::compact });
        self
    }

    /// Compacts the heap; the bytes of pages that went back.
    pub fn compact(&mut self) -> usize {
        let gone = self.heap.compact();
        self.counts.compacted += gone / PAGE;
        gone
    }
}

#[cfg(test)]
mod tests;

//! zbud: at most two objects in a page, one at each end.
//!
//! ```text
//! page     │ object one …      │     free      │      … object two │      64 chunks of 64 bytes
//!
//! lists    63, by free chunks: the pages with room for one object more
//! ```
//!
//! - **zbud-B1** a page with one object is in the list of its free chunks; one with two is in none.
//! - **zbud-B2** pages, live objects and their bytes are counted.
//!
//! The simplest that saves anything: no page holds more than two objects, so it never saves more than half, and
//! nothing is ever moved or searched for long. What is known of a page stands in a table of 24 bytes a page; as in the
//! kernel's, whose first chunk that is, 63 chunks serve objects. 64 objects can be pinned at the same time. O(1). Seth Jennings, "zbud", Linux 3.11, 2013.
use core::num::NonZeroU64;
use core::ptr::NonNull;

use base::bits::low16;
use base::{Broken, Check, HandleAllocator, HandleError, HandleUsage, PageAllocator};

use crate::pins::Pins;
use crate::placed::{map_placed, pin_placed, placed};
use crate::table::Table;
use crate::{PAGE, frames};

const CHUNK: usize = 64;
/// Chunks that serve objects.
const CHUNKS: usize = PAGE / CHUNK - 1;
/// The most bytes of an object, as in the kernel: one chunk is left.
const MOST: usize = (CHUNKS - 1) * CHUNK;
const NONE: u32 = u32::MAX;

/// Names an object: its page, at which end, and the how manieth there. That is counted in 16 bits: the handle of an object
/// that was freed is refused until 65,536 objects, itself among them, were freed at that end of its page's number, and then
/// taken for the one that is there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle(NonZeroU64);

impl Handle {
    /// As a number, which is never 0.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// What [`to_bits`](Self::to_bits) returned; any other number makes a handle that is refused, or another object's.
    /// `None`: 0.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        match NonZeroU64::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Record {
    start: Option<NonNull<u8>>,
    /// The objects' lengths; 0: there is none.
    lens: [u16; 2],
    /// Of each end: how often an object was freed there.
    generations: [u16; 2],
    before: u32,
    behind: u32,
}

const EMPTY: Record =
    Record { start: None, lens: [0; 2], generations: [0; 2], before: NONE, behind: NONE };

impl Record {
    fn free_chunks(&self) -> usize {
        let chunks = |len: u16| (len as usize).div_ceil(CHUNK);
        CHUNKS - chunks(self.lens[0]) - chunks(self.lens[1])
    }

    fn objects(&self) -> usize {
        self.lens.iter().filter(|len| **len > 0).count()
    }

    fn offset(&self, end: usize) -> usize {
        if end == 0 { CHUNK } else { PAGE - (self.lens[1] as usize).next_multiple_of(CHUNK) }
    }
}

/// At most two objects in a page of `P`.
///
/// ```
/// use base::{AddMemory, HandleAllocator};
/// use heapwright_handle::{PAGE, Zbud};
/// use kernel::bitmap::BitmapPages;
///
/// let mut memory = vec![0u8; 64 << 10];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let mut heap = Zbud::new(pages);
/// let (one, two) = (heap.store(&[1; 1500]).unwrap(), heap.store(&[2; 2400]).unwrap());
/// assert_eq!(heap.usage().pages, PAGE);
/// heap.free(one).unwrap();
/// assert_eq!(heap.bytes(two), Ok(&[2; 2400][..]));
/// ```
#[derive(Debug)]
pub struct Zbud<P> {
    from: P,
    records: Table<Record>,
    /// The first number without a page.
    free: u32,
    pins: Pins,
    lists: [u32; CHUNKS + 1],
    pages: usize,
    objects: usize,
    payload: usize,
}

// SAFETY: the pages are its own.
unsafe impl<P: Send> Send for Zbud<P> {}

/// A live object that a handle was found to name.
#[derive(Clone, Copy)]
struct Found {
    page: u32,
    end: usize,
    record: Record,
}

impl Found {
    fn bytes(&self) -> NonNull<[u8]> {
        let start = self.record.start.unwrap_or(NonNull::dangling());
        // SAFETY: within the page.
        let start = unsafe { start.add(self.record.offset(self.end)) };
        NonNull::slice_from_raw_parts(start, self.record.lens[self.end] as usize)
    }
}

impl<P: PageAllocator> Zbud<P> {
    /// Without objects, and without pages.
    #[must_use]
    pub const fn new(pages: P) -> Self {
        let lists = [NONE; CHUNKS + 1];
        Self {
            from: pages,
            records: Table::new(),
            free: NONE,
            pins: Pins::new(),
            lists,
            pages: 0,
            objects: 0,
            payload: 0,
        }
    }

    /// Gives all pages back to what they are from; every object is gone. O(pages).
    pub fn into_pages(mut self) -> P {
        for page in 0..self.records.len() {
            if let Some(start) = self.records.get(page).and_then(|record| record.start) {
                // SAFETY: it was taken as one page, and its objects end here.
                unsafe { frames::give(&mut self.from, start, 1) };
            }
        }
        self.records.give_back(&mut self.from);
        self.from
    }

    fn find(&self, handle: Handle) -> Result<Found, HandleError> {
        let [a, b, c, d, low, high, end, none] = handle.0.get().to_le_bytes();
        if none != 0 {
            return Err(HandleError::Unknown);
        }
        let page = u32::from_le_bytes([a, b, c, d]).wrapping_sub(1);
        let (end, generation) = (usize::from(end), u16::from_le_bytes([low, high]));
        let record = *self.records.get(page).ok_or(HandleError::Unknown)?;
        let len = record.lens.get(end).ok_or(HandleError::Unknown)?;
        if *len == 0 || record.generations[end] != generation {
            return Err(HandleError::Stale);
        }
        Ok(Found { page, end, record })
    }

    fn place(&self, handle: Handle) -> Result<NonNull<[u8]>, HandleError> {
        Ok(self.find(handle)?.bytes())
    }

    fn is_pinned(&self, handle: Handle) -> bool {
        self.pins.has(handle.to_bits())
    }

    /// A page with room for `chunks`, of the least room; in no list any more.
    fn page_for(&mut self, chunks: usize) -> Option<u32> {
        if let Some(page) = self.lists[chunks..].iter().copied().find(|&page| page != NONE) {
            self.unlink(page);
            return Some(page);
        }
        let page = match self.free {
            NONE => {
                let page = self.records.push(EMPTY, &mut self.from)?;
                self.free = page;
                page
            }
            page => page,
        };
        let start = frames::take(&mut self.from, 1)?;
        let record = self.records.get_mut(page)?;
        record.start = Some(start);
        self.free = record.behind;
        self.pages += 1;
        Some(page)
    }

    /// An object whose bytes are to be written, and where those are.
    fn make(&mut self, len: usize) -> Result<(Handle, NonNull<u8>), HandleError> {
        if len == 0 {
            return Err(HandleError::Empty);
        }
        if len > MOST {
            return Err(HandleError::TooLarge { most: MOST });
        }
        let page = self.page_for(len.div_ceil(CHUNK)).ok_or(HandleError::NoMemory)?;
        let record = self.records.get_mut(page).ok_or(HandleError::NoMemory)?;
        let end = usize::from(record.lens[0] > 0);
        record.lens[end] = low16(len);
        let found = Found { page, end, record: *record };
        if found.record.objects() == 1 {
            self.link(page);
        }
        self.objects += 1;
        self.payload += len;
        let generation = u64::from(found.record.generations[end]);
        let bits = (end as u64) << 48 | generation << 32 | u64::from(page + 1);
        let handle = Handle(NonZeroU64::new(bits).unwrap_or(NonZeroU64::MIN));
        Ok((handle, found.bytes().cast()))
    }

    fn link(&mut self, page: u32) {
        let Some(record) = self.records.get_mut(page) else { return };
        let list = record.free_chunks();
        let behind = core::mem::replace(&mut self.lists[list], page);
        (record.before, record.behind) = (NONE, behind);
        if let Some(next) = self.records.get_mut(behind) {
            next.before = page;
        }
    }

    fn unlink(&mut self, page: u32) {
        let Some(&record) = self.records.get(page) else { return };
        match self.records.get_mut(record.before) {
            Some(last) => last.behind = record.behind,
            None => self.lists[record.free_chunks()] = record.behind,
        }
        if let Some(next) = self.records.get_mut(record.behind) {
            next.before = record.before;
        }
    }
}

impl<P: PageAllocator> HandleAllocator for Zbud<P> {
    type Handle = Handle;

    fn max_len(&self) -> usize {
        MOST
    }

    placed!();

    fn free(&mut self, handle: Handle) -> Result<(), HandleError> {
        let Found { page, end, record } = self.find(handle)?;
        if self.is_pinned(handle) {
            return Err(HandleError::Pinned);
        }
        self.objects -= 1;
        self.payload -= record.lens[end] as usize;
        if record.objects() == 1 {
            self.unlink(page);
        }
        let next = self.free;
        let Some(record) = self.records.get_mut(page) else { return Err(HandleError::Unknown) };
        record.lens[end] = 0;
        record.generations[end] = record.generations[end].wrapping_add(1);
        if record.objects() == 1 {
            self.link(page);
        } else if let Some(start) = record.start.take() {
            record.behind = next;
            self.free = page;
            self.pages -= 1;
            // SAFETY: it was taken as one page, and its objects are dead.
            unsafe { frames::give(&mut self.from, start, 1) };
        }
        Ok(())
    }

    fn pages_for(&self, len: usize) -> usize {
        if len == 0 { 0 } else { PAGE }
    }

    fn usage(&self) -> HandleUsage {
        let (pages, tables) = (self.pages * PAGE, self.records.bytes());
        HandleUsage { objects: self.objects, payload: self.payload, pages, tables }
    }
}

map_placed!(Zbud);
pin_placed!(Zbud, Handle::to_bits);

impl<P: PageAllocator> Check for Zbud<P> {
    fn check(&self) -> Result<(), Broken> {
        use base::check::ensure;
        let (mut pages, mut objects, mut payload, mut single) = (0, 0, 0, 0);
        for page in 0..self.records.len() {
            let Some(record) = self.records.get(page) else { continue };
            if record.start.is_some() {
                pages += 1;
                objects += record.objects();
                payload += record.lens.iter().map(|len| *len as usize).sum::<usize>();
                single += usize::from(record.objects() == 1);
                ensure(record.objects() > 0, "zbud-B1: a page has an object", page as usize)?;
            }
        }
        let mut listed = 0;
        for (list, &first) in self.lists.iter().enumerate() {
            let mut page = first;
            while let Some(record) = self.records.get(page) {
                listed += 1;
                ensure(listed <= single, "zbud-B1: a list ends", list)?;
                let right = record.objects() == 1 && record.free_chunks() == list;
                ensure(right, "zbud-B1: a list has pages with one object", page as usize)?;
                page = record.behind;
            }
        }
        ensure(listed == single, "zbud-B1: every page with one object is in a list", listed)?;
        ensure(pages == self.pages, "zbud-B2: pages are counted", pages)?;
        ensure(objects == self.objects, "zbud-B2: objects are counted", objects)?;
        ensure(payload == self.payload, "zbud-B2: payload is counted", payload)
    }
}

#[cfg(test)]
mod tests;

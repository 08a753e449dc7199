//! xvmalloc: best fit within pages, for objects that are reached by page and offset.
//!
//! ```text
//! page   │head│ object ……… │head│ free ………………… │head│ object … │      a head has 4 bytes; no block crosses a page
//!        0                                                     4096
//!
//! lists  508 of them, 8 bytes apart: 32, 40, … 4,088 bytes of free block
//! map    one bit a list in 8 words, one bit a word above: the next list that is not empty in two steps
//! ```
//!
//! - **xvmalloc-X1** the blocks of a page follow one another from 0 to 4,096; free ones have no free neighbours.
//! - **xvmalloc-X2** a block behind a free one says so and where that one begins.
//! - **xvmalloc-X3** every free block of at least 32 bytes is in the list of its size, rounded down to 8; nothing else is.
//! - **xvmalloc-X4** a bit of the map is set exactly when its list has a block.
//! - **xvmalloc-X5** `starts` of a page has the first head of each 256 bytes.
//! - **xvmalloc-X6** pages, live objects and their bytes are counted.
//!
//! An object costs its bytes, rounded up to 4, and 4 more; the head keeps the exact length. Allocating and freeing
//! take O(1), and a page more or less. A page that becomes empty goes back at once. Nothing ever moves: pages with one
//! live object stay. What is larger than 2,044 bytes has a page to itself unless small objects fill the rest: that is
//! why the kernel replaced it (docs/kernel-allocators.md).
//!
//! A handle is checked against `starts` in at most 32 steps, so that one that is made up does no harm; 8 bits of it
//! tell objects at the same place apart, so that one in 256 stale handles may be taken for the object that lies there
//! now. 64 objects can be pinned at the same time. Nitin Gupta, "compcache: xvMalloc", 2009.
use core::ptr::NonNull;

use base::bits::{align_up, low8, low16};
use base::{HandleAllocator, HandleError, HandleUsage, PageAllocator};

mod bins;
mod block;
mod by_place;
mod check;
mod pages;

pub use by_place::len_at;

use bins::{Bins, LISTED};
use block::{Head, Page};
use pages::Pages;

use crate::PAGE;
use crate::pins::Pins;
use crate::placed::{map_placed, pin_placed, placed};

const HEAD: usize = 4;
/// The largest block: a page without its head.
const MOST: usize = PAGE - HEAD;

/// Names an object: its page, and where in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle {
    page: u32,
    offset: u16,
    generation: u8,
}

impl Handle {
    /// The page's number.
    #[must_use]
    pub const fn page(self) -> u32 {
        self.page
    }

    /// Where the object's bytes begin in the page.
    #[must_use]
    pub const fn offset(self) -> usize {
        self.offset as usize + HEAD
    }

    /// What no other live object has.
    const fn place(self) -> u64 {
        (self.page as u64) << 16 | self.offset as u64
    }

    /// As a number, for callers that keep numbers.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.page as u64) << 32 | (self.generation as u64) << 16 | self.offset as u64
    }

    /// What [`to_bits`](Self::to_bits) returned; any other number makes a handle that is refused, or another object's.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        let [low, high, generation, _, page @ ..] = bits.to_le_bytes();
        let offset = u16::from_le_bytes([low, high]);
        Self { page: u32::from_le_bytes(page), offset, generation }
    }
}

/// Best fit within pages out of `P`.
///
/// ```
/// use base::{AddMemory, HandleAllocator};
/// use heapwright_handle::XvMalloc;
/// use kernel::bitmap::BitmapPages;
///
/// let mut memory = vec![0u8; 64 << 10];
/// let mut pages = BitmapPages::<4096>::new();
/// // SAFETY: `memory` is the allocator's alone and outlives it.
/// unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
/// let mut heap = XvMalloc::new(pages);
/// let handle = heap.store(b"compressed").unwrap();
/// assert_eq!(heap.bytes(handle), Ok(&b"compressed"[..]));
/// heap.free(handle).unwrap();
/// assert!(heap.bytes(handle).is_err());
/// ```
#[derive(Debug)]
pub struct XvMalloc<P> {
    from: P,
    pages: Pages,
    bins: Bins,
    pins: Pins,
    /// Of the next object.
    generation: u8,
    objects: usize,
    payload: usize,
}

/// A live object that a handle was found to name.
struct Found {
    page: Page,
    head: Head,
}

impl<P: PageAllocator> XvMalloc<P> {
    /// Without objects, and without pages.
    #[must_use]
    pub const fn new(pages: P) -> Self {
        Self {
            from: pages,
            pages: Pages::new(),
            bins: Bins::new(),
            pins: Pins::new(),
            generation: 0,
            objects: 0,
            payload: 0,
        }
    }

    /// Gives all pages back to what they are from; every object is gone. O(pages).
    pub fn into_pages(mut self) -> P {
        self.pages.give_back(&mut self.from);
        self.from
    }

    /// A free block of at least `size` bytes that is in no list any more: its page, and where its head is.
    fn take(&mut self, size: usize) -> Option<(u32, usize)> {
        if let Some((page, offset)) = self.bins.find(&self.pages, size) {
            self.bins.remove(&self.pages, page, offset);
            return Some((page, offset));
        }
        let page = self.pages.grow(&mut self.from)?;
        self.pages.at(page).set_head(0, Head::free(MOST));
        self.pages.set_start(page, 0);
        Some((page, 0))
    }

    /// Makes `len` bytes of a free block an object, and what is left a free block again.
    fn carve(&mut self, id: u32, offset: usize, len: usize) -> Handle {
        let page = self.pages.at(id);
        let size = align_up(len, HEAD);
        let next = offset + HEAD + size;
        let free = page.head(offset).size();
        if free == size {
            page.change(next, Head::after_live);
        } else {
            let rest = free - size - HEAD;
            page.set_head(next, Head::free(rest));
            self.pages.set_start(id, next);
            page.change(next + HEAD + rest, |head| head.after_free(next));
            self.insert(id, next, rest);
        }
        self.generation = self.generation.wrapping_add(1);
        page.set_head(offset, Head::live(len, self.generation));
        self.objects += 1;
        self.payload += len;
        Handle { page: id, offset: low16(offset), generation: self.generation }
    }

    /// An object whose bytes are to be written, and where those are.
    fn make(&mut self, len: usize) -> Result<(Handle, NonNull<u8>), HandleError> {
        if len == 0 {
            return Err(HandleError::Empty);
        }
        if len > MOST {
            return Err(HandleError::TooLarge { most: MOST });
        }
        let (page, offset) = self.take(align_up(len, HEAD)).ok_or(HandleError::NoMemory)?;
        let handle = self.carve(page, offset, len);
        Ok((handle, self.pages.at(page).bytes(handle.offset(), len).cast()))
    }

    fn place(&self, handle: Handle) -> Result<NonNull<[u8]>, HandleError> {
        let Found { page, head } = self.find(handle)?;
        Ok(page.bytes(handle.offset(), head.size()))
    }

    fn is_pinned(&self, handle: Handle) -> bool {
        self.pins.has(handle.place())
    }

    /// Into the list of its size, if it has one.
    fn insert(&mut self, page: u32, offset: usize, size: usize) {
        if size >= LISTED {
            self.bins.insert(&self.pages, page, offset, size);
        }
    }

    fn remove(&mut self, page: u32, offset: usize, size: usize) {
        if size >= LISTED {
            self.bins.remove(&self.pages, page, offset);
        }
    }

    fn find(&self, handle: Handle) -> Result<Found, HandleError> {
        let page = self.pages.get(handle.page)?;
        let offset = handle.offset as usize;
        if offset >= PAGE || !offset.is_multiple_of(HEAD) {
            return Err(HandleError::Unknown);
        }
        let head = self.pages.is_start(handle.page, offset).then(|| page.head(offset));
        match head {
            Some(head) if !head.is_free() && head.generation() == handle.generation => {
                Ok(Found { page, head })
            }
            _ => Err(HandleError::Stale),
        }
    }
}

impl<P: PageAllocator> HandleAllocator for XvMalloc<P> {
    type Handle = Handle;

    fn max_len(&self) -> usize {
        MOST
    }

    placed!();

    fn free(&mut self, handle: Handle) -> Result<(), HandleError> {
        let Found { page, head } = self.find(handle)?;
        if self.is_pinned(handle) {
            return Err(HandleError::Pinned);
        }
        let (id, mut offset) = (handle.page, handle.offset as usize);
        self.objects -= 1;
        self.payload -= head.size();
        let mut size = align_up(head.size(), HEAD);
        let next = offset + HEAD + size;
        let behind = (next < PAGE).then(|| page.head(next)).filter(|head| head.is_free());
        if let Some(behind) = behind {
            self.remove(id, next, behind.size());
            size += HEAD + behind.size();
        }
        let end = offset + HEAD + size;
        if behind.is_some() {
            self.pages.clear_start(id, next, end);
        }
        if let Some(before) = head.free_before() {
            self.pages.clear_start(id, offset, end);
            let room = page.head(before).size();
            self.remove(id, before, room);
            size += HEAD + room;
            offset = before;
        }
        if size == MOST {
            self.pages.shrink(id, &mut self.from);
            return Ok(());
        }
        page.set_head(offset, Head::free(size));
        page.change(end, |head| head.after_free(offset));
        self.insert(id, offset, size);
        Ok(())
    }

    fn pages_for(&self, len: usize) -> usize {
        if len == 0 { 0 } else { PAGE }
    }

    fn usage(&self) -> HandleUsage {
        let (pages, tables) = (self.pages.count() * PAGE, self.pages.table_bytes());
        HandleUsage { objects: self.objects, payload: self.payload, pages, tables }
    }
}

map_placed!(XvMalloc);
pin_placed!(XvMalloc, Handle::place);

/// The sector of 256 bytes that an offset lies in, and how many heads' lengths it is from the sector's start.
const fn sector(offset: usize) -> (usize, u8) {
    (offset / 256, low8(offset % 256 / HEAD))
}

#[cfg(test)]
mod tests;

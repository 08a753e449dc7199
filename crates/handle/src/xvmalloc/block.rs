//! What stands in front of a block, and within a free one.
//!
//! ```text
//! head   │ size: 12 │ before / 4: 10 │ free │ free before │ generation: 8 │     32 bits
//!
//! free   │ head │ page before, page behind: 4 each │ offset before, offset behind: 2 each │ … unused │
//! ```
use core::fmt;
use core::ptr::NonNull;

use base::bits::low32;

use crate::PAGE;

const FREE: u32 = 1 << 22;
const FREE_BEFORE: u32 = 1 << 23;
const BEFORE_SHIFT: u32 = 12;
const BEFORE: u32 = 0x3ff << BEFORE_SHIFT;
const SIZE: u32 = (1 << BEFORE_SHIFT) - 1;
const GENERATION_SHIFT: u32 = 24;

/// What is known of a block: of a live one the exact length, of a free one all its bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(super) struct Head(u32);

impl Head {
    /// A free block behind a live one, or the page's first.
    pub(super) const fn free(size: usize) -> Self {
        Self(low32(size) | FREE)
    }

    /// A live block, and so is the one before it.
    pub(super) const fn live(len: usize, generation: u8) -> Self {
        Self(low32(len) | (generation as u32) << GENERATION_SHIFT)
    }

    pub(super) const fn size(self) -> usize {
        (self.0 & SIZE) as usize
    }

    pub(super) const fn is_free(self) -> bool {
        self.0 & FREE != 0
    }

    pub(super) const fn generation(self) -> u8 {
        self.0.to_le_bytes()[3]
    }

    /// Where the block before begins, if it is free.
    pub(super) const fn free_before(self) -> Option<usize> {
        if self.0 & FREE_BEFORE == 0 {
            return None;
        }
        Some(((self.0 & BEFORE) >> BEFORE_SHIFT) as usize * 4)
    }

    /// The same block, behind a free one at `before`.
    pub(super) const fn after_free(self, before: usize) -> Self {
        Self(self.0 & !BEFORE | low32(before / 4) << BEFORE_SHIFT | FREE_BEFORE)
    }

    /// The same block, behind a live one.
    pub(super) const fn after_live(self) -> Self {
        Self(self.0 & !(BEFORE | FREE_BEFORE))
    }
}

impl fmt::Debug for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.is_free() { "free" } else { "live" };
        write!(f, "{state} {}", self.size())?;
        match self.free_before() {
            Some(before) => write!(f, " behind free {before}"),
            None => Ok(()),
        }
    }
}

/// The neighbours of a free block in its list, as page and offset; page [`NONE`]: there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Links {
    pub(super) before_page: u32,
    pub(super) behind_page: u32,
    pub(super) before_offset: u16,
    pub(super) behind_offset: u16,
}

pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub(super) struct Page(NonNull<u8>);

impl Page {
    /// The page that begins at `start`.
    /// The caller promises: 4,096 bytes there are the heap's, for as long as this value is used, and aligned to them.
    pub(super) const unsafe fn new(start: NonNull<u8>) -> Self {
        Self(start)
    }

    pub(super) const fn start(self) -> NonNull<u8> {
        self.0
    }

    fn place<T>(self, offset: usize) -> NonNull<T> {
        debug_assert!(offset + size_of::<T>() <= PAGE && offset.is_multiple_of(4));
        // SAFETY: within the page.
        unsafe { self.0.add(offset) }.cast()
    }

    pub(super) fn head(self, offset: usize) -> Head {
        // SAFETY: in the page, and written there.
        Head(unsafe { self.place::<u32>(offset).read() })
    }

    pub(super) fn set_head(self, offset: usize, head: Head) {
        // SAFETY: in the page, between blocks.
        unsafe { self.place::<u32>(offset).write(head.0) };
    }

    /// Changes the head at `offset`, unless that is the page's end.
    pub(super) fn change(self, offset: usize, change: impl FnOnce(Head) -> Head) {
        if offset < PAGE {
            self.set_head(offset, change(self.head(offset)));
        }
    }

    /// The neighbours of the free block whose head is at `offset`.
    pub(super) fn links(self, offset: usize) -> Links {
        // SAFETY: in the free block, and written there.
        unsafe { self.place::<Links>(offset + 4).read() }
    }

    pub(super) fn set_links(self, offset: usize, links: Links) {
        // SAFETY: in the free block.
        unsafe { self.place::<Links>(offset + 4).write(links) };
    }

    pub(super) fn bytes(self, offset: usize, len: usize) -> NonNull<[u8]> {
        NonNull::slice_from_raw_parts(self.place::<u8>(offset), len)
    }
}

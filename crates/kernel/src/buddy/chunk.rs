//! A chunk: 2^order units of free memory as a value that somebody owns.
//!
//! ```text
//! ┌───────────────────────┐  split   ┌───────────┬───────────┐
//! │ order k + 1           │ ───────► │ low       │ high      │
//! └───────────────────────┘ ◄─────── └───────────┴───────────┘
//!                             join      order k     order k
//! ```
use core::ptr::NonNull;

/// Free memory, owned: it can be neither copied nor made from nothing.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a chunk that is dropped is lost"]
pub struct Chunk {
    start: NonNull<u8>,
    order: u32,
    len: usize,
}

impl Chunk {
    /// The chunk of 2^order units at `start`.
    /// # Safety
    /// These bytes lie in one pool of the allocator and begin at a multiple of their number;
    /// the caller owns them, and gives them up.
    #[inline]
    pub unsafe fn from_raw<const UNIT: usize>(start: NonNull<u8>, order: u32) -> Self {
        Self { start, order, len: UNIT << order }
    }

    /// Its memory, and the chunk is no more: whoever has the memory makes it a chunk again.
    #[inline]
    pub fn into_raw(self) -> NonNull<u8> {
        self.start
    }

    /// Its units are 2^order.
    #[inline]
    #[must_use]
    pub fn order(&self) -> u32 {
        self.order
    }

    /// Its bytes, never 0.
    #[inline]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Its first byte's address.
    #[inline]
    #[must_use]
    pub fn address(&self) -> usize {
        self.start.addr().get()
    }

    /// The lower and the upper half. The order is not 0.
    #[inline]
    pub(super) fn split(self) -> (Self, Self) {
        debug_assert!(self.order > 0, "a unit is not split");
        let (order, len) = (self.order - 1, self.len / 2);
        // SAFETY: half of its bytes are before this address.
        let middle = unsafe { self.start.byte_add(len) };
        (Self { start: self.start, order, len }, Self { start: middle, order, len })
    }

    #[inline]
    pub(super) fn join(self, buddy: Self) -> Self {
        debug_assert!(self.order == buddy.order && self.buddy() == buddy.address());
        Self { start: self.start.min(buddy.start), order: self.order + 1, len: self.len * 2 }
    }

    /// The address of the other half of what it was split from.
    #[inline]
    pub(super) fn buddy(&self) -> usize {
        self.address() ^ self.len
    }
}

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
}

impl Chunk {
    /// The chunk of 2^order units at `start`.
    ///
    /// # Safety
    ///
    /// These bytes lie in one region of the allocator and begin at a multiple of their number;
    /// the caller owns them, and gives them up.
    #[inline]
    pub unsafe fn from_raw(start: NonNull<u8>, order: u32) -> Self {
        Self { start, order }
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

    /// Its first byte's address.
    #[inline]
    #[must_use]
    pub fn address(&self) -> usize {
        self.start.addr().get()
    }

    /// The lower and the upper half. The order is not 0.
    #[inline]
    pub(super) fn split<const UNIT: usize>(self) -> (Self, Self) {
        debug_assert!(self.order > 0, "a unit is not split");
        let order = self.order - 1;
        // SAFETY: half of its bytes are before this address.
        let middle = unsafe { self.start.byte_add(UNIT << order) };
        (Self { start: self.start, order }, Self { start: middle, order })
    }

    /// The two buddies as one.
    #[inline]
    pub(super) fn join<const UNIT: usize>(self, buddy: Self) -> Self {
        debug_assert!(self.order == buddy.order && self.buddy::<UNIT>() == buddy.address());
        Self { start: self.start.min(buddy.start), order: self.order + 1 }
    }

    /// The address of the other half of what it was split from.
    #[inline]
    pub(super) fn buddy<const UNIT: usize>(&self) -> usize {
        self.address() ^ (UNIT << self.order)
    }
}

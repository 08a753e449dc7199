//! Addresses as distances from one that was written before: the last one, or the last block of about the same size.
//!
//! ```text
//! a block of 24 bytes     of_size[1] ─► [ │ the last of 16 to 31 bytes, or of 272 to 287, … │ ]
//! any other address       last
//! ```
//!
//! An allocator has places for each size, so the second is nearer. The writer and the reader keep the same.

use crate::varint::{unzigzag, zigzag};

const SIZES: usize = 16;

/// What distances are from. Addresses are in units of 16 bytes here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    pub(crate) last: u64,
    /// The low halves of addresses; the high one is the last address's.
    of_size: [u32; SIZES],
}

impl Near {
    /// Before the first address of a chunk.
    pub(crate) const NONE: Self = Self { last: 0, of_size: [0; SIZES] };

    #[inline(always)]
    fn near(&self, size: u64) -> u64 {
        let low = self.of_size[place(size)];
        let near = (self.last >> 32 << 32) | u64::from(low);
        if low == 0 { self.last } else { near }
    }

    /// The distance of any address.
    #[inline(always)]
    pub(crate) fn distance(&self, units: u64) -> u64 {
        zigzag(units.wrapping_sub(self.last).cast_signed())
    }

    /// The distance of a block of this size.
    #[inline(always)]
    pub(crate) fn distance_of(&self, units: u64, size: u64) -> u64 {
        zigzag(units.wrapping_sub(self.near(size)).cast_signed())
    }

    /// The next distance is from here.
    #[inline(always)]
    pub(crate) fn go(&mut self, units: u64) {
        self.last = units;
    }

    /// The next distance is from this block of this size.
    #[inline(always)]
    pub(crate) fn go_of(&mut self, units: u64, size: u64) {
        self.of_size[place(size)] = low_half(units);
        self.last = units;
    }

    /// The address that has this [`distance`](Self::distance).
    pub(crate) fn at(&mut self, distance: u64) -> u64 {
        self.last = self.last.wrapping_add(unzigzag(distance).cast_unsigned());
        self.last
    }

    /// The address of a block of this size that has this [`distance`](Self::distance_of).
    pub(crate) fn at_of(&mut self, distance: u64, size: u64) -> u64 {
        let units = self.near(size).wrapping_add(unzigzag(distance).cast_unsigned());
        self.go_of(units, size);
        units
    }
}

#[inline(always)]
fn place(size: u64) -> usize {
    (size >> 4) as usize % SIZES
}

#[inline(always)]
fn low_half(units: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the high half is left out")]
    let low = units as u32;
    low
}

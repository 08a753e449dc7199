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
    fn near(&mut self, size: u64) -> (u64, &mut u32) {
        let low = &mut self.of_size[(size >> 4) as usize % SIZES];
        let near = (self.last >> 32 << 32) | u64::from(*low);
        (if *low == 0 { self.last } else { near }, low)
    }

    /// The distance of any address.
    #[inline(always)]
    pub(crate) fn distance(&mut self, units: u64) -> u64 {
        let distance = units.wrapping_sub(self.last);
        self.last = units;
        zigzag(distance.cast_signed())
    }

    /// The distance of a block of this size.
    #[inline(always)]
    pub(crate) fn distance_of(&mut self, units: u64, size: u64) -> u64 {
        let (near, low) = self.near(size);
        *low = low_half(units);
        self.last = units;
        zigzag(units.wrapping_sub(near).cast_signed())
    }

    /// The address that has this [`distance`](Self::distance).
    pub(crate) fn at(&mut self, distance: u64) -> u64 {
        self.last = self.last.wrapping_add(unzigzag(distance).cast_unsigned());
        self.last
    }

    /// The address of a block of this size that has this [`distance`](Self::distance_of).
    pub(crate) fn at_of(&mut self, distance: u64, size: u64) -> u64 {
        let (near, low) = self.near(size);
        let units = near.wrapping_add(unzigzag(distance).cast_unsigned());
        *low = low_half(units);
        self.last = units;
        units
    }
}

#[inline(always)]
fn low_half(units: u64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the high half is left out")]
    let low = units as u32;
    low
}

//! The classes of the size slabs: steps of two words up to 16 words, then 4 for each doubling.
//!
//! ```text
//! 64 bits   16 32 48 64 80 96 112 128 │ 160 192 224 256 │ 320 384 448 512 │ 640 … 1024 │ … 2048
//! 32 bits    8 16 24 32 40 48  56  64 │  80  96 112 128 │ 160 192 224 256 │ …
//! ```
//!
//! Above 16 words at most a fifth of an object is lost, a tenth on average. A slab has room for
//! eight objects at least, header and all, and is a power of two of bytes: objects lie at its
//! end, so each is aligned to the largest power of two that divides its size.
use core::alloc::Layout;

use base::bits::align_up;

/// The step of the first classes.
pub const STEP: usize = 2 * size_of::<usize>();
/// The largest size with that step.
const LINEAR: usize = 8 * STEP;
/// The largest size that has a class.
pub const MAX_SIZE: usize = 2048;
/// How many classes there are.
pub const CLASSES: usize = classes_to(MAX_SIZE);

/// How many classes there are to a largest size, a power of two and at least 16 words.
#[must_use]
pub const fn classes_to(largest: usize) -> usize {
    8 + 4 * (largest.ilog2() - LINEAR.ilog2()) as usize
}

/// A size class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class(usize);

impl Class {
    /// The class for a layout; `None`: it gets pages.
    #[inline]
    #[must_use]
    pub const fn of(layout: Layout) -> Option<Self> {
        Self::within(layout, MAX_SIZE)
    }

    /// The class for a layout among those to `largest` bytes.
    #[inline]
    #[must_use]
    pub const fn within(layout: Layout, largest: usize) -> Option<Self> {
        // Rounded up to its alignment, a size is a class itself or smaller than the next one
        // whose step the alignment divides.
        let size = align_up(if layout.size() == 0 { 1 } else { layout.size() }, layout.align());
        if size > largest {
            None
        } else if size <= LINEAR {
            Some(Self((size - 1) / STEP))
        } else {
            let doubling = (size - 1).ilog2();
            let quarter = ((size - 1) >> (doubling - 2)) & 3;
            Some(Self(8 + (doubling - LINEAR.ilog2()) as usize * 4 + quarter))
        }
    }

    /// All, the smallest first.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::all_to(MAX_SIZE)
    }

    /// All to a largest size, the smallest first.
    pub fn all_to(largest: usize) -> impl Iterator<Item = Self> {
        (0..classes_to(largest)).map(Self)
    }

    /// The next smaller one; the smallest is its own.
    #[must_use]
    pub const fn before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// Below [`CLASSES`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }

    /// Bytes of an object.
    #[inline]
    #[must_use]
    pub const fn size(self) -> usize {
        if self.0 < 8 {
            (self.0 + 1) * STEP
        } else {
            let (doubling, quarter) = ((self.0 - 8) / 4, (self.0 - 8) % 4);
            (quarter + 5) << doubling << (LINEAR.ilog2() - 2)
        }
    }

    /// Bytes of a slab.
    #[inline]
    #[must_use]
    pub const fn slab_len<const PAGE: usize>(self) -> usize {
        let len = (8 * self.size()).next_power_of_two();
        if len < PAGE { PAGE } else { len }
    }
}

#[cfg(test)]
mod tests;

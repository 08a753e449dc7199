//! Geometry: how many bins, how finely they divide a doubling, and what blocks are multiples of.

use super::block::{WORD, smallest_listed};
use super::map::{self, BITS};

/// A geometry. Its constants follow from [`Shape`]'s three.
pub trait Geometry: sealed::Sealed + 'static {
    /// Words of the bitmap; each speaks for as many bins as a word has bits.
    const WORDS: usize;
    /// Bins to each doubling of the size.
    const STEPS: usize;
    /// What sizes and payload addresses are multiples of, in bytes.
    const GRAIN: usize;
    /// The position of the highest bit that a block's size may have, in grains.
    const HIGHEST: usize = map::highest(Self::WORDS, Self::STEPS, Self::GRAIN);
    /// The largest block, in bytes, header included.
    const LARGEST: usize = ((2 << Self::HIGHEST) - 1) * Self::GRAIN;
    /// The smallest free block with links and size of its own, in bytes.
    const LISTED: usize = smallest_listed(Self::GRAIN);
    /// Whether there are free blocks of two words: where the grain is just that. The feature
    /// `compact` does without, for less code.
    const CRUMBS: bool = Self::GRAIN == 2 * WORD && !cfg!(feature = "compact");
    /// Bins.
    const BINS: usize = Self::WORDS * BITS;
}

/// `WORDS` bitmap words, `STEPS` bins to a doubling, blocks in multiples of `GRAIN` bytes.
///
/// | `WORDS`, `STEPS` | 64-bit: largest block at grain 16, control block | 32-bit: at grain 8 |
/// |---|---|---|
/// | 1, 4 | 2 MiB, 568 B | 4 KiB, 156 B |
/// | 2, 4 | 128 GiB, 1,096 B | 1 MiB, 292 B |
/// | 2, 8 | 4 MiB, 1,096 B | 8 KiB, 292 B |
/// | 4, 8 | 256 GiB, 2,152 B | 2 MiB, 564 B |
/// | 8, 16 | 512 GiB, 4,264 B | 4 MiB, 1,108 B |
///
/// A geometry that cannot work does not compile:
///
/// ```compile_fail
/// use heapwright_block::tlsf::Tlsf;
/// static HEAP: Tlsf<4, 6> = Tlsf::new(); // 6 is not a power of two
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Shape<const WORDS: usize, const STEPS: usize, const GRAIN: usize>;

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Shape<WORDS, STEPS, GRAIN> {
    /// Fails to compile where it is used when the geometry cannot work.
    pub(super) const VALID: () = {
        assert!(WORDS >= 1 && WORDS <= 8, "WORDS: from 1 to 8 words of bitmap");
        assert!(
            STEPS.is_power_of_two() && STEPS <= 32,
            "STEPS: 1, 2, 4, 8, 16 or 32 bins to a doubling"
        );
        assert!(WORDS * BITS >= 4 * STEPS, "WORDS: too few bins for these STEPS");
        assert!(GRAIN.is_power_of_two() && GRAIN >= WORD, "GRAIN: a power of two, a word at least");
        assert!(GRAIN <= 4096, "GRAIN: 4096 bytes at most");
    };
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> sealed::Sealed
    for Shape<WORDS, STEPS, GRAIN>
{
}

impl<const WORDS: usize, const STEPS: usize, const GRAIN: usize> Geometry
    for Shape<WORDS, STEPS, GRAIN>
{
    const WORDS: usize = WORDS;
    const STEPS: usize = STEPS;
    const GRAIN: usize = GRAIN;
}

pub(super) mod sealed {
    pub trait Sealed {}
}

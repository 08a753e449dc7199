//! From a block's size to its bin: one step a grain at first, then `STEPS` to each doubling.
//!
//! ```text
//! STEPS 4, in grains   bin  0 1 2 3 4 5 6 7 │ 8     9      10     11    │ 12     13 …
//!                      size 0 1 2 3 4 5 6 7 │ 8,9  10,11  12,13  14,15 │ 16-19  20-23 …
//! ```
//!
//! With `k` the position of the size's highest bit, the bin is `(k - s)·STEPS + (size >> (k - s))`
//! where `s = log2 STEPS`: the leading digits of a floating-point number, and linear below
//! `2·STEPS` without a case of its own (Masmano et al., "TLSF", ECRTS 2004, equation 1).
//!
//! O(1). Where the processor counts leading zeros that is seven instructions; where it does not
//! (RISC-V without Zbb), a byte of the size is looked up and the shift chosen by halving.

use core::marker::PhantomData;

use super::geometry::Geometry;

/// Bits in a bitmap's word, and so bins that it speaks for.
pub(super) const BITS: usize = usize::BITS as usize;

/// The highest bit that the size of a block may have, in grains.
pub(super) const fn highest(words: usize, steps: usize, grain: usize) -> usize {
    let by_bins = words * BITS / steps - 2 + steps.ilog2() as usize;
    // Half of the address space at most, so that the sum of two sizes does not wrap.
    let by_space = BITS - 2 - grain.ilog2() as usize;
    if by_bins < by_space { by_bins } else { by_space }
}

/// Whether the bin is looked up: the machine has no instruction for the highest bit.
const LOOKED_UP: bool =
    cfg!(all(any(target_arch = "riscv32", target_arch = "riscv64"), not(target_feature = "zbb")));

/// The bin of a block of `grains`, which is at most what [`highest`] allows.
#[inline(always)]
pub(super) fn bin<G: Geometry>(grains: usize) -> usize {
    if LOOKED_UP && G::STEPS <= 16 { by_table::<G>(grains) } else { by_bit(G::STEPS, grains) }
}

/// The definition, and the way where the highest bit is one instruction away.
#[inline(always)]
pub(super) const fn by_bit(steps: usize, grains: usize) -> usize {
    let top = (grains | steps).ilog2() as usize;
    let shift = top - steps.ilog2() as usize;
    shift * steps + (grains >> shift)
}

/// The bins of the sizes that fit a byte.
struct Table<G>(PhantomData<G>);

impl<G: Geometry> Table<G> {
    const BINS: [u8; 256] = {
        let mut bins = [0; 256];
        let mut grains = 0;
        while grains < 256 {
            bins[grains] = base::bits::low8(by_bit(G::STEPS, grains));
            grains += 1;
        }
        bins
    };
}

/// Shifts the size until its highest bit lies in the upper half of a byte: five leading digits
/// are left, enough for 16 steps. Each bit shifted out is one doubling, `STEPS` bins.
#[inline(always)]
fn by_table<G: Geometry>(grains: usize) -> usize {
    let (mut size, mut bins) = (grains, 0);
    if size >> 8 != 0 {
        if G::HIGHEST >= 40 && size >> 40 != 0 {
            size >>= 32;
            bins += 32 * G::STEPS;
        }
        if G::HIGHEST >= 24 && size >> 24 != 0 {
            size >>= 16;
            bins += 16 * G::STEPS;
        }
        if G::HIGHEST >= 16 && size >> 16 != 0 {
            size >>= 8;
            bins += 8 * G::STEPS;
        }
        let far = size >> 12 != 0;
        bins += if far { 8 * G::STEPS } else { 4 * G::STEPS };
        size >>= if far { 8 } else { 4 };
    }
    // In range: what is left of the size is below 256, as `highest` bounds it.
    bins + usize::from(Table::<G>::BINS[size & 0xff])
}

#[cfg(test)]
mod tests;

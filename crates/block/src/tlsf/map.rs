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
#[cfg_attr(not(feature = "compact"), inline(always))]
pub(super) fn bin<G: Geometry>(grains: usize) -> usize {
    if LOOKED_UP && G::STEPS <= 16 { by_table::<G>(grains) } else { by_bit(G::STEPS, grains) }
}

/// The definition, and the way where the highest bit is one instruction away.
#[inline]
pub(super) const fn by_bit(steps: usize, grains: usize) -> usize {
    // Not `ilog2`, which has a way into a panic that a compiler told to be small keeps.
    let top = BITS - 1 - (grains | steps).leading_zeros() as usize;
    let shift = top - (BITS - 1 - steps.leading_zeros() as usize);
    shift * steps + (grains >> shift)
}

/// The bins of the sizes that fit a byte.
struct Table<G>(PhantomData<G>);

impl<G: Geometry> Table<G> {
    const BINS: &[u8; 256] = &{
        let mut bins = [0; 256];
        let mut grains = 0;
        while grains < 256 {
            bins[grains] = base::bits::low8(by_bit(G::STEPS, grains));
            grains += 1;
        }
        bins
    };
}

/// Looks at five leading digits, enough for 16 steps, after a shift by a multiple of four that
/// leaves the highest bit in the upper half of a byte. Each bit shifted out is `STEPS` bins.
#[cfg_attr(not(feature = "compact"), inline(always))]
fn by_table<G: Geometry>(grains: usize) -> usize {
    // Shifts in pieces, as those by more than 31 do not exist on a 32-bit machine.
    let above = grains >> 20;
    if G::HIGHEST < 20 || above == 0 {
        below_20::<G>(grains, 0)
    } else if G::HIGHEST < 36 || above >> 16 == 0 {
        below_20::<G>(grains >> 16, 16)
    } else if G::HIGHEST < 52 || above >> 16 >> 16 == 0 {
        below_20::<G>(grains >> 16 >> 16, 32)
    } else {
        below_20::<G>(grains >> 24 >> 24, 48)
    }
}

/// The bin of a size of which `shifted` bits are gone and less than 20 are left.
#[cfg_attr(not(feature = "compact"), inline(always))]
fn below_20<G: Geometry>(size: usize, shifted: usize) -> usize {
    let left = G::HIGHEST.saturating_sub(shifted);
    let (digits, shifted) = if left < 8 || size < 1 << 8 {
        (size, shifted)
    } else if left < 12 || size < 1 << 12 {
        (size >> 4, shifted + 4)
    } else if left < 16 || size < 1 << 16 {
        (size >> 8, shifted + 8)
    } else {
        (size >> 12, shifted + 12)
    };
    debug_assert!(digits < 256, "{size:#x} has more bits than the geometry allows");
    // SAFETY: no more than 8 bits are left, as no size has a higher bit than `HIGHEST`.
    let bin = unsafe { *Table::<G>::BINS.get_unchecked(digits) };
    usize::from(bin) + shifted * G::STEPS
}

#[cfg(test)]
mod tests;

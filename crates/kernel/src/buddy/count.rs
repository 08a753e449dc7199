//! Logarithms and lowest ones, on machines with an instruction for them and on others.
//!
//! Without one, the compiler's own take thirty instructions and more, for numbers that are small
//! as a rule here. What is below costs a few for each four powers of two, or for each one.

/// Whether leading and trailing zeros are counted by an instruction or two.
const COUNTS_ZEROS: bool = cfg!(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "wasm32",
    target_feature = "zbb",
    // The small Arm cores have neither compare-and-swap nor this; the others have both.
    all(target_arch = "arm", target_has_atomic = "32"),
));

/// [`log2_up`] of the numbers up to 16.
const SMALL: [u8; 17] = [0, 0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4];

/// The least power of two, by its exponent, that is at least `size` in units, so that a unit is
/// 0; `size` is at least a unit.
#[inline]
#[expect(clippy::manual_div_ceil, reason = "two instructions fewer, and no size is near the end")]
pub(super) const fn log2_up<const UNIT: usize>(size: usize) -> u32 {
    if COUNTS_ZEROS {
        usize::BITS - (size - 1).leading_zeros() - UNIT.trailing_zeros()
    } else {
        log2_up_by_fours((size + (UNIT - 1)) / UNIT)
    }
}

/// The number of zeros below the lowest one of `bits`, which is not 0.
#[inline]
pub(super) const fn lowest_one(bits: usize) -> u32 {
    if COUNTS_ZEROS { bits.trailing_zeros() } else { lowest_one_by_one(bits) }
}

#[inline]
const fn log2_up_by_fours(number: usize) -> u32 {
    let (mut rest, mut power) = (number, 0);
    while rest >= SMALL.len() {
        rest = rest.div_ceil(16);
        power += 4;
    }
    power + SMALL[rest] as u32
}

#[inline]
const fn lowest_one_by_one(bits: usize) -> u32 {
    let (mut rest, mut zeros) = (bits, 0);
    while rest & 1 == 0 {
        rest >>= 1;
        zeros += 1;
    }
    zeros
}

#[cfg(test)]
mod tests;

//! Arithmetic on sizes, alignments and bitmaps. Pure functions, O(1).

/// `value` rounded up to a multiple of `align`, a power of two. Wraps on overflow.
#[inline]
#[must_use]
pub const fn align_up(value: usize, align: usize) -> usize {
    value.wrapping_add(align - 1) & !(align - 1)
}

/// `value` rounded down to a multiple of `align`, a power of two.
#[inline]
#[must_use]
pub const fn align_down(value: usize, align: usize) -> usize {
    value & !(align - 1)
}

/// The low 32 bits of a number that is known to fit them.
#[inline]
#[must_use]
#[cfg_attr(
    target_pointer_width = "64",
    expect(clippy::cast_possible_truncation, reason = "the name says so; checked in debug builds")
)]
pub const fn low32(value: usize) -> u32 {
    debug_assert!(value <= u32::MAX as usize);
    value as u32
}

/// The low 8 bits of a number that is known to fit them.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the name says so; checked in debug builds")]
pub const fn low8(value: usize) -> u8 {
    debug_assert!(value <= u8::MAX as usize);
    value as u8
}

/// The low 16 bits of a number that is known to fit them.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the name says so; checked in debug builds")]
pub const fn low16(value: usize) -> u16 {
    debug_assert!(value <= u16::MAX as usize);
    value as u16
}

/// The low 64 bits of a bitmap of 128.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the name says so")]
pub const fn low64(value: u128) -> u64 {
    value as u64
}

/// A 64-bit number as an index; 64-bit machines only.
#[cfg(target_pointer_width = "64")]
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "usize has 64 bits where this is compiled")]
pub const fn index(value: u64) -> usize {
    value as usize
}

/// `len` ones starting at bit `at`; `at + len <= 128`.
///
/// ```text
/// ones(2, 3):  bit 0 ─► 0 0 1 1 1 0 0 …
/// ```
#[inline]
#[must_use]
pub const fn ones(at: u32, len: u32) -> u128 {
    debug_assert!(at + len <= 128);
    if len == 0 {
        return 0;
    }
    (u128::MAX >> (128 - len)) << at
}

/// The bits at which a run of `len` ones starts in `bits`; 1 <= `len` <= 128.
///
/// Doubling: after each step a set bit means a run of twice the length.
#[inline]
#[must_use]
pub const fn run_starts(bits: u128, len: u32) -> u128 {
    let mut starts = bits;
    let mut left = len;
    while left > 1 {
        let step = left / 2;
        starts &= starts >> step;
        left -= step;
    }
    starts
}

/// The ones of `bits` that fill an aligned group of `size` bits; `size` is a power of two up to 128.
///
/// ```text
/// whole_groups(.., 4):   1111 0110 1011 1111  ─►  1111 0000 0000 1111
/// ```
#[inline]
#[must_use]
pub const fn whole_groups(bits: u128, size: u32) -> u128 {
    debug_assert!(size.is_power_of_two() && size <= 128);
    if size == 1 {
        return bits;
    }
    let mut first_of_each = 1;
    let mut width = size;
    while width < 128 {
        first_of_each |= first_of_each << width;
        width *= 2;
    }
    // Each of these ones stands for its group, and times as many ones becomes it.
    (run_starts(bits, size) & first_of_each) * ones(0, size)
}

/// The largest `k` such that `bits` holds a run of `2^k` ones; `None` when `bits` is 0.
#[inline]
#[must_use]
pub const fn longest_run_log2(bits: u128) -> Option<u32> {
    if bits == 0 {
        return None;
    }
    let mut starts = bits;
    let mut k = 0;
    while k < 7 {
        let next = starts & (starts >> (1 << k));
        if next == 0 {
            break;
        }
        starts = next;
        k += 1;
    }
    Some(k)
}

/// The lowest `count` ones of `bits` (all of them when there are fewer).
#[inline]
#[must_use]
pub const fn lowest_ones(bits: u64, count: u32) -> u64 {
    if count >= 64 || bits == 0 {
        return bits;
    }
    if let Some((first, _)) = single_run(bits) {
        return bits & (((1 << count) - 1) << first);
    }
    let mut rest = bits;
    let mut taken = 0;
    while taken < count && rest != 0 {
        rest &= rest - 1;
        taken += 1;
    }
    bits & !rest
}

/// Where the ones of `bits` start and how many they are, if they are one unbroken run.
#[inline]
#[must_use]
pub const fn single_run(bits: u64) -> Option<(u32, u32)> {
    if bits == 0 {
        return None;
    }
    let first = bits.trailing_zeros();
    let run = bits >> first;
    if run & run.wrapping_add(1) != 0 {
        return None;
    }
    Some((first, 64 - run.leading_zeros()))
}

#[cfg(test)]
mod tests;

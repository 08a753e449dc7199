//! Numbers of one to nine bytes, whose length stands in the low bits of the first.
//!
//! ```text
//! xxxxxxx1                     7 bits          written with one unaligned store of eight bytes,
//! xxxxxx10 xxxxxxxx            14 bits         read with one unaligned load: no loop, no branch a byte
//! …
//! 10000000 × 7 bytes           56 bits
//! 00000000 × 8 bytes           64 bits
//! ```

/// The longest number, in bytes.
pub const LONGEST: usize = 9;

/// How many bytes `value` takes.
#[must_use]
pub const fn len(value: u64) -> usize {
    let bits = u64::BITS - (value | 1).leading_zeros();
    let bytes = bits.div_ceil(7) as usize;
    if bytes > 8 { LONGEST } else { bytes }
}

/// The bytes of a `value` below 2^56 in a word, and how many bits they are: without a branch where they are few, as they mostly are.
#[inline(always)]
#[must_use]
pub const fn word(value: u64) -> (u64, u64) {
    // Comparisons take less than finding the highest bit, where processors need not have an instruction for it.
    let more = if value < 1 << 28 {
        (value >= 1 << 7) as u64 + (value >= 1 << 14) as u64 + (value >= 1 << 21) as u64
    } else {
        // The highest bit's place by seven, for all that there are.
        ((63 - value.leading_zeros() as u64) * 9 + 9) >> 6
    };
    ((value << 1 | 1) << more, (more + 1) << 3)
}

/// Writes `value` and says how many bytes it took.
///
/// # Safety
/// [`LONGEST`] bytes from `at` on may be written.
#[inline]
pub unsafe fn write(at: *mut u8, value: u64) -> usize {
    let len = len(value);
    if len == LONGEST {
        // SAFETY: nine bytes are there.
        unsafe { at.write(0) };
        // SAFETY: nine bytes are there.
        let rest = unsafe { at.add(1) };
        // SAFETY: eight of them are left.
        unsafe { rest.cast::<u64>().write_unaligned(value.to_le()) };
        return len;
    }
    let word = (value << len) | (1 << (len - 1));
    // SAFETY: nine bytes are there.
    unsafe { at.cast::<u64>().write_unaligned(word.to_le()) };
    len
}

/// The bytes of `value`: the first of them, as many as the second says.
#[must_use]
pub fn bytes(value: u64) -> ([u8; LONGEST], usize) {
    let mut bytes = [0; LONGEST];
    // SAFETY: as many bytes as the longest number has.
    let len = unsafe { write(bytes.as_mut_ptr(), value) };
    (bytes, len)
}

/// Reads a number from the front of `bytes`: its value and its length. `None`: the bytes end within it.
#[inline]
#[must_use]
pub fn read(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    if let (1.., Some(word)) = (first, bytes.first_chunk()) {
        let len = first.trailing_zeros() as usize + 1;
        let word = u64::from_le_bytes(*word);
        return Some((word << (64 - 8 * len) >> (64 - 7 * len), len));
    }
    read_slow(first, bytes)
}

/// A number of nine bytes, or one whose bytes are among the last eight.
#[cold]
fn read_slow(first: u8, bytes: &[u8]) -> Option<(u64, usize)> {
    if first == 0 {
        let rest = bytes.get(1..LONGEST)?;
        return Some((u64::from_le_bytes(rest.try_into().ok()?), LONGEST));
    }
    let len = first.trailing_zeros() as usize + 1;
    let bytes = bytes.get(..len)?;
    let mut word = [0; 8];
    word[..len].copy_from_slice(bytes);
    Some((u64::from_le_bytes(word) >> len, len))
}

/// Small numbers for small distances of either sign.
#[must_use]
pub const fn zigzag(distance: i64) -> u64 {
    ((distance << 1) ^ (distance >> 63)).cast_unsigned()
}

/// What [`zigzag`] was given.
#[must_use]
pub const fn unzigzag(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ -((value & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, len, read, unzigzag, write, zigzag};

    #[test]
    fn every_length_comes_back() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = [0xAA; LONGEST];
                // SAFETY: nine bytes.
                let written = unsafe { write(bytes.as_mut_ptr(), value) };
                assert_eq!(written, len(value));
                assert_eq!(super::bytes(value).1, written);
                if written < LONGEST {
                    let (word, bits) = super::word(value);
                    assert_eq!(word.to_le_bytes()[..written], bytes[..written]);
                    assert_eq!(bits, 8 * written as u64);
                }
                assert_eq!(read(&bytes), Some((value, written)));
                assert_eq!(read(&bytes[..written]), Some((value, written)));
                assert_eq!(read(&bytes[..written - 1]), None);
            }
        }
    }

    #[test]
    fn distances_of_either_sign_come_back() {
        for distance in [0, 1, -1, i64::MAX, i64::MIN, 12_345, -12_345] {
            assert_eq!(unzigzag(zigzag(distance)), distance);
        }
    }
}

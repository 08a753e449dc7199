//! Bins of sizes: blocks of about the same size usually are the same thing of the program.
//!
//! Every 16 bytes up to 1 KiB, then four for each doubling: in a bin, sizes differ by at most a fifth.

/// Sizes up to here have a bin for each 16 bytes.
const FINE: u64 = 1024;
const STEP: u64 = 16;
const FINE_BINS: usize = 65;
/// Bins for each doubling above.
const EACH: usize = 4;

/// How many bins there are: up to 2^47 bytes, more than a program has addresses for.
pub(crate) const BINS: usize = FINE_BINS + 37 * EACH;

pub(crate) fn bin(size: u64) -> usize {
    if size <= FINE {
        return crate::place(size.div_ceil(STEP));
    }
    let order = (size - 1).ilog2();
    let quarter = ((size - 1) >> (order - 2)) & 3;
    let above = (order - FINE.ilog2()) as usize * EACH + crate::place(quarter);
    (FINE_BINS + above).min(BINS - 1)
}

/// The power of two that a figure is below, for coarse histograms: 0 for 0, 1 for 1, 2 for 2 and 3, …
pub(crate) fn octave(n: u64) -> usize {
    (u64::BITS - n.leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_follow_each_other_without_a_gap() {
        assert_eq!([0, 1, 16, 17, 1024].map(bin), [0, 1, 1, 2, 64]);
        assert_eq!(
            [1025, 1280, 1281, 1536, 1537, 2048, 2049].map(bin),
            [65, 65, 66, 66, 67, 68, 69]
        );
        let mut last = 0;
        for size in 0..200_000 {
            let now = bin(size);
            assert!(now == last || now == last + 1, "{size}: {last}, {now}");
            last = now;
        }
        assert!(bin(u64::MAX) < BINS);
    }

    #[test]
    fn octaves_count_bits() {
        assert_eq!([0, 1, 2, 3, 4, u64::MAX].map(octave), [0, 1, 2, 2, 3, 64]);
    }
}

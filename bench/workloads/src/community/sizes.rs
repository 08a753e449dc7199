//! How large blocks are: distributions that the workloads share.

use crate::rng::Rng;

/// Mostly small: a size is as often above twice its value as below it, from `least` to `most`.
///
/// All doublings have about the same number of bytes in them.
pub(super) fn power_law(rng: &mut Rng, least: usize, most: usize) -> usize {
    let word = rng.next();
    let base = least << word.trailing_zeros().min(20);
    let part = (word >> 32) as usize;
    (base + ((base * part) >> 32)).min(most)
}

/// From `least` to `most`, the fewer the larger: the less of two numbers.
#[inline(always)]
pub(super) fn falling(rng: &mut Rng, least: usize, most: usize) -> usize {
    let word = rng.next();
    let smaller = (word >> 32).min(word & 0xffff_ffff);
    least + ((smaller * (most - least + 1) as u64) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_in_range_and_mostly_small() {
        let mut rng = Rng::new(1);
        let all: Vec<usize> = (0..100_000).map(|_| power_law(&mut rng, 16, 4096)).collect();
        assert!(all.iter().all(|s| (16..=4096).contains(s)));
        let small = all.iter().filter(|s| **s < 32).count();
        assert!((45_000..55_000).contains(&small), "{small}");
        let all: Vec<usize> = (0..100_000).map(|_| falling(&mut rng, 8, 16_000)).collect();
        assert!(all.iter().all(|s| (8..=16_000).contains(s)));
        let small = all.iter().filter(|s| **s < 8000).count();
        assert!((74_000..76_000).contains(&small), "{small}");
    }
}

//! How large blocks are: distributions that the workloads share.

use crate::rng::Rng;

/// Mostly small: a size is as often above twice its value as below it, from `least` to `most`.
///
/// All doublings have about the same number of bytes in them.
#[inline(always)]
pub(crate) fn power_law(rng: &mut Rng, least: usize, most: usize) -> usize {
    let word = rng.next();
    let base = least << word.trailing_zeros().min(20);
    let part = (word >> 32) as usize;
    (base + ((base * part) >> 32)).min(most)
}

/// From `least` to `most`, the fewer the larger: the less of two numbers.
#[inline(always)]
pub(crate) fn falling(rng: &mut Rng, least: usize, most: usize) -> usize {
    let word = rng.next();
    let smaller = (word >> 32).min(word & 0xffff_ffff);
    least + ((smaller * (most - least + 1) as u64) >> 32) as usize
}

/// From `2^low` to below `2^high`: every doubling is as frequent as the others.
#[inline(always)]
pub(crate) fn doublings(rng: &mut Rng, low: u32, high: u32) -> usize {
    let number = rng.next();
    let doubling = low + (number >> 56) as u32 % (high - low);
    let within = (number >> 32) as usize & ((1 << doubling) - 1);
    (1 << doubling) + within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_doubling_is_as_frequent() {
        let mut rng = Rng::new(5);
        let mut seen = [0_u32; 4];
        for _ in 0..4000 {
            let size = doublings(&mut rng, 4, 8);
            assert!((16..256).contains(&size));
            seen[size.ilog2() as usize - 4] += 1;
        }
        assert!(seen.iter().all(|n| (850..1150).contains(n)), "{seen:?}");
    }

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

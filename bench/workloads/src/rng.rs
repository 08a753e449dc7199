//! Random numbers: an addition and a multiplication each, the same on every machine.

/// A generator of 64-bit numbers (Wang Yi, "wyhash", 2019: the generator wyrand).
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    /// The sequence of `seed`; seeds beside each other have nothing in common.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    #[inline(always)]
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.0) * u128::from(self.0 ^ 0xe703_7ed1_a0b4_28db);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the upper half comes down on the lower"
        )]
        let folded = (product ^ (product >> 64)) as u64;
        folded
    }

    /// A number below `bound` (not 0), by one multiplication (Lemire, 2019, without the rejection: the bias is bound / 2^64).
    #[inline(always)]
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "it is less than `bound`")]
        let below = ((u128::from(self.next()) * bound as u128) >> 64) as usize;
        below
    }

    /// A number below each of two bounds (not 0, and below 2^32), from the two halves of one draw.
    #[inline(always)]
    pub(crate) fn two_below(&mut self, first: usize, second: usize) -> (usize, usize) {
        let number = self.next();
        let below = |half: u64, bound: usize| ((half * bound as u64) >> 32) as usize;
        (below(number & 0xffff_ffff, first), below(number >> 32, second))
    }

    /// A number from `low` to `high`, both included.
    #[inline(always)]
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_range_and_the_seed_decides() {
        let mut rng = Rng::new(3);
        let mut seen = [0_u32; 10];
        for _ in 0..10_000 {
            seen[rng.between(5, 14) - 5] += 1;
        }
        assert!(seen.iter().all(|n| (800..1200).contains(n)), "{seen:?}");
        let mut seen = [[0_u32; 5]; 2];
        for _ in 0..10_000 {
            let (first, second) = rng.two_below(2, 5);
            seen[first][second] += 1;
        }
        assert!(seen.iter().flatten().all(|n| (800..1200).contains(n)), "{seen:?}");
        let first = |seed| Rng::new(seed).next();
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }
}

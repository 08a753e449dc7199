//! Sums over blocks of which a sample has a call stack, and how far off they may be.
//!
//! An allocation of `size` bytes is in the sample with the probability `p = 1 - exp(-size / interval)`, and stands for `1 / p` of
//! its like. The sum of `v / p` is right on average, and `v² (1 - p) / p²` each adds to its variance.

/// Margins are so many standard deviations: 95 of 100 cases.
const DEVIATIONS: f64 = 1.96;

/// A sum over blocks of a sample.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    pub blocks: f64,
    pub bytes: f64,
    /// The variance of the bytes.
    pub variance: f64,
    /// That of the number of blocks.
    pub blocks_variance: f64,
}

impl Estimate {
    /// Adds `bytes` of a block that is in the sample with the probability `p`.
    pub fn add(&mut self, bytes: u64, p: f64) {
        let each = bytes as f64 / p;
        self.blocks += 1.0 / p;
        self.bytes += each;
        self.variance += each * each * (1.0 - p);
        self.blocks_variance += (1.0 - p) / (p * p);
    }

    /// Adds a sum over other blocks.
    pub fn join(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.bytes += other.bytes;
        self.variance += other.variance;
        self.blocks_variance += other.blocks_variance;
    }

    /// Between what the true number of bytes is, in 95 of 100 cases, also where the sample has few blocks of it or none: that of the
    /// score test. `interval` is the sample's.
    ///
    /// ```text
    /// samples   0        1          4            100
    /// between   0–3.8    0.2–5.7    1.6–10.3     82–122      times what one of them stands for
    /// ```
    pub fn between(&self, interval: u64) -> (f64, f64) {
        if interval == 0 {
            return (self.bytes, self.bytes);
        }
        // What a sample stands for.
        let each = if self.bytes > 0.0 { self.variance / self.bytes } else { interval as f64 };
        let middle = self.bytes + each * DEVIATIONS * DEVIATIONS / 2.0;
        let half = DEVIATIONS * (self.variance + (each * DEVIATIONS / 2.0).powi(2)).sqrt();
        ((middle - half).max(0.0), middle + half)
    }

    /// The true number of bytes is no further off, in 95 of 100 cases; 0: it is this one.
    pub fn margin(&self) -> f64 {
        DEVIATIONS * self.variance.sqrt()
    }

    /// The same of the number of blocks.
    pub fn blocks_margin(&self) -> f64 {
        DEVIATIONS * self.blocks_variance.sqrt()
    }
}

/// How likely it is that an allocation of this size is in a sample of one point in `interval` bytes; 0: all are.
pub fn likely(size: u64, interval: u64) -> f64 {
    if interval == 0 {
        return 1.0;
    }
    // Blocks of no bytes are never sampled: one that is in the sample is a damaged trace's.
    -f64::exp_m1(-(size.max(1) as f64) / interval as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_right_on_average_and_their_margins_hold() {
        // 4,000 recordings of 5,000 blocks of 300 bytes, one of 20,000 bytes sampled.
        let (size, interval, blocks) = (300, 20_000, 5_000);
        let (p, truth) = (likely(size, interval), (size * blocks) as f64);
        let mut random = 1_u64;
        let (mut mean, mut within) = (0.0, 0);
        for _ in 0..4000 {
            let mut sum = Estimate::default();
            for _ in 0..blocks {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                if ((random >> 11) as f64) < p * (1_u64 << 53) as f64 {
                    sum.add(size, p);
                }
            }
            mean += sum.bytes / 4000.0;
            within += u32::from((sum.bytes - truth).abs() <= sum.margin());
        }
        assert!((mean / truth - 1.0).abs() < 0.01, "{mean}");
        assert!((3680..=3920).contains(&within), "{within} of 4000");
    }

    #[test]
    fn what_few_blocks_of_a_sample_say_holds_too() {
        // 4,000 recordings of places from 2 to 200 points of the sample. Of one point it is 92 of 100: three of it are too many, which
        // 8 of 100 have.
        let (size, interval) = (100, 50_000);
        let p = likely(size, interval);
        let mut random = 1_u64;
        for points in [2, 3, 5, 10, 20, 50, 200] {
            let blocks = points * interval / size;
            let mut within = 0;
            for _ in 0..4000 {
                let mut sum = Estimate::default();
                let mut at = 0.0;
                loop {
                    // From one block of the sample to the next.
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                    let chance = ((random >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
                    at += (chance.ln() / (1.0 - p).ln()).ceil();
                    if at > blocks as f64 {
                        break;
                    }
                    sum.add(size, p);
                }
                let (low, high) = sum.between(interval);
                within += u32::from((low..=high).contains(&((blocks * size) as f64)));
            }
            assert!((3680..=3960).contains(&within), "{points} points: {within} of 4000");
        }
    }

    #[test]
    fn without_sampling_every_figure_is_exact() {
        let mut sum = Estimate::default();
        (1..=1000).for_each(|size| sum.add(size, likely(size, 0)));
        assert_eq!((sum.blocks, sum.bytes, sum.margin()), (1000.0, 500_500.0, 0.0));
        assert_eq!(sum.between(0), (500_500.0, 500_500.0));
        assert!(likely(0, 100) > 0.0 && likely(1 << 40, 100) <= 1.0);
    }
}

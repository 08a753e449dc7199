//! `Rng`: a seeded source of numbers, small enough to be the same everywhere.
//!
//! SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014): one
//! word of state, every seed is good, and `mix` doubles as the hash behind the contents' patterns.

/// One round of SplitMix64's output function: every input bit reaches every output bit.
#[inline]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A seeded generator; the same seed gives the same numbers on every machine.
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Starts from `seed`; any value is good.
    pub const fn new(seed: u64) -> Rng {
        Rng { state: seed }
    }

    /// A generator of its own for `stream`, independent of this one's position.
    pub const fn stream(seed: u64, stream: u64) -> Rng {
        Rng { state: mix(seed ^ mix(stream.wrapping_add(0x9E37_79B9_7F4A_7C15))) }
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// A number below `bound`; 0 when `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 {
            return 0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the remainder is below a usize")]
        let number = (self.next_u64() % bound as u64) as usize;
        number
    }

    /// A number from `low` to `high`, both included.
    #[inline]
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in `n` times.
    #[inline]
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// From `low` to `high`, every doubling equally likely; `low` is at least 1.
    pub fn doubling(&mut self, low: usize, high: usize) -> usize {
        let steps = (high / low).ilog2();
        let step = self.below(steps as usize + 1);
        let floor = low << step;
        self.between(floor, (floor * 2 - 1).min(high))
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

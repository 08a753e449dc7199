//! How dense objects lie in the pages of each handle allocator: filled, half of it freed, compacted, refilled.
//!
//! ```text
//! fill ─► half ─► refill                            20,000 objects; a random half of them; 20,000 again
//!           └───► compact ─► refill_compacted       where the allocator can
//! ```
//!
//! Density is bytes of objects to bytes of pages, the tables beside them not counted. What an allocator refuses as too
//! large has a page of its own, as in the kernel's compressed memory.
use base::{HandleAllocator, HandleError};

/// Objects of a run.
pub const OBJECTS: usize = 20_000;

/// Numbers that look random (xorshift64*, Marsaglia 2003, Vigna 2016).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number.
    pub const fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `below`.
    pub const fn below(&mut self, below: usize) -> usize {
        // As it does not reach `below`, it fits.
        base::bits::index(base::bits::low64((self.next() as u128 * below as u128) >> 64))
    }

    /// A number from `low` to `high`, both among them.
    pub const fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }
}

/// Where lengths come from.
#[derive(Debug, Clone, Copy)]
pub enum Lengths<'a> {
    /// All from the first to the second as often.
    Uniform(usize, usize),
    /// Of ten, eight from 1,024 to 2,600, one below 64, and one of any length to a page.
    Mixed,
    /// As often as they stand there.
    Measured(&'a [usize]),
}

impl Lengths<'_> {
    /// A length.
    pub fn draw(self, random: &mut Random) -> usize {
        match self {
            Lengths::Uniform(low, high) => random.between(low, high),
            Lengths::Mixed => match random.below(10) {
                0 => random.between(1, 63),
                1 => random.between(1, 4096),
                _ => random.between(1024, 2600),
            },
            Lengths::Measured(lengths) => lengths[random.below(lengths.len())],
        }
    }
}

/// Densities of one run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Densities {
    /// After filling.
    pub fill: f64,
    /// After freeing a random half.
    pub half: f64,
    /// After compacting that; the same as `half` where the allocator cannot.
    pub compact: f64,
    /// After filling `half` again, not compacted before.
    pub refill: f64,
    /// After filling `compact` again.
    pub refill_compacted: f64,
}

impl Densities {
    /// Divided by a count of runs.
    #[must_use]
    pub fn over(self, runs: f64) -> Self {
        Self {
            fill: self.fill / runs,
            half: self.half / runs,
            compact: self.compact / runs,
            refill: self.refill / runs,
            refill_compacted: self.refill_compacted / runs,
        }
    }
}

impl core::iter::Sum for Densities {
    fn sum<I: Iterator<Item = Self>>(runs: I) -> Self {
        runs.fold(Self::default(), |sum, run| Self {
            fill: sum.fill + run.fill,
            half: sum.half + run.half,
            compact: sum.compact + run.compact,
            refill: sum.refill + run.refill,
            refill_compacted: sum.refill_compacted + run.refill_compacted,
        })
    }
}

/// An object, or a page of its own of as many bytes.
enum Held<H> {
    Object(H),
    Alone(usize),
}

struct Run<'a, A: HandleAllocator> {
    heap: A,
    live: Vec<Held<A::Handle>>,
    /// Bytes and number of pages of their own.
    alone: (usize, usize),
    lengths: Lengths<'a>,
    random: Random,
}

impl<A: HandleAllocator> Run<'_, A> {
    fn fill(&mut self) -> Result<(), HandleError> {
        while self.live.len() < OBJECTS {
            let len = self.lengths.draw(&mut self.random);
            let held = if len > self.heap.max_len() {
                self.alone = (self.alone.0 + len, self.alone.1 + 1);
                Held::Alone(len)
            } else {
                Held::Object(self.heap.allocate(len)?)
            };
            self.live.push(held);
        }
        Ok(())
    }

    fn free_half(&mut self) -> Result<(), HandleError> {
        for at in (1..self.live.len()).rev() {
            self.live.swap(at, self.random.below(at + 1));
        }
        for held in self.live.split_off(self.live.len() / 2) {
            match held {
                Held::Object(handle) => self.heap.free(handle)?,
                Held::Alone(len) => self.alone = (self.alone.0 - len, self.alone.1 - 1),
            }
        }
        Ok(())
    }

    /// Frees all.
    fn end(mut self) -> Result<(), HandleError> {
        for held in self.live.drain(..) {
            if let Held::Object(handle) = held {
                self.heap.free(handle)?;
            }
        }
        Ok(())
    }

    fn density(&self) -> f64 {
        let usage = self.heap.usage();
        let (bytes, pages) = (usage.payload + self.alone.0, usage.pages + self.alone.1 * 4096);
        bytes as f64 / pages as f64
    }
}

/// Fills, frees half, fills again; and once more, compacting in between. The same numbers for every allocator of the
/// same `seed`.
///
/// # Errors
///
/// What the allocator fails with: there is no memory.
pub fn run<A: HandleAllocator>(
    make: impl Fn() -> A,
    lengths: Lengths<'_>,
    seed: u64,
    compact: impl FnOnce(&mut A),
) -> Result<Densities, HandleError> {
    let start = || Run {
        heap: make(),
        live: Vec::with_capacity(OBJECTS),
        alone: (0, 0),
        lengths,
        random: Random::new(seed),
    };
    let mut found = Densities::default();
    let mut straight = start();
    straight.fill()?;
    found.fill = straight.density();
    straight.free_half()?;
    found.half = straight.density();
    straight.fill()?;
    found.refill = straight.density();
    straight.end()?;
    let mut compacted = start();
    compacted.fill()?;
    compacted.free_half()?;
    compact(&mut compacted.heap);
    found.compact = compacted.density();
    compacted.fill()?;
    found.refill_compacted = compacted.density();
    compacted.end()?;
    Ok(found)
}

/// The mean of [`run`] over the seeds 1 to `seeds`.
///
/// # Errors
///
/// As [`run`].
pub fn mean<A: HandleAllocator>(
    make: impl Fn() -> A,
    lengths: Lengths<'_>,
    seeds: u32,
    compact: impl Fn(&mut A),
) -> Result<Densities, HandleError> {
    let runs = (1..=seeds).map(|seed| run(&make, lengths, u64::from(seed), &compact));
    let sum = runs.sum::<Result<Densities, HandleError>>()?;
    Ok(sum.over(f64::from(seeds)))
}

#[cfg(test)]
mod tests;

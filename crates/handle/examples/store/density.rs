//! How dense objects lie in each heap's pages, beside a simulation of the kernel's rules: filled, a random half freed, compacted,
//! filled again.
//!
//! Density is bytes of objects to bytes of pages, the tables beside them not counted. What a heap refuses as too large has a
//! page of its own, as in the kernel's compressed memory.

use base::{Compact as _, HandleAllocator, HandleError};
use heapwright_handle::zsmalloc::{Classes, Rule};
use heapwright_handle::{XvMalloc, Zbud, ZsMalloc};
use kernel::SourcePages;
use source::os::Os;

use super::random::Random;

const OBJECTS: usize = 20_000;
/// Densities are the mean of as many runs, where there is time.
pub(crate) const SEEDS: u32 = 4;

pub(crate) const HEAPS: [&str; 5] = ["xvmalloc", "zsmalloc-4", "zsmalloc-8", "zsmalloc-16", "zbud"];

const CHAINS: [usize; 5] = [0, 4, 8, 16, 0];

#[derive(Debug, Clone, Copy)]
enum Lengths {
    /// All from the first to the second as often.
    Uniform(usize, usize),
    /// Of ten, eight from 1,024 to 2,600, one below 64, and one of any length to a page.
    Mixed,
}

impl Lengths {
    fn draw(self, random: &mut Random) -> usize {
        match self {
            Lengths::Uniform(low, high) => random.between(low, high),
            Lengths::Mixed => match random.below(10) {
                0 => random.between(1, 63),
                1 => random.between(1, 4096),
                _ => random.between(1024, 2600),
            },
        }
    }
}

/// For each heap: filled, half freed, compacted, filled again; one seed of a simulation of the kernel's rules, and 0 where the
/// kernel has no such thing.
const KERNELS: [(Lengths, [[f64; 4]; 5]); 4] = [
    (
        Lengths::Uniform(1, 4096),
        [
            [0.984, 0.675, 0.0, 0.984],
            [0.923, 0.599, 0.915, 0.920],
            [0.945, 0.545, 0.918, 0.933],
            [0.903, 0.488, 0.826, 0.890],
            [0.958, 0.654, 0.0, 0.0],
        ],
    ),
    (
        Lengths::Uniform(32, 3072),
        [
            [0.982, 0.593, 0.0, 0.982],
            [0.939, 0.499, 0.931, 0.932],
            [0.942, 0.487, 0.918, 0.924],
            [0.900, 0.459, 0.816, 0.874],
            [0.755, 0.503, 0.0, 0.0],
        ],
    ),
    (
        Lengths::Mixed,
        [
            [0.927, 0.600, 0.0, 0.928],
            [0.932, 0.513, 0.919, 0.932],
            [0.934, 0.487, 0.897, 0.923],
            [0.864, 0.441, 0.767, 0.846],
            [0.806, 0.538, 0.0, 0.0],
        ],
    ),
    (
        Lengths::Uniform(2049, 3072),
        [
            [0.625, 0.625, 0.0, 0.626],
            [0.942, 0.503, 0.942, 0.943],
            [0.976, 0.502, 0.972, 0.969],
            [0.971, 0.495, 0.954, 0.958],
            [0.625, 0.625, 0.0, 0.0],
        ],
    ),
];

/// Objects, and what has a page of its own because the heap refuses it.
struct Run<A: HandleAllocator> {
    heap: A,
    live: Vec<(Option<A::Handle>, usize)>,
    lengths: Lengths,
    random: Random,
}

impl<A: HandleAllocator> Run<A> {
    /// Fills it, and says how dense it is.
    fn fill(&mut self) -> Result<f64, HandleError> {
        while self.live.len() < OBJECTS {
            let len = self.lengths.draw(&mut self.random);
            let fits = len <= self.heap.max_len();
            let handle = if fits { Some(self.heap.allocate(len)?) } else { None };
            self.live.push((handle, len));
        }
        Ok(self.density())
    }

    fn free_half(&mut self) -> Result<(), HandleError> {
        self.random.shuffle(&mut self.live);
        let freed = self.live.split_off(OBJECTS / 2);
        freed.into_iter().filter_map(|object| object.0).try_for_each(|it| self.heap.free(it))
    }

    fn density(&self) -> f64 {
        let alone = self.live.iter().filter(|object| object.0.is_none());
        let (bytes, pages) =
            alone.fold((0, 0), |(bytes, pages), object| (bytes + object.1, pages + 4096));
        let usage = self.heap.usage();
        (usage.payload + bytes) as f64 / (usage.pages + pages) as f64
    }
}

/// Densities when filled, when half of it is freed and `compact` was called, and when filled again: the mean of as many runs as seeds.
fn densities<A: HandleAllocator>(
    make: impl Fn() -> A,
    lengths: Lengths,
    seeds: u32,
    compact: impl Fn(&mut A),
) -> Result<[f64; 3], HandleError> {
    let mut sums = [0.0; 3];
    for seed in 1..=seeds {
        let random = Random::new(u64::from(seed));
        let mut run = Run { heap: make(), live: Vec::new(), lengths, random };
        let fill = run.fill()?;
        run.free_half()?;
        compact(&mut run.heap);
        let half = run.density();
        for (sum, found) in sums.iter_mut().zip([fill, half, run.fill()?]) {
            *sum += found / f64::from(seeds);
        }
    }
    Ok(sums)
}

/// How far the farthest of a heap's densities is from the kernel's: filled, half freed, filled again; and compacted. What
/// lies less dense when filled after compacting than without it counts as compacted.
pub(crate) fn farthest(heap: usize, seeds: u32) -> Result<(f64, f64), HandleError> {
    let (mut straight, mut compacted) = (0.0_f64, 0.0_f64);
    for (lengths, kernels) in KERNELS {
        let pages = || SourcePages::new(Os, 1 << 30);
        let [of_fill, of_half, of_compact, of_refill] = kernels[heap];
        let chains = || ZsMalloc::new(pages(), Classes::new(Rule::LeastWaste, CHAINS[heap]));
        let found = match HEAPS[heap] {
            "xvmalloc" => densities(|| XvMalloc::new(pages()), lengths, seeds, |_| ())?,
            "zbud" => densities(|| Zbud::new(pages()), lengths, seeds, |_| ())?,
            _ => densities(chains, lengths, seeds, |_| ())?,
        };
        for (is, should) in found.into_iter().zip([of_fill, of_half, of_refill]) {
            if should > 0.0 {
                straight = straight.max((is - should).abs());
            }
        }
        if of_compact > 0.0 {
            let [_, compact, refill] =
                densities(chains, lengths, seeds, |heap| _ = heap.compact())?;
            compacted = compacted.max((compact - of_compact).abs()).max(of_refill - refill);
        }
    }
    Ok((straight, compacted))
}

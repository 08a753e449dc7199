//! Runs of requests by chance: what happens on average, and the largest counts that chance finds.

use crate::POOL;
use crate::heap::{Block, Heap};
use crate::live::{Numbers, table};
use crate::tally::Tally;

enum Draw {
    /// Each size as likely as the next.
    Even,
    Doubling,
    /// The same, moved to a little below or above a power of two or three quarters of one, where bins begin and end.
    Edges,
}

struct Mix {
    name: &'static str,
    low: usize,
    high: usize,
    draw: Draw,
    /// How many blocks may be live.
    most: usize,
    pool: usize,
    /// So much stays live that requests are refused too.
    fills: bool,
}

impl Mix {
    const fn new(name: &'static str, low: usize, high: usize, draw: Draw, most: usize) -> Self {
        Self { name, low, high, draw, most, pool: POOL, fills: most > 4 * POOL / (low + high) }
    }

    const fn in_pool(self, pool: usize) -> Self {
        Self { pool, fills: true, ..self }
    }

    fn size(&self, numbers: &mut Numbers) -> usize {
        match self.draw {
            Draw::Even => numbers.range(self.low, self.high),
            Draw::Doubling => numbers.doubling(self.low, self.high),
            Draw::Edges => {
                let above = numbers.doubling(self.low, self.high).next_power_of_two();
                let edge = above * numbers.range(3, 4) / 4;
                (edge + 40).saturating_sub(numbers.range(0, 60)).max(1)
            }
        }
    }
}

const MIXES: &[Mix] = &[
    Mix::new("random", 16, 4096, Draw::Even, 256),
    Mix::new("small", 1, 128, Draw::Even, 2000),
    Mix::new("wide", 1, 1 << 17, Draw::Doubling, 300),
    Mix::new("full", 1, 1 << 14, Draw::Doubling, 2000),
    Mix::new("edges", 1, 1 << 15, Draw::Edges, 400),
    // Geometries that cover a 32-bit machine's pools are no larger than those.
    #[cfg(target_pointer_width = "64")]
    Mix::new("large", 1, 1 << 26, Draw::Doubling, 200).in_pool(96 << 20),
    // Most of these are refused.
    Mix::new("absurd", 1, isize::MAX as usize >> 2, Draw::Doubling, 1000).in_pool(POOL),
];

/// Steps of each run: each frees a block or allocates one.
const STEPS: usize = 20_000;

pub(crate) fn run(heap: &mut Heap) {
    for (seed, mix) in (5..).zip(MIXES) {
        once(heap, mix, seed);
    }
}

fn once(heap: &mut Heap, mix: &Mix, seed: u64) {
    if !heap.restart(mix.pool) {
        return;
    }
    let (mut numbers, mut malloc, mut free) = (Numbers::new(seed), Tally::new(), Tally::new());
    table(|blocks| {
        for _ in 0..STEPS {
            let slot = numbers.range(0, mix.most - 1);
            let block = core::mem::take(&mut blocks[slot]);
            if block != Block::default() {
                free.add(heap.free(block));
                continue;
            }
            let size = mix.size(&mut numbers);
            let (block, count) = heap.malloc(size);
            malloc.add(count);
            heap.refused += u32::from(block.is_none() && !mix.fills);
            blocks[slot] = block.unwrap_or_default();
        }
        for block in blocks {
            if *block != Block::default() {
                free.add(heap.free(*block));
            }
        }
    });
    malloc.say(heap.subject.name, mix.name, "malloc");
    free.say(heap.subject.name, mix.name, "free");
}

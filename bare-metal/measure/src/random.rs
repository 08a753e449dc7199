//! Runs of requests by chance: what happens on average, and the largest counts that chance finds.

use crate::heap::{Block, Heap};
use crate::live::{Numbers, table};
use crate::tally::Tally;

/// A mix of sizes.
struct Mix {
    name: &'static str,
    /// Sizes are `low..=high`; each doubling as likely as the next, or each size.
    low: usize,
    high: usize,
    doubling: bool,
    /// How many blocks may be live.
    most: usize,
    /// Blocks stay until the heap is full, so that requests are refused too.
    fills: bool,
}

const MIXES: &[Mix] = &[
    Mix { name: "random", low: 16, high: 4096, doubling: false, most: 256, fills: false },
    Mix { name: "small", low: 1, high: 128, doubling: false, most: 2000, fills: false },
    Mix { name: "wide", low: 1, high: 1 << 17, doubling: true, most: 300, fills: true },
    Mix { name: "full", low: 1, high: 1 << 14, doubling: true, most: 2000, fills: true },
];

/// Steps of each run: each frees a block or allocates one.
const STEPS: usize = 20_000;

pub(crate) fn run(heap: &mut Heap) {
    for (seed, mix) in (5..).zip(MIXES) {
        once(heap, mix, seed);
    }
}

fn once(heap: &mut Heap, mix: &Mix, seed: u64) {
    heap.restart(heap.pool());
    let (mut numbers, mut malloc, mut free) = (Numbers::new(seed), Tally::new(), Tally::new());
    table(|blocks| {
        for _ in 0..STEPS {
            let slot = numbers.range(0, mix.most - 1);
            let block = core::mem::take(&mut blocks[slot]);
            if block != Block::default() {
                free.add(heap.free(block));
                continue;
            }
            let size = if mix.doubling {
                numbers.doubling(mix.low, mix.high)
            } else {
                numbers.range(mix.low, mix.high)
            };
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

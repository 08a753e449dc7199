//! `alloc-test`: random blocks of a table are replaced, each is written when it is new and read before it is freed; the
//! table grows from one that fits into the cache to one that does not (after Ignatchenko's alloc-test).

use core::mem;

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::Block;
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "alloc-test",
    parameters: &[
        fixed("threads", 1, "threads, each with a table of its own"),
        fixed("smallest", 16, "bytes of the smallest block"),
        fixed("largest", 1024, "bytes of the largest block; as many in each doubling of sizes"),
        fixed("first", 256, "blocks of the first table"),
        fixed("last", 131_072, "blocks of the last table; each has eight times as many as before"),
        scaled("steps", 4_500_000, "blocks that are replaced in each table"),
    ],
    run,
};

fn run(arguments: &Arguments, results: &mut Results) {
    let get = |name| arguments.size(name);
    let (count, steps) = (get("threads"), arguments.get("steps"));
    let (smallest, last) = (get("smallest").max(1), get("last").max(1));
    let doublings = (get("largest") / smallest).max(1).ilog2() as usize;
    let size = move |rng: &mut Rng| {
        let number = rng.next();
        let base = smallest << (((number & 0xffff_ffff) * (doublings as u64 + 1)) >> 32);
        base / 2 + 1 + (((number >> 32) * (base - base / 2) as u64) >> 32) as usize
    };
    let (mut ops, mut total, mut peak) = (0, 0, 0);
    let mut blocks = get("first").clamp(1, last);
    loop {
        let (live, ns) = threads::together(count, |i| {
            table(Rng::new(arguments.seed * 1000 + i as u64), blocks, steps, size)
        });
        let calls = 2 * count as u64 * (steps + blocks as u64);
        results.point("alloc-test", blocks as f64, ns as f64 / (calls / 2) as f64);
        ops += calls;
        total += ns;
        peak = peak.max(live.iter().sum());
        if blocks == last {
            break;
        }
        blocks = (blocks * 8).min(last);
    }
    results.work(ops, total);
    results.peak_live(peak);
}

/// Fills a table, replaces `steps` of its blocks, frees it; how many bytes were in it at the end.
fn table(mut rng: Rng, blocks: usize, steps: u64, size: impl Fn(&mut Rng) -> usize) -> usize {
    let mut table: Vec<Block> =
        (0..blocks).map(|i| Block::filled(size(&mut rng), i as u64)).collect();
    for step in 0..steps {
        let slot = rng.below(blocks);
        let size = size(&mut rng);
        mem::replace(&mut table[slot], Block::NONE).free_filled();
        table[slot] = Block::filled(size, step);
    }
    let live = table.iter().map(Block::size).sum();
    for block in table {
        block.free_filled();
    }
    live
}

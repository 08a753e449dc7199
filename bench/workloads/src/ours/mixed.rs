//! `mixed`: threads that replace blocks at random, small ones mostly and a few of up to a megabyte, and fill each of them: what a
//! program with sizes of all kinds needs in time and in memory.
//!
//! ```text
//! of 1000 blocks   900 of 16 to 515 bytes │ 98 of 500 to 20,499 │ 2 of 20,000 to 1,019,999
//! ```

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, table};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "mixed",
    parameters: &[
        fixed("threads", 4, "threads"),
        fixed("live", 20_000, "blocks of a thread that live at one time"),
        scaled("blocks", 400_000, "blocks that each thread allocates"),
    ],
    run,
};

fn run(arguments: &Arguments, results: &mut Results) {
    let (count, live) = (arguments.size("threads"), arguments.size("live"));
    let blocks = arguments.get("blocks");
    let (most, ns) =
        threads::together(count, |i| one(Rng::new(arguments.seed * 1000 + i as u64), live, blocks));
    results.work(2 * count as u64 * blocks, ns);
    results.peak_live(most.iter().sum());
}

/// One thread; the most bytes that it had at one time.
fn one(mut rng: Rng, live: usize, blocks: u64) -> usize {
    let mut table = table(live);
    let (mut bytes, mut most) = (0, 0);
    for key in 0..blocks {
        let at = rng.below(live);
        let old = core::mem::replace(&mut table[at], Block::NONE);
        bytes -= old.asked();
        old.free_filled();
        table[at] = Block::filled(size(&mut rng), key);
        bytes += table[at].asked();
        most = most.max(bytes);
    }
    table.into_iter().for_each(Block::free_filled);
    most
}

fn size(rng: &mut Rng) -> usize {
    match rng.below(1000) {
        0..900 => 16 + rng.below(500),
        900..998 => 500 + rng.below(20_000),
        _ => 20_000 + rng.below(1_000_000),
    }
}

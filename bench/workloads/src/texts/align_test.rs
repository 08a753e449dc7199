//! `align-test`: blocks of random sizes at alignments from 8 to 4096, random ones replaced (component OS report,
//! `align_test`, which tests alignments other than 8).
//!
//! The null allocator shows about 5 ns a call: one block in five is smaller than a mark, and nobody can foresee which.

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all, table};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "align-test",
    parameters: &[
        fixed("slots", 1000, "blocks of the table"),
        fixed("largest", 16, "bytes of the largest block, as a power of two; doublings are alike"),
        scaled("steps", 6_000_000, "blocks that are replaced"),
    ],
    run,
};

/// From 8 to 4096.
const ALIGNMENTS: u64 = 10;

fn run(arguments: &Arguments, results: &mut Results) {
    let (slots, steps) = (arguments.size("slots").max(1), arguments.get("steps"));
    let largest = arguments.get("largest").clamp(1, 24);
    let mut rng = Rng::new(arguments.seed);
    let mut table = table(slots);
    let start = timing::now();
    for _ in 0..steps {
        let random = rng.next();
        let (align, size) = choose(random, largest);
        let at = slot(random, slots);
        table[at].replace(|| Block::aligned(align, size, at as u64));
    }
    free_all(&mut table);
    results.work(2 * steps, timing::now() - start);
    // As many blocks of each doubling, whose mean is half as much again as its least.
    results.peak_live(slots * (3 << (largest - 1)) / largest as usize);
}

/// A slot from the same random number: all of its bits decide, so that no alignment or size has slots of its own.
#[inline(always)]
fn slot(random: u64, slots: usize) -> usize {
    let mixed = random.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    ((mixed * slots as u64) >> 32) as usize
}

/// An alignment, and a size from 1 to two to the power of `largest`.
#[inline(always)]
fn choose(random: u64, largest: u64) -> (usize, usize) {
    let align = 8 << (((random & 0xffff) * ALIGNMENTS) >> 16);
    let doubling = (((random >> 16) & 0xffff) * largest) >> 16;
    let above = (random >> 32) & ((1 << doubling) - 1);
    (align, (1_usize << doubling) + above as usize)
}

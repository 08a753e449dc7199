//! Idle return: a heap is filled, most of it is freed, then nothing calls for two seconds. Memory that is given back only by
//! later calls of malloc stays where it is; what matters is the resident size after the pause. Then a quarter is filled
//! again, for memory that was given back costs page faults.

use core::time::Duration;
use std::thread;

use super::sampled::Looks;
use crate::arguments::{Arguments, fixed, scaled};
use crate::block::Block;
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::sizes::doublings;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "idle-return",
    parameters: &[
        scaled("mib", 256, "MiB allocated"),
        fixed("idle", 2000, "milliseconds without a call").least(0),
        fixed("kept", 256, "one block in this many is not freed"),
        fixed("largest", 10, "doublings: blocks are of 16 to 2^largest bytes").least(5),
    ],
    run,
};

fn run(arguments: &Arguments, results: &mut Results) {
    let bytes = arguments.size("mib").saturating_mul(1 << 20);
    let kept = arguments.size("kept").max(1);
    let largest = u32::try_from(arguments.get("largest")).unwrap_or(10).clamp(5, 19);
    let idle = Duration::from_millis(arguments.get("idle"));
    let mut rng = Rng::new(arguments.seed);
    let mut looks = Looks::new(8);

    let start = timing::now();
    let blocks = fill(&mut rng, bytes, largest);
    let full = looks.look(live(&blocks));
    let filled = timing::now();
    let mut calls = blocks.len();
    let rest = free_most(&mut rng, blocks, kept);
    calls += calls - rest.len();
    let freed = timing::now();
    let after_free = looks.look(live(&rest));

    thread::sleep(idle);
    let after_idle = looks.look(live(&rest));

    let again = timing::now();
    let new = fill(&mut rng, bytes / 4, largest);
    let refilled = timing::now();
    let _ = looks.look(live(&rest) + live(&new));
    calls += new.len();

    results.work(calls as u64, (freed - start) + (refilled - again));
    results.peak_live(looks.peak_live());
    results.value("rss_full_bytes", full, "bytes");
    results.value("rss_after_free_bytes", after_free, "bytes");
    results.value("rss_after_idle_bytes", after_idle, "bytes");
    results.value("live_after_idle_bytes", live(&rest), "bytes");
    for (name, ns) in [
        ("fill_ms", filled - start),
        ("free_ms", freed - filled),
        ("fill_again_ms", refilled - again),
    ] {
        results.value(name, format_args!("{:.3}", ns as f64 / 1e6), "ms");
    }
    looks.print(results);
    rest.into_iter().chain(new).for_each(Block::free);
}

fn live(blocks: &Vec<Block>) -> usize {
    blocks.iter().map(Block::size).sum::<usize>() + blocks.capacity() * size_of::<Block>()
}

fn fill(rng: &mut Rng, bytes: usize, largest: u32) -> Vec<Block> {
    // More than are needed, so that the table does not move while the heap is filled.
    let mean = ((1 << largest) - 16) * 3 / (2 * (largest as usize - 4));
    let mut blocks = Vec::with_capacity(bytes / mean * 21 / 20 + 100);
    let mut filled = 0;
    while filled < bytes {
        let key = rng.next() >> 32;
        let block = Block::touched(doublings(rng, 4, largest), key);
        filled += block.asked();
        blocks.push(block);
    }
    blocks
}

/// Frees all but one of `kept`, in no order; those that are left.
fn free_most(rng: &mut Rng, mut blocks: Vec<Block>, kept: usize) -> Vec<Block> {
    let mut rest = Vec::with_capacity(blocks.len() / kept + 1);
    while !blocks.is_empty() {
        let at = rng.below(blocks.len());
        let block = blocks.swap_remove(at);
        if blocks.len().is_multiple_of(kept) {
            rest.push(block);
        } else {
            block.free();
        }
    }
    rest
}

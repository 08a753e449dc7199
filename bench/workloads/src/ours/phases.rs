//! Phase change: the heap's size mix turns over several times. A phase of small blocks, one of medium ones, one of large
//! ones; each replaces the blocks of the one before step by step, works for a while, and leaves a few survivors that live
//! to the end. What was good for one phase is in the way of the next: the resident size should follow the live bytes.
//!
//! ```text
//! live     ▁▅█████████████████████████▅▁      the same in all phases but for the survivors
//! blocks   small───medium──large───small─ …
//! ```

use super::sampled::{Looks, resident};
use crate::arguments::{Arguments, fixed, scaled};
use crate::block::Block;
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::sizes::doublings;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "phases",
    parameters: &[
        scaled("rounds", 3, "times that small, medium and large come by"),
        fixed("live", 64, "MiB live in a phase"),
        fixed("churn", 2, "times its bytes that a phase replaces").least(0),
        fixed("survivors", 200, "one block in this many lives to the end"),
    ],
    run,
};

/// Sizes of a phase: doublings from, to.
const PHASES: [(&str, u32, u32); 3] = [("small", 4, 8), ("medium", 9, 13), ("large", 14, 19)];
/// Looks in a phase: while it replaces the one before, and while it works.
const LOOKS: usize = 16;

struct Heap {
    rng: Rng,
    blocks: Vec<Block>,
    survivors: Vec<Block>,
    live: usize,
    /// The most blocks that the table of the phase before held, while it is there.
    old: usize,
    calls: u64,
}

impl Heap {
    /// The bytes of the blocks and of what has been written to their tables.
    fn live(&self) -> usize {
        let table = self.old + self.blocks.len() + self.survivors.len();
        self.live + table * size_of::<Block>()
    }

    fn allocate(&mut self, (_, low, high): (&str, u32, u32)) -> Block {
        let key = self.rng.next() >> 32;
        let block = Block::touched(doublings(&mut self.rng, low, high), key);
        self.live += block.size();
        self.calls += 1;
        block
    }

    fn free(&mut self, block: Block) {
        self.live -= block.size();
        self.calls += 1;
        block.free();
    }
}

fn run(arguments: &Arguments, results: &mut Results) {
    let rounds = arguments.size("rounds");
    let target = arguments.size("live").clamp(1, 1 << 20) << 20;
    let churn = arguments.size("churn").saturating_mul(target);
    let survivors = arguments.size("survivors").max(1);
    let mut looks = Looks::new((rounds * PHASES.len() * 2 * LOOKS + 2).min(1 << 16));
    let mut heap = Heap {
        rng: Rng::new(arguments.seed),
        blocks: Vec::with_capacity(target >> 5),
        survivors: Vec::with_capacity(target >> 10),
        live: 0,
        old: 0,
        calls: 0,
    };
    let before = resident();
    let start = timing::now();
    for _ in 0..rounds {
        for phase in PHASES {
            turn_over(&mut heap, phase, target, survivors, &mut looks);
            work(&mut heap, phase, churn, &mut looks);
        }
    }
    let old = core::mem::take(&mut heap.blocks);
    old.into_iter().for_each(|block| heap.free(block));
    let at_end = looks.look(heap.live()).saturating_sub(before);
    let survivors = core::mem::take(&mut heap.survivors);
    let left = heap.live;
    survivors.into_iter().for_each(|block| heap.free(block));
    results.work(heap.calls, timing::now() - start);
    results.peak_live(looks.peak_live());
    let (mean, worst, _) = looks.resident_over_live();
    results.value("rss_over_live_mean", format_args!("{mean:.4}"), "x");
    results.value("rss_over_live_worst", format_args!("{worst:.4}"), "x");
    results.value("live_survivors_bytes", left, "bytes");
    results.value("rss_survivors_bytes", at_end, "bytes");
    looks.print(results);
}

/// Frees the blocks of the phase before, in no order and but for survivors, and allocates as many bytes of this phase's.
fn turn_over(
    heap: &mut Heap,
    phase: (&'static str, u32, u32),
    target: usize,
    survivors: usize,
    looks: &mut Looks,
) {
    let mut old = core::mem::take(&mut heap.blocks);
    heap.old = old.len();
    heap.blocks.reserve((target >> phase.1).min(target >> 5));
    let mut bytes = 0;
    let mut next_look = 0;
    while bytes < target {
        let block = heap.allocate(phase);
        bytes += block.asked();
        heap.blocks.push(block);
        while heap.live > target && !old.is_empty() {
            let at = heap.rng.below(old.len());
            let gone = old.swap_remove(at);
            if heap.rng.below(survivors) == 0 {
                heap.survivors.push(gone);
            } else {
                heap.free(gone);
            }
        }
        if bytes >= next_look {
            looks.look(heap.live());
            next_look += target / LOOKS;
        }
    }
    old.into_iter().for_each(|block| heap.free(block));
    heap.old = 0;
}

/// Replaces `churn` bytes, in no order.
fn work(heap: &mut Heap, phase: (&'static str, u32, u32), churn: usize, looks: &mut Looks) {
    let mut bytes = 0;
    let mut next_look = 0;
    while bytes < churn {
        let at = heap.rng.below(heap.blocks.len());
        let block = heap.allocate(phase);
        bytes += block.asked();
        let gone = core::mem::replace(&mut heap.blocks[at], block);
        heap.free(gone);
        if bytes >= next_look {
            looks.look(heap.live());
            next_look += churn / LOOKS;
        }
    }
}

//! Chains of producers and consumers: every item crosses all stages, and every stage frees the block that came and allocates
//! the one that goes on, so that nearly every block is freed by another thread than the one that allocated it.
//!
//! ```text
//! stage 0 ─► [queue] ─► stage 1 ─► [queue] ─► stage 2 ─► [queue] ─► last stage
//! allocates             frees, allocates      frees, allocates      frees
//! ```
//!
//! Items travel in batches, so that it is the allocator that is measured and not the queue.

use core::array;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::Block;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use crate::sizes::doublings;

const BATCH: usize = 64;
const QUEUE: usize = 16;

type Batch = [Block; BATCH];

pub(crate) const WORKLOAD: Workload = Workload {
    name: "chains",
    parameters: &[
        fixed("stages", 4, "threads of the chain, at least 2").least(2),
        scaled("items", 4_000_000, "items that cross the chain"),
        fixed("largest", 10, "doublings: items are of 16 to 2^largest bytes").least(5),
    ],
    run,
};

fn run(arguments: &Arguments, results: &mut Results) {
    let stages = arguments.size("stages").clamp(2, 64);
    let largest = u32::try_from(arguments.get("largest")).unwrap_or(10).clamp(5, 19);
    let batches = arguments.get("items").div_ceil(BATCH as u64);
    let seed = arguments.seed;
    let start = timing::now();
    let (sent, received) = thread::scope(|scope| {
        let (first, mut incoming) = sync_channel::<Batch>(QUEUE);
        let producer = scope.spawn(move || produce(&first, batches, largest, seed));
        for stage in 1..stages - 1 {
            let (outgoing, next) = sync_channel::<Batch>(QUEUE);
            let from = core::mem::replace(&mut incoming, next);
            scope.spawn(move || pass_on(&from, &outgoing, largest, seed + stage as u64));
        }
        let consumer = scope.spawn(move || consume(&incoming));
        let ended = |_| wrong("a thread panicked");
        (producer.join().unwrap_or_else(ended), consumer.join().unwrap_or_else(ended))
    });
    let ns = timing::now() - start;
    // Every stage but the first and the last adds one to the key of every item.
    let items = batches * BATCH as u64;
    let expected = sent.wrapping_add(items.wrapping_mul(stages as u64 - 2));
    if received != expected {
        wrong(format_args!("the keys sum up to {received}, not to {expected}"));
    }
    results.work(items * 2 * (stages as u64 - 1), ns);
    let rate = items as f64 * 1e9 / ns.max(1) as f64;
    results.value("items_per_second", format_args!("{rate:.0}"), "/s");
    // Each stage has a batch in its hands, each queue holds `QUEUE`; a doubling's mean is one and a half times its least.
    let mean = ((3 << largest) - 3 * 16) / (2 * (largest as usize - 4));
    results.peak_live(((stages - 1) * QUEUE + stages) * BATCH * mean);
}

fn produce(to: &SyncSender<Batch>, batches: u64, largest: u32, seed: u64) -> u64 {
    let mut rng = Rng::new(seed);
    let mut sum = 0_u64;
    for _ in 0..batches {
        let batch: Batch = array::from_fn(|_| {
            let key = rng.next() >> 40;
            sum += key;
            Block::touched(doublings(&mut rng, 4, largest), key)
        });
        if to.send(batch).is_err() {
            wrong("a stage ended early");
        }
    }
    sum
}

fn pass_on(from: &Receiver<Batch>, to: &SyncSender<Batch>, largest: u32, seed: u64) {
    let mut rng = Rng::new(seed.wrapping_mul(977));
    for batch in from {
        let batch = batch.map(|came| {
            let key = u64::from(came.key());
            came.free();
            Block::touched(doublings(&mut rng, 4, largest), key + 1)
        });
        if to.send(batch).is_err() {
            wrong("a stage ended early");
        }
    }
}

fn consume(from: &Receiver<Batch>) -> u64 {
    let mut sum = 0_u64;
    for batch in from {
        for came in batch {
            sum += u64::from(came.key());
            came.free();
        }
    }
    sum
}

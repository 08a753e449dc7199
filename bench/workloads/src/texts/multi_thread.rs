//! `multi-thread`: threads that each fill and drain collections, and pass their blocks on to the next thread, which
//! verifies and drops them (component OS report, `multi_thread_test`).

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::arguments::{Arguments, fixed, scaled};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "multi-thread",
    parameters: &[
        fixed("threads", 4, "threads"),
        fixed("blocks", 1000, "blocks that a thread passes on in a round"),
        fixed("largest", 1024, "bytes of the largest of them"),
        scaled("rounds", 2200, "rounds of each thread"),
    ],
    run,
};

/// What a thread passes on; each block is filled with its own length's lowest byte.
type Batch = Vec<Box<[u8]>>;

fn run(arguments: &Arguments, results: &mut Results) {
    let get = |name| arguments.size(name);
    let (count, blocks, largest) = (get("threads"), get("blocks"), get("largest").max(1));
    let rounds = arguments.get("rounds");
    // One batch waits for a thread at a time, so that no thread runs ahead of the memory.
    let waiting: Vec<Mutex<Batch>> = (0..count).map(|_| Mutex::default()).collect();
    let swap = |i: usize, batch| {
        let mut place = waiting[i].lock().unwrap_or_else(PoisonError::into_inner);
        core::mem::replace(&mut *place, batch)
    };
    threads::together(count, |i| {
        let mut rng = Rng::new(arguments.seed * 1000 + i as u64);
        for round in 0..rounds {
            let batch = (0..blocks).map(|_| filled(rng.between(1, largest))).collect();
            // What the next thread has not taken comes back.
            drop_verified(swap((i + 1) % count, batch));
            collections(&mut rng, round, blocks);
            drop_verified(swap(i, Batch::new()));
        }
    });
    waiting.into_iter().for_each(|batch| {
        drop_verified(batch.into_inner().unwrap_or_else(PoisonError::into_inner));
    });
    results.peak_live(count * blocks * (largest + 32));
}

fn filled(length: usize) -> Box<[u8]> {
    vec![length.to_le_bytes()[0]; length].into_boxed_slice()
}

fn drop_verified(batch: Batch) {
    for block in batch {
        let byte = block.len().to_le_bytes()[0];
        if block.iter().fold(0, |all, b| all | (b ^ byte)) != 0 {
            wrong(format_args!("a block of {} bytes was changed on its way", block.len()));
        }
    }
}

/// A thread's own: a vector that grows, boxes in it, a map that is filled and drained.
fn collections(rng: &mut Rng, round: u64, count: usize) {
    let mut boxes = Vec::new();
    let mut map = BTreeMap::new();
    for i in 0..count as u64 {
        boxes.push(Box::new([round, i]));
        map.insert(rng.next(), vec![i; 1 + rng.below(8)]);
    }
    if boxes.iter().enumerate().any(|(i, b)| **b != [round, i as u64]) {
        wrong("a box was changed");
    }
    let (mut values, mut last) = (0, 0);
    while let Some((key, vector)) = map.pop_first() {
        if key < last || vector.iter().any(|n| *n != vector[0]) {
            wrong("the map is not in order");
        }
        last = key;
        values += vector[0];
    }
    let count = count as u64;
    if values != count * count.saturating_sub(1) / 2 {
        wrong("the map lost an entry");
    }
}

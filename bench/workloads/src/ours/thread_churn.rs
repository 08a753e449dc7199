//! Threads that come and go: thousands of short lives, a few at a time. Each frees what one of its predecessors left,
//! allocates blocks of its own, frees some and leaves the others, so that every thread's heap outlives it.

use std::collections::VecDeque;
use std::thread;

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::Block;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use crate::sizes::doublings;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "thread-churn",
    parameters: &[
        scaled("threads", 20_000, "threads that live, one after the other"),
        fixed("together", 4, "how many live at a time"),
        fixed("blocks", 300, "blocks that each allocates"),
        fixed("left", 4, "one block in this many is left to a later thread"),
    ],
    run,
};

struct Life {
    blocks: usize,
    left: usize,
    seed: u64,
    inherited: Vec<Block>,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let together = arguments.size("together").max(1);
    let (blocks, left) = (arguments.size("blocks"), arguments.size("left").max(1));
    let threads = arguments.get("threads");
    let start = timing::now();
    let mut living = VecDeque::with_capacity(together);
    let mut calls = 0;
    for seed in 0..threads {
        let inherited = if living.len() < together { Vec::new() } else { ended(&mut living) };
        calls += inherited.len() + blocks + (blocks - blocks.div_ceil(left));
        let life = Life { blocks, left, seed: arguments.seed ^ (seed << 20), inherited };
        living.push_back(thread::spawn(move || live(life)));
    }
    while !living.is_empty() {
        for block in ended(&mut living) {
            block.free();
            calls += 1;
        }
    }
    let ns = timing::now() - start;
    results.work(calls as u64, ns);
    let us = ns as f64 / 1e3 / threads.max(1) as f64;
    results.value("thread_us", format_args!("{us:.3}"), "us");
    results.peak_live(together * (blocks + blocks / left) * MEAN);
}

/// Waits for the oldest; what it left.
fn ended(living: &mut VecDeque<thread::JoinHandle<Vec<Block>>>) -> Vec<Block> {
    let Some(oldest) = living.pop_front() else { return Vec::new() };
    oldest.join().unwrap_or_else(|_| wrong("a thread panicked"))
}

/// Bytes of a block, in the mean, for doublings from 16 to 1024.
const MEAN: usize = (16 + 1024 + 512) / 6;

/// A thread's life; what it leaves.
fn live(life: Life) -> Vec<Block> {
    let mut rng = Rng::new(life.seed);
    let mut own: Vec<Block> = Vec::with_capacity(life.blocks);
    let mut inherited = life.inherited.into_iter();
    for _ in 0..life.blocks {
        let key = rng.next() >> 32;
        own.push(Block::touched(doublings(&mut rng, 4, 10), key));
        if let Some(block) = inherited.next() {
            block.free();
        }
    }
    inherited.for_each(Block::free);
    let mut left = Vec::with_capacity(life.blocks.div_ceil(life.left));
    for (i, block) in own.into_iter().enumerate() {
        if i % life.left == 0 {
            left.push(block);
        } else {
            block.free();
        }
    }
    left
}

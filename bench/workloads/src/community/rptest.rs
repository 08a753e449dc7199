//! `rptest`: random sizes, and blocks that go to the next thread to be freed (after Jansson's rpmalloc-benchmark).
//!
//! Each thread replaces blocks of its table at a stride; every second time it sends the old ones to its neighbour instead
//! of freeing them.

use core::mem;
use std::sync::{Mutex, PoisonError};

use super::block::{Block, free_all};
use super::sizes;
use crate::arguments::{Arguments, fixed, scaled};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::threads;

/// The workload.
pub(crate) const WORKLOAD: Workload = Workload {
    name: "rptest",
    about: "threads replace blocks of 8 to 16,000 bytes; every second lot is freed by a neighbour",
    parameters: &[
        fixed("threads", 4, "threads"),
        fixed("blocks", 1000, "blocks of a thread"),
        fixed("lot", 100, "blocks that are replaced at a time"),
        fixed("cross", 2, "every so many lots one goes to the neighbour; 0: none"),
        fixed("smallest", 8, "bytes of the smallest block"),
        fixed("largest", 16_000, "bytes of the largest block"),
        scaled("lots", 40_000, "lots of each thread"),
    ],
    run,
};

/// Lots that wait for a thread at most; their sender frees what is more.
const WAITING: usize = 8;

struct Plan {
    blocks: usize,
    lot: usize,
    cross: u64,
    smallest: usize,
    largest: usize,
    lots: u64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let plan = Plan {
        blocks: arguments.size("blocks").max(1),
        lot: arguments.size("lot"),
        cross: arguments.get("cross"),
        smallest: arguments.size("smallest"),
        largest: arguments.size("largest").max(arguments.size("smallest")),
        lots: arguments.get("lots"),
    };
    let count = arguments.size("threads");
    let mail: Vec<Mutex<Vec<Block>>> =
        (0..count).map(|_| Mutex::new(Vec::with_capacity(WAITING * plan.lot))).collect();
    let (_, ns) = threads::together(count, |i| {
        let next = &mail[(i + 1) % count];
        work(&plan, Rng::new(arguments.seed() * 1000 + i as u64), &mail[i], next);
    });
    for waiting in mail {
        free_all(&mut waiting.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    let replaced = plan.lots * plan.lot as u64;
    results.work(2 * count as u64 * (replaced + plan.blocks as u64), ns);
    let mean = plan.smallest + (plan.largest - plan.smallest) / 3;
    results.peak_live(count * (plan.blocks + plan.lot) * mean);
}

fn work(plan: &Plan, mut rng: Rng, mine: &Mutex<Vec<Block>>, next: &Mutex<Vec<Block>>) {
    let mut blocks: Vec<Block> = Vec::with_capacity(plan.blocks);
    let mut sent = Vec::with_capacity(plan.lot);
    let mut received = Vec::with_capacity(WAITING * plan.lot);
    for i in 0..plan.blocks {
        let size = sizes::falling(&mut rng, plan.smallest, plan.largest);
        blocks.push(Block::new(size, i as u64));
    }
    for lot in 0..plan.lots {
        let is_sent = plan.cross > 0 && lot % plan.cross == 0;
        let mut at = rng.below(plan.blocks);
        let stride = rng.between(1, 7);
        for _ in 0..plan.lot {
            let old = mem::replace(&mut blocks[at], Block::NONE);
            if is_sent {
                sent.push(old);
            } else {
                old.free();
            }
            let size = sizes::falling(&mut rng, plan.smallest, plan.largest);
            blocks[at] = Block::new(size, lot);
            at += stride;
            if at >= plan.blocks {
                at %= plan.blocks;
            }
        }
        if is_sent {
            send(&mut sent, next, WAITING * plan.lot);
            mem::swap(&mut *mine.lock().unwrap_or_else(PoisonError::into_inner), &mut received);
            free_all(&mut received);
        }
    }
    free_all(&mut blocks);
}

/// Sends what there is room for, frees the rest: a thread that does not get to run shall not make the heap grow.
fn send(blocks: &mut Vec<Block>, to: &Mutex<Vec<Block>>, room: usize) {
    {
        let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
        if to.len() + blocks.len() <= room {
            to.append(blocks);
        }
    }
    free_all(blocks);
}

//! `rptest`: random sizes, and blocks that go to the next thread to be freed (after Jansson's rpmalloc-benchmark).
//!
//! Each thread replaces blocks of its table at a stride; every second time it sends the old ones to its neighbour instead
//! of freeing them.

use core::mem;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::sizes;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "rptest",
    parameters: &[
        fixed("threads", 4, "threads"),
        fixed("blocks", 1000, "blocks of a thread"),
        fixed("lot", 100, "blocks that are replaced at a time"),
        fixed("cross", 2, "one lot in this many goes to the neighbour; 0: none").least(0),
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

/// Bytes in all threads' blocks, brought up to date once a lot.
#[derive(Default)]
struct Live {
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl Live {
    fn change(&self, allocated: usize, freed: usize) {
        let change = allocated.wrapping_sub(freed);
        let now = self.now.fetch_add(change, Ordering::Relaxed).wrapping_add(change);
        // Another thread may be about to add what this one has taken away already.
        if now < usize::MAX / 2 && now > self.peak.load(Ordering::Relaxed) {
            self.peak.fetch_max(now, Ordering::Relaxed);
        }
    }
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
    let mail: Vec<Mail> =
        (0..count).map(|_| Mutex::new(Vec::with_capacity(WAITING * plan.lot))).collect();
    let live = Live::default();
    let (_, ns) = threads::together(count, |i| {
        let next = &mail[(i + 1) % count];
        work(&plan, Rng::new(arguments.seed * 1000 + i as u64), [&mail[i], next], &live);
    });
    for waiting in mail {
        free_all(&mut waiting.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    let replaced = plan.lots * plan.lot as u64;
    results.work(2 * count as u64 * (replaced + plan.blocks as u64), ns);
    results.peak_live(live.peak.into_inner());
}

type Mail = Mutex<Vec<Block>>;

fn work(plan: &Plan, mut rng: Rng, [mine, next]: [&Mail; 2], live: &Live) {
    let mut blocks: Vec<Block> = Vec::with_capacity(plan.blocks);
    let mut sent = Vec::with_capacity(plan.lot);
    let mut received = Vec::with_capacity(WAITING * plan.lot);
    for i in 0..plan.blocks {
        let size = sizes::falling(&mut rng, plan.smallest, plan.largest);
        blocks.push(Block::new(size, i as u64));
    }
    live.change(size_of_all(&blocks), 0);
    for lot in 0..plan.lots {
        let is_sent = plan.cross > 0 && lot % plan.cross == 0;
        let mut at = rng.below(plan.blocks);
        let stride = rng.between(1, 7);
        let (mut allocated, mut freed) = (0, 0);
        let slots = (0..plan.lot).map(|_| {
            let slot = at;
            at += stride;
            if at >= plan.blocks {
                at %= plan.blocks;
            }
            slot
        });
        let mut new = || {
            let block = Block::new(sizes::falling(&mut rng, plan.smallest, plan.largest), lot);
            allocated += block.size();
            block
        };
        if is_sent {
            sent.extend(slots.map(|slot| mem::replace(&mut blocks[slot], new())));
            freed += send(&mut sent, next, WAITING * plan.lot);
            mem::swap(&mut *mine.lock().unwrap_or_else(PoisonError::into_inner), &mut received);
            freed += free_counted(&mut received);
        } else {
            slots.for_each(|slot| {
                freed += blocks[slot].size();
                blocks[slot].replace(&mut new);
            });
        }
        live.change(allocated, freed);
    }
    live.change(0, free_counted(&mut blocks));
}

fn size_of_all(blocks: &[Block]) -> usize {
    blocks.iter().map(Block::size).sum()
}

/// Sends what there is room for, frees the rest: a thread that does not get to run shall not make the heap grow. How many
/// bytes it freed.
fn send(blocks: &mut Vec<Block>, to: &Mail, room: usize) -> usize {
    {
        let mut to = to.lock().unwrap_or_else(PoisonError::into_inner);
        if to.len() + blocks.len() <= room {
            to.append(blocks);
        }
    }
    free_counted(blocks)
}

/// Frees all of them; how many bytes.
fn free_counted(blocks: &mut Vec<Block>) -> usize {
    blocks.drain(..).fold(0, |freed, block| {
        let size = block.size();
        block.free();
        freed + size
    })
}

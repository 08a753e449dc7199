//! `mstress`: threads that come in rounds, build trees of blocks, keep some, and hand others around.
//!
//! Sizes and numbers of children follow a power law. A tree goes into one of the slots that all threads share, and whoever
//! takes it out frees it; what a thread keeps to its end is freed by a thread of the next round (after the stress test
//! that comes with mimalloc).

use std::sync::{Mutex, PoisonError};

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::Block;
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::sizes;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "mstress",
    parameters: &[
        fixed("threads", 4, "threads of a round"),
        fixed("slots", 1000, "trees that all threads share"),
        fixed("largest", 65_536, "bytes of the largest block"),
        fixed("trees", 2000, "trees that a thread builds"),
        scaled("rounds", 15, "rounds"),
    ],
    run,
};

/// Deeper there are leaves only.
const DEPTH: u32 = 4;
const KEPT: usize = 500;

struct Tree {
    body: Block,
    children: Vec<Tree>,
}

impl Tree {
    fn grow(rng: &mut Rng, largest: usize, depth: u32, calls: &mut u64) -> Self {
        let size = sizes::power_law(rng, 16, largest);
        let body = Block::new(size, calls.wrapping_mul(depth.into()));
        let count = if depth == 0 { 0 } else { sizes::power_law(rng, 1, 32) - 1 };
        *calls += if count == 0 { 2 } else { 4 };
        let mut children = Vec::with_capacity(count);
        for _ in 0..count {
            children.push(Self::grow(rng, largest, depth - 1, calls));
        }
        Self { body, children }
    }

    fn size(&self) -> usize {
        let children = self.children.iter().map(Self::size).sum::<usize>();
        self.body.size() + self.children.capacity() * size_of::<Self>() + children
    }

    fn free(self) {
        for child in self.children {
            child.free();
        }
        self.body.free();
    }
}

type Slot = Mutex<Option<Tree>>;

struct Left {
    kept: Vec<Tree>,
    calls: u64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let count = arguments.size("threads");
    let slots: Vec<Slot> = (0..arguments.size("slots").max(1)).map(|_| Mutex::new(None)).collect();
    let mut left: Vec<Mutex<Vec<Tree>>> = (0..count).map(|_| Mutex::new(Vec::new())).collect();
    let (mut calls, mut ns, mut peak) = (0, 0, 0);
    for round in 0..arguments.get("rounds") {
        let (done, took) = threads::together(count, |i| {
            // Of another thread of the round before.
            let mut left = left[(i + 1) % count].lock().unwrap_or_else(PoisonError::into_inner);
            left.drain(..).for_each(Tree::free);
            let seed = (arguments.seed * 1000 + round) * 1000 + i as u64;
            work(arguments, Rng::new(seed), &slots)
        });
        ns += took;
        let shared = slots.iter().map(|slot| {
            let slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
            slot.as_ref().map_or(0, Tree::size)
        });
        let kept = done.iter().flat_map(|done| &done.kept).map(Tree::size);
        peak = peak.max(shared.sum::<usize>() + kept.sum::<usize>());
        calls += done.iter().map(|done| done.calls).sum::<u64>();
        left = done.into_iter().map(|done| Mutex::new(done.kept)).collect();
    }
    for left in left {
        left.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().for_each(Tree::free);
    }
    for slot in slots {
        if let Some(tree) = slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
            tree.free();
        }
    }
    results.work(calls, ns);
    results.peak_live(peak);
}

fn work(arguments: &Arguments, mut rng: Rng, slots: &[Slot]) -> Left {
    let largest = arguments.size("largest");
    let mut kept: Vec<Tree> = Vec::with_capacity(KEPT);
    let mut calls = 0;
    for _ in 0..arguments.get("trees") {
        let tree = Tree::grow(&mut rng, largest, DEPTH, &mut calls);
        match rng.below(4) {
            0 => tree.free(),
            1 => exchange(slots, &mut rng, tree),
            _ if kept.len() < KEPT => kept.push(tree),
            other => {
                let at = rng.below(KEPT);
                let old = core::mem::replace(&mut kept[at], tree);
                if other == 2 { old.free() } else { exchange(slots, &mut rng, old) }
            }
        }
    }
    Left { kept, calls }
}

fn exchange(slots: &[Slot], rng: &mut Rng, tree: Tree) {
    let slot = &slots[rng.below(slots.len())];
    let old = slot.lock().unwrap_or_else(PoisonError::into_inner).replace(tree);
    if let Some(old) = old {
        old.free();
    }
}

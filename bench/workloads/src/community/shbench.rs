//! `sh6` and `sh8`: bursts of blocks of one size, small ones in long bursts, freed in order, in reverse, or later.
//!
//! What MicroQuill's sh6bench and sh8bench are said to do: sizes skewed to small ones, blocks that are freed first in,
//! first out beside blocks that are freed last in, first out. In `sh8` blocks that are kept are freed by another thread.

use core::mem;
use std::sync::{Mutex, PoisonError};

use crate::arguments::{Arguments, Parameter, fixed, scaled};
use crate::block::{Block, free_all};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::sizes;
use crate::threads;

/// Each thread frees what it allocated.
pub(crate) const SH6: Workload = Workload {
    name: "sh6",
    parameters: &[
        fixed("threads", 2, "threads"),
        LARGEST,
        KEPT,
        scaled("bursts", 1_000_000, "bursts of each thread"),
    ],
    run: |arguments, results| run(arguments, results, false),
};

/// What a thread keeps, another frees.
pub(crate) const SH8: Workload = Workload {
    name: "sh8",
    parameters: &[
        fixed("threads", 8, "threads"),
        LARGEST,
        KEPT,
        scaled("bursts", 230_000, "bursts of each thread"),
    ],
    run: |arguments, results| run(arguments, results, true),
};

const LARGEST: Parameter = fixed("largest", 1000, "bytes of the largest block");
const KEPT: Parameter = fixed("kept", 4000, "blocks that a thread keeps at most");

const BURST: usize = 1000;
const LONGEST: usize = 64;

struct Thread<'a> {
    rng: Rng,
    kept: Vec<Block>,
    most: usize,
    /// Where other threads find what this one kept.
    shared: Option<&'a Mutex<Vec<Block>>>,
    calls: u64,
    live: usize,
    peak: usize,
}

fn run(arguments: &Arguments, results: &mut Results, is_shared: bool) {
    let (count, most) = (arguments.size("threads"), arguments.size("kept").max(LONGEST));
    let (largest, bursts) = (arguments.size("largest").max(1), arguments.get("bursts"));
    let shared: Vec<Mutex<Vec<Block>>> =
        (0..count).map(|_| Mutex::new(Vec::with_capacity(most))).collect();
    let (done, ns) = threads::together(count, |i| {
        let mut thread = Thread {
            rng: Rng::new(arguments.seed * 1000 + i as u64),
            kept: Vec::with_capacity(most),
            most,
            shared: is_shared.then(|| &shared[(i + 1) % count]),
            calls: 0,
            live: 0,
            peak: 0,
        };
        for burst in 0..bursts {
            thread.burst(burst, largest);
        }
        free_all(&mut thread.kept);
        (thread.calls, thread.peak)
    });
    for kept in shared {
        free_all(&mut kept.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    results.work(2 * done.iter().map(|(calls, _)| calls).sum::<u64>(), ns);
    let peak: usize = done.iter().map(|(_, peak)| peak).sum();
    results.peak_live(if is_shared { 2 * peak } else { peak });
}

impl Thread<'_> {
    fn burst(&mut self, burst: u64, largest: usize) {
        let size = sizes::power_law(&mut self.rng, 8, largest);
        let length = (BURST / size).clamp(2, LONGEST);
        if self.kept.len() + length > self.most {
            self.drop_kept();
        }
        let first = self.kept.len();
        for _ in 0..length {
            self.kept.push(Block::new(size, burst));
        }
        self.calls += length as u64;
        match burst % 4 {
            0 => free_in_order(&mut self.kept, first),
            1 => free_reversed(&mut self.kept, first),
            2 => {
                free_reversed(&mut self.kept, first + length / 2);
                self.live += length / 2 * size;
            }
            _ => self.live += length * size,
        }
        self.peak = self.peak.max(self.live);
    }

    /// The older half in order, the younger one in reverse; or, where others free, what another thread kept.
    fn drop_kept(&mut self) {
        if let Some(shared) = self.shared {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            mem::swap(&mut *shared, &mut self.kept);
        }
        let half = self.kept.len() / 2;
        let (older, younger) = self.kept.split_at_mut(half);
        for block in older {
            block.replace(|| Block::NONE);
        }
        for block in younger.iter_mut().rev() {
            block.replace(|| Block::NONE);
        }
        self.kept.clear();
        self.live = 0;
    }
}

fn free_in_order(blocks: &mut Vec<Block>, first: usize) {
    for block in blocks.drain(first..) {
        block.free();
    }
}

fn free_reversed(blocks: &mut Vec<Block>, first: usize) {
    for block in blocks.drain(first..).rev() {
        block.free();
    }
}

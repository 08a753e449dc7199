//! `mleak`: threads come and go, and leave their blocks to the next: is the memory of threads that ended used again?
//!
//! What is live stays the same all the time. What the process holds is printed: early, at the end, and what it grew by
//! (after mleak of mimalloc-bench).

use std::fs;
use std::sync::{Mutex, PoisonError};

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::sizes;
use crate::threads;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "mleak",
    parameters: &[
        fixed("threads", 4, "threads at a time"),
        fixed("blocks", 2000, "blocks that a thread leaves"),
        fixed("largest", 4096, "bytes of the largest block"),
        fixed("steps", 2000, "more blocks that a thread allocates and frees itself").least(0),
        scaled("rounds", 2400, "threads, one after the other, in each place"),
    ],
    run,
};

fn run(arguments: &Arguments, results: &mut Results) {
    let (count, rounds) = (arguments.size("threads"), arguments.get("rounds"));
    let (blocks, steps) = (arguments.size("blocks"), arguments.get("steps"));
    let largest = arguments.size("largest").max(16);
    let left: Vec<Mutex<Vec<Block>>> =
        (0..count).map(|_| Mutex::new(Vec::with_capacity(blocks))).collect();
    // When they are all there, and nothing is to be got from the system any more.
    let early = rounds / 10;
    let (mut ns, mut peak, mut resident_early) = (0, 0, 0);
    for round in 0..rounds {
        let (live, took) = threads::together(count, |i| {
            let mut left = left[(i + 1) % count].lock().unwrap_or_else(PoisonError::into_inner);
            let mut rng = Rng::new((arguments.seed * 1000 + round) * 1000 + i as u64);
            free_all(&mut left);
            for step in 0..steps {
                Block::new(sizes::power_law(&mut rng, 16, largest), step).free();
            }
            let mut live = 0;
            left.extend((0..blocks as u64).map(|i| {
                let block = Block::new(sizes::power_law(&mut rng, 16, largest), i);
                live += block.size();
                block
            }));
            live
        });
        ns += took;
        let live = live.iter().sum();
        peak = peak.max(live);
        if round % (rounds / 20).max(1) == 0 {
            results.live(timing::now(), live);
        }
        if round == early {
            resident_early = resident();
        }
    }
    let resident_late = resident();
    for left in left {
        free_all(&mut left.into_inner().unwrap_or_else(PoisonError::into_inner));
    }
    results.work(2 * count as u64 * rounds * (blocks as u64 + steps), ns);
    results.peak_live(peak);
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    results.value("resident_early", format_args!("{:.1}", mib(resident_early)), "MiB");
    results.value("resident_end", format_args!("{:.1}", mib(resident_late)), "MiB");
    let grown = resident_late.saturating_sub(resident_early);
    results.value("grown", format_args!("{:.1}", mib(grown)), "MiB");
}

/// Bytes of memory that the process holds; 0 where the system does not say.
fn resident() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.unwrap_or(0) * usize::try_from(page).unwrap_or(4096)
}

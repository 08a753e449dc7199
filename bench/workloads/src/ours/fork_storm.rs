//! Fork storm: a process with a large heap forks child after child while two of its threads go on allocating. Each child
//! verifies and frees some of what it inherited, allocates, frees, and exits. An allocator whose locks are not put in
//! order around the fork stops in a child for ever; every page it writes to for its own bookkeeping is copied for each.

use std::thread;

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all, table};
use crate::heap;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use crate::sizes::doublings;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "fork-storm",
    parameters: &[
        scaled("children", 250, "processes forked"),
        fixed("together", 4, "how many live at a time"),
        fixed("heap", 48, "MiB of the parent's heap").least(0),
        fixed("blocks", 4000, "blocks that a child allocates, 16 bytes to 4 KiB").least(0),
        fixed("inherited", 1000, "blocks of the parent that a child frees").least(0),
        fixed("threads", 2, "threads of the parent that go on allocating").least(0),
        scaled("steps", 1_000_000, "blocks that each of these replaces").least(0),
    ],
    run,
};

/// A child that takes longer than this many seconds stands still.
const TIMEOUT_SECONDS: u32 = 60;
/// The exit code of a child to which a block was refused.
const REFUSED: i32 = 3;
/// Blocks that each thread of the parent replaces in turn.
const SLOTS: usize = 10_000;
/// The mean size of a block of the doublings from 16 bytes to 4 KiB.
const MEAN: usize = (4096 - 16) * 3 / (2 * 8);

#[derive(Debug, Clone, Copy)]
struct Task {
    blocks: usize,
    inherited: usize,
    seed: u64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let (children, steps) = (arguments.get("children"), arguments.get("steps"));
    let (threads, together) = (arguments.size("threads"), arguments.size("together").max(1));
    let seed = arguments.seed;
    let mut rng = Rng::new(seed);
    let count = (arguments.size("heap") << 20) / MEAN;
    let mut blocks: Vec<Block> = (0..count).map(|_| random_block(&mut rng)).collect();
    let inherited = arguments.size("inherited").min(count);
    let task = Task { blocks: arguments.size("blocks"), inherited, seed };

    let start = timing::now();
    let storm = thread::scope(|scope| {
        let others: Vec<_> = (0..threads as u64)
            .map(|i| scope.spawn(move || replace(steps, seed + 1 + i)))
            .collect();
        let storm = fork_all(&mut blocks, task, children, together);
        for other in others {
            other.join().unwrap_or_else(|_| wrong("a thread panicked"));
        }
        storm
    });
    let ns = timing::now() - start;
    let of_children = children * (2 * task.blocks + task.inherited) as u64;
    results.work(of_children + threads as u64 * 2 * steps, ns);
    let fork_us = storm.fork_ns as f64 / 1e3 / children.max(1) as f64;
    results.value("fork_us", format_args!("{fork_us:.1}"), "us");
    results.value("children_per_second", format_args!("{:.1}", storm.per_second(children)), "/s");
    if storm.refused > 0 {
        results.value("children_refused", storm.refused, "count");
    }
    results.peak_live((count + threads * SLOTS + together * task.blocks) * MEAN);
    blocks.into_iter().for_each(Block::free);
}

fn random_block(rng: &mut Rng) -> Block {
    let key = rng.next() >> 32;
    Block::touched(doublings(rng, 4, 12), key)
}

/// A thread of the parent: replaces blocks, in no order.
fn replace(steps: u64, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut blocks = table(SLOTS);
    for _ in 0..steps {
        let place = rng.below(SLOTS);
        let block = random_block(&mut rng);
        core::mem::replace(&mut blocks[place], block).free();
    }
    free_all(&mut blocks);
}

#[derive(Debug, Default)]
struct Storm {
    fork_ns: u64,
    /// From the first fork to the last exit.
    ns: u64,
    refused: u64,
    living: usize,
}

impl Storm {
    fn per_second(&self, children: u64) -> f64 {
        children as f64 * 1e9 / self.ns.max(1) as f64
    }

    /// Waits for one child, and looks at how it ended.
    fn wait(&mut self) {
        let mut status = 0;
        // SAFETY: the out-pointer is to a live local.
        if unsafe { libc::waitpid(-1, &raw mut status, 0) } < 0 {
            wrong(format_args!("waitpid: {}", std::io::Error::last_os_error()));
        }
        self.living -= 1;
        if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            let why = if signal == libc::SIGALRM { ": it stood still" } else { "" };
            wrong(format_args!("a child was ended by signal {signal}{why}"));
        }
        match libc::WEXITSTATUS(status) {
            0 => {}
            REFUSED => self.refused += 1,
            code => wrong(format_args!("a child exited with {code}")),
        }
    }
}

fn fork_all(blocks: &mut Vec<Block>, task: Task, children: u64, together: usize) -> Storm {
    let mut storm = Storm::default();
    let start = timing::now();
    for child in 0..children {
        if storm.living == together {
            storm.wait();
        }
        let before = timing::now();
        // SAFETY: the child only calls malloc and free, which POSIX systems keep usable after a fork, and `_exit`.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let task = Task { seed: task.seed ^ (child << 20), ..task };
            let code = live(blocks, task);
            // SAFETY: ends the child, without running what the parent wants to run at its own end.
            unsafe { libc::_exit(code) };
        }
        if pid < 0 {
            wrong(format_args!("fork: {}", std::io::Error::last_os_error()));
        }
        storm.fork_ns += timing::now() - before;
        storm.living += 1;
    }
    while storm.living > 0 {
        storm.wait();
    }
    storm.ns = timing::now() - start;
    storm
}

/// A child's life; its exit code. `inherited` is its own copy.
fn live(inherited: &mut Vec<Block>, task: Task) -> i32 {
    // SAFETY: nothing handles the signal, so it ends this process.
    unsafe { libc::alarm(TIMEOUT_SECONDS) };
    let refused = heap::refused();
    let mut rng = Rng::new(task.seed);
    let mut own = Vec::with_capacity(task.blocks);
    for i in 0..task.blocks {
        own.push(random_block(&mut rng));
        if i < task.inherited {
            let place = rng.below(inherited.len());
            inherited.swap_remove(place).free();
        }
    }
    while !own.is_empty() {
        let place = rng.below(own.len());
        own.swap_remove(place).free();
    }
    if heap::refused() > refused { REFUSED } else { 0 }
}

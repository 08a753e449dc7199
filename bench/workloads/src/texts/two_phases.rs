//! `two-phases`: one thread allocates 300 MB and frees them, then another does the same (TCMalloc text, "Motivation": where memory
//! cannot move from one thread's arena to another's "this phase would add another 300MB to the address space").
//!
//! ```text
//! first thread   allocate ─ free ─ wait ·························┐
//! second thread                    allocate ─ free ─ end         │ end
//! look           0        1        0        2                    after each: addresses, resident memory
//! ```
//!
//! The first thread waits until the second has ended: its arena stays its own.

use std::sync::Barrier;
use std::thread;

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, table};
use crate::list::Workload;
use crate::ours::sampled::memory;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "two-phases",
    parameters: &[
        scaled("megabytes", 300, "MB of blocks that are live at the end of each phase"),
        fixed("largest", 2000, "bytes of the largest block"),
    ],
    run,
};

/// What a phase did: its calls, how long it took, and addresses and resident memory with all of its blocks.
struct Phase {
    calls: u64,
    ns: u64,
    full: (usize, usize),
}

fn run(arguments: &Arguments, results: &mut Results) {
    let bytes = arguments.size("megabytes").saturating_mul(1_000_000);
    let (largest, seed) = (arguments.size("largest"), arguments.seed);
    // Room for all blocks of both threads, touched: what is looked at is the blocks.
    let mut tables = [0, 1].map(|_| table(bytes / (largest / 2 + 1) * 5 / 4 + 100));
    let before = memory();
    let (turn, end) = (Barrier::new(2), Barrier::new(2));
    let [first, second] = &mut tables;
    let [one, two] = thread::scope(|scope| {
        let one = scope.spawn(|| {
            let done = phase(first, Rng::new(seed * 1000), bytes, largest);
            turn.wait();
            end.wait();
            done
        });
        let two = scope.spawn(|| {
            turn.wait();
            let done = phase(second, Rng::new(seed * 1000 + 1), bytes, largest);
            end.wait();
            done
        });
        [one, two].map(|thread| thread.join().unwrap_or_else(|_| wrong("a thread panicked")))
    });
    results.work(one.calls + two.calls, one.ns + two.ns);
    results.peak_live(bytes);
    let of = |phase: &Phase| {
        (phase.full.0.saturating_sub(before.0), phase.full.1.saturating_sub(before.1))
    };
    let ((addresses, resident), (addresses_2, resident_2)) = (of(&one), of(&two));
    results.value("first_phase_bytes", resident, "bytes");
    results.value("second_phase_bytes", resident_2, "bytes");
    let ratio = |first: usize, second: usize| second as f64 / first.max(1) as f64;
    results.value("second_to_first", format_args!("{:.4}", ratio(resident, resident_2)), "x");
    let addresses = ratio(addresses, addresses_2);
    results.value("second_to_first_addresses", format_args!("{addresses:.4}"), "x");
}

fn phase(blocks: &mut [Block], mut rng: Rng, bytes: usize, largest: usize) -> Phase {
    let start = timing::now();
    let (mut live, mut count) = (0, 0);
    while live < bytes && count < blocks.len() {
        let size = 1 + rng.below(largest);
        blocks[count] = Block::filled(size, count as u64);
        live += size;
        count += 1;
    }
    let full = memory();
    for block in &mut blocks[..count] {
        core::mem::replace(block, Block::NONE).free_filled();
    }
    Phase { calls: 2 * count as u64, ns: timing::now() - start, full }
}

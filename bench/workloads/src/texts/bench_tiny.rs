//! `bench_tiny`: a hundred blocks of 16 bytes, then all of them freed, again and again (SuperSlab report, "Benchmark").

use crate::arguments::{Arguments, Parameter, fixed, scaled};
use crate::check::{mark, verify};
use crate::list::Workload;
use crate::results::Results;
use crate::{heap, threads};

const BATCH: usize = 100;

pub(crate) const ONE_THREAD: Workload = Workload {
    name: "bench-tiny",
    parameters: &[
        SIZE,
        BLOCKS,
        scaled("iterations", 1_200_000, "batches of 100 blocks, or fewer larger ones"),
    ],
    run: |arguments, results| run(arguments, results, 1),
};

pub(crate) const THREADS: Workload = Workload {
    name: "bench-tiny-mt",
    parameters: &[
        SIZE,
        BLOCKS,
        fixed("threads", 4, "threads"),
        scaled("iterations", 250_000, "batches of 100 blocks in each thread, or fewer larger ones"),
    ],
    run: |arguments, results| run(arguments, results, arguments.size("threads")),
};

const SIZE: Parameter = fixed("size", 16, "bytes of a block");

/// With more blocks than a cache of the thread holds the allocator behind it is reached.
const BLOCKS: Parameter = fixed("blocks", BATCH as u64, "blocks of a batch").least(1);

fn run(arguments: &Arguments, results: &mut Results, threads: usize) {
    let (size, blocks) = (arguments.size("size"), arguments.size("blocks"));
    let iterations = (arguments.get("iterations") * BATCH as u64).div_ceil(blocks as u64);
    let ns = if threads == 1 {
        // In a process that never had another.
        let start = timing::now();
        batches(size, blocks, iterations);
        timing::now() - start
    } else {
        threads::together(threads, |_| batches(size, blocks, iterations)).1
    };
    results.work(threads as u64 * iterations * 2 * blocks as u64, ns);
    results.peak_live(size * blocks * threads);
}

fn batches(size: usize, blocks: usize, iterations: u64) {
    let mut blocks = vec![core::ptr::null_mut(); blocks];
    for _ in 0..iterations {
        // No two blocks have one key, so that one that is handed out twice is found out.
        for (i, block) in blocks.iter_mut().enumerate() {
            *block = heap::malloc(size);
            // SAFETY: a block of `size`, or null.
            unsafe { mark(*block, size, i as u64) };
        }
        for (i, block) in blocks.iter().copied().enumerate() {
            // SAFETY: marked above.
            unsafe { verify(block, size, i as u64) };
            // SAFETY: allocated above, and not used again.
            unsafe { heap::free(block, size, heap::ALIGN) };
        }
    }
}

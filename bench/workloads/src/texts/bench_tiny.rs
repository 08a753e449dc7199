//! `bench_tiny`: a hundred blocks of 16 bytes, then all of them freed, again and again (SuperSlab report, "Benchmark").

use crate::arguments::{Arguments, Parameter, fixed, scaled};
use crate::check::{mark, verify};
use crate::list::Workload;
use crate::results::Results;
use crate::{heap, threads};

const BATCH: usize = 100;

pub(crate) const ONE_THREAD: Workload = Workload {
    name: "bench-tiny",
    about: "100 blocks of 16 bytes are allocated, then freed in the same order, in one thread",
    parameters: &[SIZE, scaled("iterations", 1_200_000, "batches of 100 blocks")],
    run: |arguments, results| {
        let (size, iterations) = (arguments.size("size"), arguments.get("iterations"));
        let start = timing::now();
        batches(size, iterations);
        results.work(iterations * 2 * BATCH as u64, timing::now() - start);
        results.peak_live(size * BATCH);
    },
};

pub(crate) const THREADS: Workload = Workload {
    name: "bench-tiny-mt",
    about: "the same in four threads, each with blocks of its own",
    parameters: &[
        SIZE,
        fixed("threads", 4, "threads"),
        scaled("iterations", 250_000, "batches of 100 blocks in each thread"),
    ],
    run: run_threads,
};

const SIZE: Parameter = fixed("size", 16, "bytes of a block");

fn run_threads(arguments: &Arguments, results: &mut Results) {
    let (size, iterations) = (arguments.size("size"), arguments.get("iterations"));
    let count = arguments.size("threads");
    let (_, ns) = threads::together(count, |_| batches(size, iterations));
    results.work(count as u64 * iterations * 2 * BATCH as u64, ns);
    results.peak_live(size * BATCH * count);
}

fn batches(size: usize, iterations: u64) {
    let mut blocks = [core::ptr::null_mut(); BATCH];
    for _ in 0..iterations {
        // No two blocks have one key, so that one that is handed out twice is found out.
        for (i, block) in blocks.iter_mut().enumerate() {
            *block = heap::malloc(size);
            // SAFETY: a block of `size`, or null.
            unsafe { mark(*block, size, i as u64) };
        }
        for (i, block) in blocks.into_iter().enumerate() {
            // SAFETY: marked above.
            unsafe { verify(block, size, i as u64) };
            // SAFETY: allocated above, and not used again.
            unsafe { heap::free(block, size, heap::ALIGN) };
        }
    }
}

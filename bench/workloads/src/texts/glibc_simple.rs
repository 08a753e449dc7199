//! `glibc-simple`: some blocks of one size, then all of them freed in the same order, again and again (what glibc's
//! bench-malloc-simple does; component OS report, `glibc_bench`).

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, table};
use crate::list::Workload;
use crate::results::Results;
use crate::{clock, heap};

/// The workload.
pub(crate) const WORKLOAD: Workload = Workload {
    name: "glibc-simple",
    about: "25, 100, 400 or 1600 blocks of one size are allocated, then freed in the same order",
    parameters: &[
        fixed("size", 0, "bytes of a block; 0: of 16, 32, 64 … 4096 in turn").least(0),
        scaled("blocks", 400_000, "blocks allocated for each size and each number"),
    ],
    run,
};

/// How many blocks live at one time.
const NUMBERS: [usize; 4] = [25, 100, 400, 1600];

fn run(arguments: &Arguments, results: &mut Results) {
    let sizes: Vec<usize> = match arguments.size("size") {
        0 => (4..=12).map(|doubling| 1 << doubling).collect(),
        size => vec![size],
    };
    let (mut ops, mut ns) = (0, 0);
    for &size in &sizes {
        for number in NUMBERS {
            let batches = arguments.get("blocks").div_ceil(number as u64);
            let calls = 2 * batches * number as u64;
            let refused = heap::refused();
            let took = batches_of(number, size, batches);
            if heap::refused() == refused {
                results.point(format_args!("{number}-blocks"), size as f64, per(took, calls));
            }
            ops += calls;
            ns += took;
        }
    }
    results.work(ops, ns);
    results.peak_live(1600 * sizes.iter().max().copied().unwrap_or(0));
}

fn per(ns: u64, calls: u64) -> f64 {
    ns as f64 / calls as f64
}

/// Nanoseconds of `batches` batches of `number` blocks of `size`.
pub(crate) fn batches_of(number: usize, size: usize, batches: u64) -> u64 {
    let mut blocks = table(number);
    let start = clock::now();
    for _ in 0..batches {
        for (i, block) in blocks.iter_mut().enumerate() {
            *block = Block::new(size, i as u64);
        }
        for block in &mut blocks {
            block.replace(|| Block::NONE);
        }
    }
    clock::now() - start
}

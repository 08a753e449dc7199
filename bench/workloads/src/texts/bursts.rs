//! `bursts`: a hundred blocks of one size, then all of them freed, from 16 bytes to 128 KiB (TCMalloc text, "Performance Notes": "a
//! noticeable drop at 32K", where blocks leave the threads' caches).

use super::glibc_simple::batches_of;
use crate::arguments::{Arguments, scaled};
use crate::heap;
use crate::list::Workload;
use crate::results::Results;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "bursts",
    parameters: &[scaled("blocks", 1_000_000, "blocks allocated for each size")],
    run,
};

const NUMBER: usize = 100;
/// A step at the end of what a thread's cache holds, and at 32 KiB.
const SIZES: [usize; 14] = [
    16, 64, 256, 1024, 4096, 8192, 12_288, 16_384, 20_480, 24_576, 32_768, 40_960, 65_536, 131_072,
];

fn run(arguments: &Arguments, results: &mut Results) {
    let (mut calls, mut ns) = (0, 0);
    let bursts = arguments.get("blocks").div_ceil(NUMBER as u64);
    for size in SIZES {
        let refused = heap::refused();
        let mut pieces = batches_of(NUMBER, size, bursts);
        // Refusing is quick: a point would look good.
        let each = pieces.each().filter(|_| heap::refused() == refused);
        if let Some(ns) = each {
            results.point("bursts", size as f64, ns / NUMBER as f64);
        }
        calls += 2 * bursts * NUMBER as u64;
        ns += pieces.all.1;
    }
    results.work(calls, ns);
    results.peak_live(SIZES[SIZES.len() - 1] * NUMBER);
}

//! `batches`: blocks of one size, then all of them freed in the same order, again and again: from one block to 4,096, from 16
//! bytes to 8 KiB.
//!
//! Up to some tens of blocks a thread's cache serves them all; in larger batches each block passes what lies behind it, and
//! from some hundred bytes on slabs or pages are made and given up. So the grid shows what each of these costs by itself.

use crate::arguments::{Arguments, scaled};
use crate::heap;
use crate::list::Workload;
use crate::results::Results;
use crate::texts::glibc_simple::batches_of;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "batches",
    parameters: &[scaled("blocks", 400_000, "blocks allocated for each size and each number")],
    run,
};

const SIZES: [usize; 9] = [16, 64, 128, 320, 512, 1024, 2048, 4096, 8192];
const NUMBERS: [usize; 8] = [1, 4, 16, 64, 128, 256, 1024, 4096];

fn run(arguments: &Arguments, results: &mut Results) {
    let (mut calls, mut ns) = (0, 0);
    for number in NUMBERS {
        for size in SIZES {
            let batches = arguments.get("blocks").div_ceil(number as u64);
            let pairs = batches * number as u64;
            let refused = heap::refused();
            let mut pieces = batches_of(number, size, batches);
            // Refusing is quick: a point would look good.
            let each = pieces.each().filter(|_| heap::refused() == refused);
            if let Some(ns) = each {
                let series = format_args!("{number}-blocks");
                results.point(series, size as f64, ns / number as f64);
            }
            calls += 2 * pairs;
            ns += pieces.all.1;
        }
    }
    results.work(calls, ns);
    results.peak_live(SIZES[8] * NUMBERS[7]);
}

//! `glibc-simple`: some blocks of one size, then all of them freed in the same order, again and again (what glibc's
//! bench-malloc-simple does; component OS report, `glibc_bench`).

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, table};
use crate::heap;
use crate::list::Workload;
use crate::pieces::Pieces;
use crate::results::Results;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "glibc-simple",
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
            let mut pieces = batches_of(number, size, batches);
            let each = pieces.each().filter(|_| heap::refused() == refused);
            if let Some(ns) = each {
                let series = format_args!("{number}-blocks");
                results.point(series, size as f64, ns / (2 * number) as f64);
            }
            ops += calls;
            ns += pieces.all.1;
        }
    }
    results.work(ops, ns);
    results.peak_live(1600 * sizes.iter().max().copied().unwrap_or(0));
}

/// Pieces of the batches of a size; the middle one counts.
const PIECES: u64 = 16;

/// The nanoseconds of `batches` batches of `number` blocks of `size`, in pieces; their work is in batches.
pub(crate) fn batches_of(number: usize, size: usize, batches: u64) -> Pieces {
    let piece = batches.div_ceil(PIECES);
    let mut pieces = Pieces::new(piece, PIECES);
    let mut blocks = table(number);
    let mut left = batches;
    while left > 0 {
        let now = piece.min(left);
        let start = timing::now();
        for _ in 0..now {
            for (i, block) in blocks.iter_mut().enumerate() {
                *block = Block::new(size, i as u64);
            }
            for block in &mut blocks {
                block.replace(|| Block::NONE);
            }
        }
        pieces.add(now, timing::now() - start);
        left -= now;
    }
    pieces
}

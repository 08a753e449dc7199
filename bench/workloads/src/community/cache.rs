//! `cache-scratch` and `cache-thrash`: whether threads get blocks that share a cache line.
//!
//! Each thread allocates a small block, writes to it many times, and frees it. Two blocks in one line make every write wait
//! for the other CPU. In `cache-thrash` the allocator itself would have to place them so (active false sharing); in
//! `cache-scratch` the threads are first given blocks beside each other by the main thread, and free them: an allocator
//! that hands those out again to whoever freed them passes the sharing on (Berger et al., "Hoard", 2000).

use core::cell::Cell;

use super::block::Block;
use crate::arguments::{Arguments, Parameter, fixed, scaled};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::{heap, threads};

/// Passive false sharing.
pub(crate) const SCRATCH: Workload = Workload {
    name: "cache-scratch",
    about: "threads free a block of the main thread, then write to small blocks of their own",
    parameters: &[THREADS, SIZE, WRITES, BLOCKS],
    run: |arguments, results| run(arguments, results, true),
};

/// Active false sharing.
pub(crate) const THRASH: Workload = Workload {
    name: "cache-thrash",
    about: "threads write to small blocks of their own",
    parameters: &[THREADS, SIZE, WRITES, BLOCKS],
    run: |arguments, results| run(arguments, results, false),
};

const THREADS: Parameter = fixed("threads", 4, "threads");
const SIZE: Parameter = fixed("size", 8, "bytes of a block");
const WRITES: Parameter = fixed("writes", 50_000, "times each byte of a block is written");
const BLOCKS: Parameter = scaled("blocks", 600, "blocks of each thread, one after the other");

fn run(arguments: &Arguments, results: &mut Results, is_given: bool) {
    let (count, size) = (arguments.size("threads"), arguments.size("size").max(1));
    let (writes, blocks) = (arguments.get("writes"), arguments.get("blocks"));
    let given: Vec<_> = (0..count)
        .map(|i| if is_given { Block::new(size, i as u64) } else { Block::NONE })
        .map(|block| std::sync::Mutex::new(Some(block)))
        .collect();
    let (_, ns) = threads::together(count, |i| {
        let given = given[i].lock().map(|mut block| block.take());
        if let Ok(Some(block)) = given {
            block.free();
        }
        for key in 0..blocks {
            let block = Block::new(size, key);
            write(&block, writes);
            block.free_unmarked();
        }
    });
    let calls = blocks + u64::from(is_given);
    results.work(2 * count as u64 * calls, ns);
    results.peak_live(count * size);
}

/// Adds one to every byte, `times` times; ends the program if one of them was lost.
fn write(block: &Block, times: u64) {
    if block.as_ptr().is_null() {
        return;
    }
    // SAFETY: the block's bytes, which `new` wrote or are any; only this thread uses them.
    let bytes = unsafe { core::slice::from_raw_parts_mut(block.as_ptr(), block.size()) };
    bytes.fill(0);
    let cells = Cell::from_mut(bytes).as_slice_of_cells();
    for _ in 0..times {
        for cell in cells {
            // Really to memory, each time.
            core::hint::black_box(cell).set(core::hint::black_box(cell).get().wrapping_add(1));
        }
    }
    let last = times.to_le_bytes()[0];
    if cells.iter().any(|cell| cell.get() != last) && !heap::is_null() {
        wrong("a byte of a block was written by someone else");
    }
}

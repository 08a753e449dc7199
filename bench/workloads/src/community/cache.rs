//! `cache-scratch` and `cache-thrash`: whether threads get blocks that share a cache line.
//!
//! Each thread allocates small blocks, writes to them many times, and frees them. Two threads' blocks in one line make every
//! write wait for the other CPU. In `cache-thrash` the allocator itself would have to place them so (active false sharing);
//! in `cache-scratch` the threads are first given blocks beside each other by the main thread, and free them: an allocator
//! that hands those out again to whoever freed them passes the sharing on (Berger et al., "Hoard", 2000).
//!
//! In the originals a thread has one block at a time; here some, for it is chance whether just two share a line.

use core::cell::Cell;
use std::sync::{Mutex, PoisonError};

use crate::arguments::{Arguments, Parameter, fixed, scaled};
use crate::block::{Block, free_all};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::{heap, threads};

/// Passive false sharing.
pub(crate) const SCRATCH: Workload = Workload {
    name: "cache-scratch",
    parameters: &[THREADS, SIZE, LOT, WRITES, LOTS],
    run: |arguments, results| run(arguments, results, true),
};

/// Active false sharing.
pub(crate) const THRASH: Workload = Workload {
    name: "cache-thrash",
    parameters: &[THREADS, SIZE, LOT, WRITES, LOTS],
    run: |arguments, results| run(arguments, results, false),
};

const THREADS: Parameter = fixed("threads", 2, "threads; no more than processors");
const SIZE: Parameter = fixed("size", 8, "bytes of a block");
const LOT: Parameter = fixed("lot", 8, "blocks that a thread has at a time");
const WRITES: Parameter = fixed("writes", 10_000, "times each byte of a block is written");
const LOTS: Parameter = scaled("lots", 2500, "lots of each thread, one after the other");

fn run(arguments: &Arguments, results: &mut Results, is_given: bool) {
    let (count, size) = (arguments.size("threads"), arguments.size("size").max(1));
    let (lot, lots) = (arguments.size("lot"), arguments.get("lots"));
    let writes = arguments.get("writes");
    let mut given: Vec<Mutex<Vec<Block>>> =
        (0..count).map(|_| Mutex::new(Vec::with_capacity(lot))).collect();
    if is_given {
        // In turn: each thread's lie between those of others.
        for key in 0..lot as u64 {
            for given in &mut given {
                let given = given.get_mut().unwrap_or_else(PoisonError::into_inner);
                given.push(Block::new(size, key));
            }
        }
    }
    let (_, ns) = threads::together(count, |i| {
        let mut blocks = given[i].lock().unwrap_or_else(PoisonError::into_inner);
        free_all(&mut blocks);
        for _ in 0..lots {
            blocks.extend((0..lot as u64).map(|key| Block::new(size, key)));
            write(&blocks, writes);
            blocks.drain(..).for_each(Block::free_unmarked);
        }
    });
    let calls = (lots + u64::from(is_given)) * lot as u64;
    results.work(2 * count as u64 * calls, ns);
    results.peak_live(count * lot * size);
}

/// Adds one to every byte of all blocks, `times` times; ends the program if one of them was lost.
fn write(blocks: &[Block], times: u64) {
    let blocks = blocks.iter().filter(|block| !block.as_ptr().is_null());
    let blocks: Vec<&[Cell<u8>]> = blocks.map(cells).collect();
    for cell in blocks.iter().copied().flatten() {
        cell.set(0);
    }
    for _ in 0..times {
        for block in &blocks {
            for cell in *block {
                // Really to memory, each time.
                core::hint::black_box(cell).set(core::hint::black_box(cell).get().wrapping_add(1));
            }
        }
    }
    let last = times.to_le_bytes()[0];
    if blocks.iter().copied().flatten().any(|cell| cell.get() != last) && !heap::is_null() {
        wrong("a byte of a block was written by someone else");
    }
}

fn cells(block: &Block) -> &[Cell<u8>] {
    // SAFETY: the block's bytes, all written by `new`; until it is freed they are this thread's alone.
    unsafe { core::slice::from_raw_parts(block.as_ptr().cast::<Cell<u8>>(), block.size()) }
}

//! Small blocks of one size, many live: freed first in, first out, and last in, first out.

use crate::{Block, Memory, Outcome, Scale};
use alloc::vec::Vec;

pub(crate) fn run(memory: &dyn Memory, scale: Scale) -> Outcome {
    for size in [16, 32, 64] {
        for live in [25, 100, 400, 1600] {
            for first_in_first_out in [true, false] {
                for _ in 0..scale.rounds(live) {
                    round(memory, size, live, first_in_first_out)?;
                }
            }
        }
    }
    Ok(())
}

fn round(memory: &dyn Memory, size: usize, live: usize, first_in_first_out: bool) -> Outcome {
    let mut blocks = Vec::with_capacity(live);
    for _ in 0..live {
        blocks.push(Block::filled(memory, size, 8).ok_or("a small block was refused")?);
    }
    // A quarter is freed and had again, as a program at work does.
    for i in (0..live).step_by(4) {
        let again = Block::filled(memory, size, 8).ok_or("a small block was refused")?;
        core::mem::replace(&mut blocks[i], again).free()?;
    }
    if first_in_first_out {
        blocks.into_iter().try_for_each(Block::free)
    } else {
        blocks.into_iter().rev().try_for_each(Block::free)
    }
}

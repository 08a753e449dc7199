//! `glibc_bench`: many small blocks of one size, freed in the order of allocation or against it.
use base::Malloc;

use super::{Part, mark, marked, not_null};

/// Pairs of allocate and free for each size, number and order, at full size.
const PAIRS: usize = 1_000_000;

pub(super) fn run(malloc: &dyn Malloc, part: Part) -> Result<(), String> {
    let mut blocks = Vec::with_capacity(1_600);
    for size in [16, 32, 64] {
        for live in [25, 100, 400, 1_600] {
            for last_first in [false, true] {
                for _ in 0..part.of(PAIRS).div_ceil(live) {
                    round(malloc, &mut blocks, size, live, last_first)?;
                }
            }
        }
    }
    Ok(())
}

/// Allocates `live` blocks; frees an eighth and allocates it again; frees all.
fn round(
    malloc: &dyn Malloc,
    blocks: &mut Vec<*mut u8>,
    size: usize,
    live: usize,
    last_first: bool,
) -> Result<(), String> {
    for _ in 0..live {
        blocks.push(fresh(malloc, size)?);
    }
    for i in (0..live).step_by(8) {
        release(malloc, blocks[i], size)?;
    }
    for i in (0..live).step_by(8) {
        blocks[i] = fresh(malloc, size)?;
    }
    if last_first {
        blocks.reverse();
    }
    blocks.drain(..).try_for_each(|block| release(malloc, block, size))
}

fn fresh(malloc: &dyn Malloc, size: usize) -> Result<*mut u8, String> {
    let block = not_null(malloc.malloc(size), size)?;
    mark(block, size, block.addr().to_le_bytes()[1]);
    Ok(block)
}

fn release(malloc: &dyn Malloc, block: *mut u8, size: usize) -> Result<(), String> {
    marked(block, size, block.addr().to_le_bytes()[1])?;
    // SAFETY: live until now.
    unsafe { malloc.free(block) };
    Ok(())
}

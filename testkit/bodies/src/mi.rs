//! What a malloc owes by its interface, and large blocks that are touched.

use crate::{Block, Memory, Outcome, Scale};
use alloc::vec::Vec;
use core::alloc::Layout;
use core::slice::{from_raw_parts, from_raw_parts_mut};

pub(crate) fn run(memory: &dyn Memory, scale: Scale) -> Outcome {
    apart(memory)?;
    zeroed(memory)?;
    resized(memory)?;
    too_large(memory, scale.refused_from())?;
    aligned(memory)?;
    touched(memory, scale.count(1_000), scale.size(2 << 20))
}

fn apart(memory: &dyn Memory) -> Outcome {
    let (a, b) = (Block::filled(memory, 32, 8), Block::filled(memory, 32, 8));
    let (a, b) = (a.ok_or("32 bytes were refused")?, b.ok_or("32 bytes were refused")?);
    if a.address().abs_diff(b.address()) < 32 {
        return Err("two blocks overlap");
    }
    a.free()?;
    b.free()
}

/// Zeroed memory is zero, also where there was something before.
fn zeroed(memory: &dyn Memory) -> Outcome {
    for size in [1, 7, 8, 100, 1000, 4096, 10_000] {
        let before = Block::filled(memory, size, 1).ok_or("a block was refused")?;
        before.forget();
        let layout = Layout::from_size_align(size, 1).map_err(|_| "no layout")?;
        let start = memory.allocate_zeroed(layout);
        if start.is_null() {
            return Err("a zeroed block was refused");
        }
        // SAFETY: a live block of this size, written.
        let zero = unsafe { from_raw_parts(start, size) }.iter().all(|&byte| byte == 0);
        // SAFETY: a live block with its layout.
        unsafe { memory.free(start, layout) };
        if !zero {
            return Err("zeroed memory is not zero");
        }
    }
    Ok(())
}

/// Grows and shrinks a block, with another beside it and without.
fn resized(memory: &dyn Memory) -> Outcome {
    for align in [1, 16, 64] {
        let mut beside = Vec::new();
        let (mut size, mut layout) =
            (16, Layout::from_size_align(16, align).map_err(|_| "no layout")?);
        let mut start = memory.allocate(layout);
        for (i, next) in [24, 16, 200, 4000, 300, 4100, 12_000, 8].into_iter().enumerate() {
            if start.is_null() {
                return Err("a block was not resized");
            }
            // SAFETY: a live block of this size.
            unsafe { from_raw_parts_mut(start, size) }.fill(0xa5);
            if i % 2 == 0 {
                beside.push(Block::filled(memory, 40, 8).ok_or("a block was refused")?);
            }
            // SAFETY: a live block with its layout.
            start = unsafe { memory.resize(start, layout, next) };
            if start.is_null() || start.addr() % align != 0 {
                return Err("a block was not resized, or its alignment was lost");
            }
            // SAFETY: a live block, of which so much was written before.
            let kept = unsafe { from_raw_parts(start, size.min(next)) };
            if kept.iter().any(|&byte| byte != 0xa5) {
                return Err("a resized block did not keep its contents");
            }
            (size, layout) = (next, Layout::from_size_align(next, align).map_err(|_| "no layout")?);
        }
        // SAFETY: a live block with its layout.
        unsafe { memory.free(start, layout) };
        beside.into_iter().try_for_each(Block::free)?;
    }
    Ok(())
}

/// What cannot be had is refused, and nothing comes of it.
fn too_large(memory: &dyn Memory, first: u32) -> Outcome {
    let most = isize::MAX as usize;
    for (size, align) in [(most - 4096, 1), (most / 2, 64), (most - (1 << 20), 4096)] {
        if Block::new(memory, size, align).is_some() {
            return Err("more memory was given than there is");
        }
    }
    // Where an allocator's arithmetic on sizes has its own ends.
    for size in
        (first..usize::BITS).flat_map(|bits| [most >> (usize::BITS - bits), 1 << (bits - 1)])
    {
        if Block::new(memory, size.min(most), 1).is_some() {
            return Err("more memory was given than there is");
        }
    }
    Block::filled(memory, 100, 8).ok_or("nothing is left after a refusal")?.free()
}

/// Every alignment to a page's.
fn aligned(memory: &dyn Memory) -> Outcome {
    for align in (0..=12).map(|bits| 1 << bits) {
        let blocks: [_; 4] = core::array::from_fn(|i| Block::filled(memory, 1 + 37 * i, align));
        for block in blocks {
            block.ok_or("an aligned block was refused")?.free()?;
        }
    }
    Ok(())
}

/// Large blocks, one at a time, of which every page is touched.
fn touched(memory: &dyn Memory, count: usize, size: usize) -> Outcome {
    for _ in 0..count {
        let block = Block::marked(memory, size, 1).ok_or("a large block was refused")?;
        for at in (1..size - 1).step_by(4096) {
            // SAFETY: inside the block.
            unsafe { block.byte(at).write_volatile(1) };
        }
        block.free_marked()?;
    }
    Ok(())
}

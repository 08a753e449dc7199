//! Rules about one thread: sizes, alignments, contents.
use core::ptr::null_mut;

use super::{Lend, fresh, program};
use crate::program::Op;

pub(super) fn null(lend: &Lend<'_>) -> Result<(), String> {
    fresh(lend, |subject| {
        let malloc = subject.malloc;
        // SAFETY: null is a valid argument.
        unsafe { malloc.free(null_mut()) };
        // SAFETY: null is a valid argument.
        unsafe { malloc.free_sized(null_mut(), 24) };
        // SAFETY: null is a valid argument.
        let usable = unsafe { malloc.usable_size(null_mut()) };
        if usable != 0 {
            return Err(format!("usable_size(null) is {usable}, not 0"));
        }
        // SAFETY: null is a valid argument.
        let block = unsafe { malloc.realloc(null_mut(), 24) };
        if block.is_null() {
            return Err("realloc(null, 24) is null".to_string());
        }
        // SAFETY: the block is live.
        unsafe { malloc.free(block) };
        Ok(())
    })
}

pub(super) fn zero(lend: &Lend<'_>) -> Result<(), String> {
    let mut ops = Vec::new();
    for slot in (0..60).step_by(6) {
        ops.extend([
            Op::Malloc { slot, size: 0 },
            Op::Calloc { slot: slot + 1, count: 0, size: 0 },
            Op::Calloc { slot: slot + 2, count: 0, size: 7 },
            Op::Calloc { slot: slot + 3, count: 7, size: 0 },
            Op::Aligned { slot: slot + 4, align: 64, size: 0 },
            Op::Malloc { slot: slot + 5, size: 100 },
            Op::Realloc { slot: slot + 5, size: 0 },
        ]);
    }
    ops.extend((0..60).map(|slot| Op::Realloc { slot, size: 40 }));
    program(lend, ops, 1)
}

pub(super) fn impossible(lend: &Lend<'_>) -> Result<(), String> {
    let most = isize::MAX as usize;
    let sizes = [most + 1, usize::MAX - 4096, usize::MAX - 16, usize::MAX - 15, usize::MAX];
    let mut ops = vec![Op::Malloc { slot: 0, size: 48 }, Op::Malloc { slot: 1, size: 300_000 }];
    for size in sizes {
        ops.extend([
            Op::Malloc { slot: 2, size },
            Op::Calloc { slot: 2, count: 1, size },
            Op::Calloc { slot: 2, count: size, size: 1 },
            Op::Realloc { slot: 2, size },
            Op::Realloc { slot: 0, size },
            Op::Realloc { slot: 1, size },
            Op::Verify,
        ]);
        ops.extend([1, 16, 4096, 1 << 21].map(|align| Op::Aligned { slot: 2, align, size }));
    }
    // Products that wrap round to something small, and to zero.
    for (count, size) in
        [(1 << 63, 2), (1 << 32, 1 << 32), ((1 << 32) + 1, 1 << 32), (usize::MAX, usize::MAX)]
    {
        ops.push(Op::Calloc { slot: 2, count, size });
        ops.push(Op::Calloc { slot: 2, count: size, size: count });
    }
    program(lend, ops, 1)?;
    fresh(lend, |subject| {
        for size in [1 << 60, most - 4096, most] {
            let block = subject.malloc.malloc(size);
            if !block.is_null() {
                return Err(format!("malloc({size:#x}) is {block:p}; no address space has it"));
            }
        }
        Ok(())
    })
}

pub(super) fn alignment(lend: &Lend<'_>) -> Result<(), String> {
    let mut ops = Vec::new();
    for (i, shift) in (0..=22).enumerate() {
        for (j, size) in [0, 1, 8, 24, 100, 1000, 5000, 33_000, 300_000].into_iter().enumerate() {
            let slot = u32::try_from((i * 9 + j) % 40).expect("forty slots");
            ops.push(Op::Aligned { slot, align: 1 << shift, size });
            if j % 3 == 2 {
                ops.push(Op::Realloc { slot, size: size / 2 + 1 });
            }
        }
    }
    program(lend, ops, 8)
}

/// The sizes to 40 KiB, `live` of them at a time.
fn sweep(live: u32, each: impl Fn(u32, usize, &mut Vec<Op>)) -> Vec<Op> {
    let mut ops = Vec::new();
    for (slot, size) in (0..live).cycle().zip(0..=40 << 10) {
        each(slot, size, &mut ops);
    }
    ops
}

pub(super) fn every_size(lend: &Lend<'_>) -> Result<(), String> {
    program(lend, sweep(24, |slot, size, ops| ops.push(Op::Malloc { slot, size })), 997)
}

pub(super) fn sized_free(lend: &Lend<'_>) -> Result<(), String> {
    let each = |slot, size: usize, ops: &mut Vec<Op>| {
        if size.is_multiple_of(7) || matches!(size % 64, 0 | 1 | 63) {
            ops.push(Op::FreeSized { slot });
            ops.push(Op::Malloc { slot, size });
        }
    };
    program(lend, sweep(24, each), 997)
}

pub(super) fn usable(lend: &Lend<'_>) -> Result<(), String> {
    // The shadow model fills and verifies the usable bytes, not only those asked for.
    let mut ops = Vec::new();
    for round in 0..3 {
        for shift in 0..24 {
            let size = (1usize << shift) + [0, 1, (1 << shift) / 2][round];
            ops.push(Op::Malloc { slot: shift, size });
            ops.push(Op::Malloc { slot: 24 + shift, size });
        }
        ops.push(Op::Verify);
    }
    program(lend, ops, 16)
}

pub(super) fn realloc(lend: &Lend<'_>) -> Result<(), String> {
    let mut sizes: Vec<usize> = (0..=600).collect();
    sizes.extend((600..70_000).step_by(397));
    sizes.extend((70_000..6 << 20).step_by(181_000));
    let mut ops: Vec<Op> = Vec::new();
    // One block grows alone, one with a neighbour in its way, then both shrink.
    for &size in sizes.iter().chain(sizes.iter().rev()) {
        ops.push(Op::Realloc { slot: 0, size });
        if size % 5 == 0 {
            ops.push(Op::Realloc { slot: 1, size });
            ops.push(Op::Malloc { slot: 2, size: 64 });
        }
    }
    // From any kind of block to any other.
    let kinds = [0, 24, 700, 5000, 32 << 10, (32 << 10) + 1, 200_000, 3 << 20, 40 << 20];
    for from in kinds {
        for to in kinds {
            ops.push(Op::Malloc { slot: 3, size: from });
            ops.push(Op::Realloc { slot: 3, size: to });
            ops.push(Op::Aligned { slot: 3, align: 256, size: from });
            ops.push(Op::Realloc { slot: 3, size: to });
            ops.push(Op::FreeSized { slot: 3 });
        }
    }
    program(lend, ops, 16)
}

pub(super) fn calloc(lend: &Lend<'_>) -> Result<(), String> {
    let mut ops = Vec::new();
    let sizes = (1..2000).step_by(37).chain([4096, 10_000, 33_000, 70_000, 1 << 20, 5 << 20]);
    for size in sizes {
        let slots = if size < 4096 { 40 } else { 4 };
        // Used memory: the shadow model fills what is allocated.
        ops.extend((0..slots).map(|slot| Op::Malloc { slot, size }));
        ops.extend((0..slots).map(|slot| Op::Free { slot }));
        ops.extend((0..slots).map(|slot| Op::Calloc { slot, count: 1, size }));
        ops.extend((0..slots).map(|slot| Op::Free { slot }));
        ops.push(Op::Purge);
        ops.extend((0..slots).map(|slot| Op::Calloc { slot, count: size, size: 1 }));
        ops.extend((0..slots).map(|slot| Op::Free { slot }));
    }
    program(lend, ops, 97)
}

pub(super) fn many(lend: &Lend<'_>) -> Result<(), String> {
    let blocks = 0..200_000u32;
    let fill = blocks.clone().map(|slot| Op::Malloc { slot, size: slot as usize % 57 });
    // Every second one goes, and comes back in another size; then the final drain verifies all.
    let half = blocks.clone().step_by(2).map(|slot| Op::Free { slot });
    let again =
        blocks.step_by(2).map(|slot| Op::Calloc { slot, count: 3, size: slot as usize % 31 });
    program(lend, fill.chain(half).chain(again).collect(), 50_000)
}

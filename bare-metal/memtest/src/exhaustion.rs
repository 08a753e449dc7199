//! All memory is taken until a request is refused, and given back: as many blocks can be had again.
//!
//! ```text
//! last ─► [ link │ … ] ─► [ link │ … ] ─► … ─► first        each block's first word leads to the one before
//! ```

use alloc::alloc::{alloc, dealloc};
use bodies::{Memory, Outcome, Scale};
use core::alloc::Layout;
use core::hint::black_box;
use core::ptr::NonNull;

type Link = Option<NonNull<u8>>;

/// Through the global allocator.
pub(crate) fn run(_memory: &dyn Memory, scale: Scale) -> Outcome {
    // Of the smallest there are some ten thousand, of the largest eight.
    let sizes =
        [scale.size(64 << 20), scale.size(5 << 20), scale.size(1 << 20), scale.size(30_000)];
    for size in sizes {
        let layout = Layout::from_size_align(size, size_of::<Link>()).map_err(|_| "no layout")?;
        let (count, last) = fill(layout);
        if count == 0 {
            return Err("a heap without blocks refuses one");
        }
        free_every_other(last, layout);
        let (again, last) = fill(layout);
        if again != count {
            return Err("after all blocks were freed, fewer can be had");
        }
        let freed = free_all(last, layout);
        if freed != again {
            return Err("a block did not keep its contents");
        }
    }
    Ok(())
}

/// Takes blocks until one is refused: how many, and the last.
fn fill(layout: Layout) -> (usize, Link) {
    let (mut count, mut last) = (0, None);
    // SAFETY: the size is not 0.
    while let Some(block) = NonNull::new(black_box(unsafe { alloc(layout) })) {
        // SAFETY: a live block's first word.
        unsafe { block.cast::<Link>().write(last) };
        (count, last) = (count + 1, Some(block));
    }
    (count, last)
}

fn take(chain: &mut Link) -> Link {
    let block = (*chain)?;
    // SAFETY: `fill` wrote it.
    *chain = unsafe { block.cast::<Link>().read() };
    Some(block)
}

/// Frees all blocks, the last first: how many.
fn free_all(mut chain: Link, layout: Layout) -> usize {
    let mut count = 0;
    while let Some(block) = take(&mut chain) {
        // SAFETY: a live block with its layout.
        unsafe { dealloc(block.as_ptr(), layout) };
        count += 1;
    }
    count
}

/// Frees every other block, so that none has a free neighbour, and then the rest.
fn free_every_other(mut chain: Link, layout: Layout) {
    let mut rest = None;
    while let Some(block) = take(&mut chain) {
        // SAFETY: a live block with its layout.
        unsafe { dealloc(block.as_ptr(), layout) };
        if let Some(kept) = take(&mut chain) {
            // SAFETY: a live block's first word.
            unsafe { kept.cast::<Link>().write(rest) };
            rest = Some(kept);
        }
    }
    free_all(rest, layout);
}

//! Rules about blocks that change their size.
use core::alloc::Layout;

use crate::block::any::AnyKind;
use crate::block::heap::Heap;
use crate::block::kind::Grows;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("it exists")
}

/// Allocates; a refusal is an error that shows the heap.
fn allocate(heap: &mut Heap<'_>, size: usize, align: usize) -> Result<usize, String> {
    let block = heap.allocate(layout(size, align), false)?;
    block.ok_or_else(|| format!("no {size} bytes at {align}: {}", heap.shape()))
}

/// Takes what is free, so that nothing can move.
fn stuff(heap: &mut Heap<'_>) -> Result<(), String> {
    for size in [4096, 512, 64, 8] {
        while heap.allocate(layout(size, 1), false)?.is_some() {}
    }
    Ok(())
}

pub(super) fn shrink(kind: AnyKind<'_>) -> Result<(), String> {
    let (large, small) = (kind.enough / 3, kind.enough / 12);
    for align in [8, 16, 64, 256] {
        for by_resize in [false, true] {
            let mut heap = Heap::with_memory(kind, 2 * kind.enough)?;
            let block = allocate(&mut heap, large, align)?;
            stuff(&mut heap)?;
            let mut at = block;
            for size in [large, large - 1, large / 2, small, small] {
                at = if by_resize {
                    match heap.resize(at, size)? {
                        Some(true) | None => at,
                        Some(false) => return Err(format!("{at:#x} did not shrink to {size}")),
                    }
                } else {
                    let moved = heap.reallocate(at, size)?;
                    let moved = moved.or((kind.grows == Grows::Never).then_some(at));
                    moved.ok_or_else(|| format!("{at:#x} was not reallocated to {size}"))?
                };
            }
            let given_up = kind.grows != Grows::Never && (!by_resize || kind.resize.is_some());
            if given_up {
                allocate(&mut heap, small, 1).map_err(|e| format!("after a shrink: {e}"))?;
            }
            heap.drain()?;
        }
    }
    Ok(())
}

/// Three blocks in a row in a full heap; the middle one grows into the room of a neighbour.
pub(super) fn grow(kind: AnyKind<'_>) -> Result<(), String> {
    let size = kind.enough / 8;
    for align in [8, 16, 64] {
        for behind in [false, true] {
            let mut heap = Heap::with_memory(kind, kind.enough)?;
            let mut row = Vec::new();
            for _ in 0..3 {
                row.push(allocate(&mut heap, size, align)?);
            }
            stuff(&mut heap)?;
            row.sort_unstable();
            let strict = in_a_row(&heap, &row);
            let gone = row[if behind { 2 } else { 0 }];
            heap.free(gone, true)?;
            let needed = if behind { Grows::Forward } else { Grows::BothWays };
            // Half of the neighbour, then all of it; a little is lost to its alignment.
            for more in [size / 2, size - 2 * align] {
                if behind && kind.resize.is_some() {
                    let grown = heap.resize(row[1], size + more)?;
                    if grown != Some(true) && kind.grows >= needed && strict {
                        return Err(format!("no growth in place by {more}: {}", heap.shape()));
                    }
                    continue;
                }
                match heap.reallocate(row[1], size + more)? {
                    Some(new) => row[1] = new,
                    None if kind.grows >= needed && strict => {
                        let shape = heap.shape();
                        let way = if behind { "forward" } else { "backward" };
                        return Err(format!("no growth {way} by {more} at {align}: {shape}"));
                    }
                    None => {}
                }
            }
            heap.drain()?;
        }
    }
    Ok(())
}

/// Whether the pieces that hold these blocks follow each other.
fn in_a_row(heap: &Heap<'_>, blocks: &[usize]) -> bool {
    let pieces = heap.pieces();
    let place = |at: usize| pieces.iter().position(|p| p.at <= at && at < p.at + p.len);
    let places: Vec<Option<usize>> = blocks.iter().map(|&at| place(at)).collect();
    places.windows(2).all(|two| two[0].is_some() && two[0].map(|i| i + 1) == two[1])
}

pub(super) fn moves(kind: AnyKind<'_>) -> Result<(), String> {
    let size = kind.enough / 40;
    let mut heap = Heap::with_memory(kind, kind.enough)?;
    for align in [1, 8, 16, 64, 128] {
        let block = allocate(&mut heap, size, align)?;
        allocate(&mut heap, 8, 1)?;
        let moved = heap.reallocate(block, 3 * size)?;
        let moved = moved.ok_or_else(|| format!("{} bytes did not move", 3 * size))?;
        heap.reallocate(moved, size / 2)?;
    }
    stuff(&mut heap)?;
    for block in heap.shadow().by_age() {
        heap.reallocate(block, kind.enough)?;
    }
    heap.drain()
}

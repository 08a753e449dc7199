//! Rules about sizes and alignments.
use core::alloc::Layout;

use super::ALIGNS;
use crate::block::any::AnyKind;
use crate::block::heap::Heap;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("it exists")
}

/// Keeps as many blocks of these layouts as there is room for, the oldest freed first.
fn stream(
    heap: &mut Heap<'_>,
    layouts: impl Iterator<Item = Layout>,
    live: usize,
) -> Result<(), String> {
    for layout in layouts {
        if heap.shadow().len() >= live {
            let oldest = heap.shadow().by_age()[0];
            heap.free(oldest, layout.size() % 2 == 0)?;
        }
        while heap.allocate(layout, false)?.is_none() {
            let Some(&oldest) = heap.shadow().by_age().first() else {
                let (size, align) = (layout.size(), layout.align());
                return Err(format!("no {size} bytes at {align} in an empty heap"));
            };
            heap.free(oldest, true)?;
        }
    }
    heap.drain()
}

pub(super) fn zero(kind: AnyKind<'_>) -> Result<(), String> {
    let mut heap = Heap::with_memory(kind, 4 * kind.enough)?;
    for round in 0..2 {
        for align in ALIGNS.into_iter().filter(|&align| align <= 256) {
            for _ in 0..4 {
                if heap.allocate(layout(0, align), round == 1)?.is_none() {
                    return Err(format!("no block of 0 bytes at {align}"));
                }
            }
        }
        let blocks = heap.shadow().by_age();
        for (i, block) in blocks.into_iter().enumerate() {
            match i % 3 {
                0 => heap.reallocate(block, 40).map(|_| ())?,
                1 => heap.reallocate(block, 0).map(|_| ())?,
                _ => heap.free(block, true)?,
            }
        }
        heap.drain()?;
    }
    Ok(())
}

pub(super) fn alignment(kind: AnyKind<'_>) -> Result<(), String> {
    let mut heap = Heap::with_memory(kind, 1 << 20)?;
    let sizes = [0, 1, 8, 24, 100, 1000, 5000];
    let aligns = (0..=16).map(|shift| 1 << shift);
    let all = aligns.flat_map(|align| sizes.map(|size| layout(size, align)));
    stream(&mut heap, all, 7)
}

pub(super) fn every_size(kind: AnyKind<'_>) -> Result<(), String> {
    for align in [8, 16, 64] {
        let mut heap = Heap::with_memory(kind, 2 * kind.enough)?;
        stream(&mut heap, (0..=3000).map(|size| layout(size, align)), 8)?;
    }
    Ok(())
}

pub(super) fn impossible(kind: AnyKind<'_>) -> Result<(), String> {
    let mut heap = Heap::with_memory(kind, kind.enough)?;
    heap.allocate(layout(40, 8), false)?;
    let most = isize::MAX as usize;
    for align in ALIGNS {
        let highest = most - (align - 1);
        // Around every power of two: the edges of bins, and of what a geometry can describe.
        let powers = (14..63).map(|shift| 1usize << shift);
        let edges = powers.flat_map(|power| [1, 8, 9, 16, 17, 0].map(|less| power - less));
        let sizes = edges.chain([kind.enough, kind.enough + 1, highest / 2, highest]);
        for size in sizes.filter(|size| (kind.enough..=highest).contains(size)) {
            for zeroed in [false, true] {
                if let Some(block) = heap.allocate(layout(size, align), zeroed)? {
                    return Err(format!("{size:#x} bytes at {align} are {block:#x}"));
                }
            }
        }
    }
    // An alignment that no address in the memory has.
    if heap.allocate(layout(16, 1 << 46), false)?.is_some() {
        return Err("an alignment of 64 TiB was kept".to_owned());
    }
    let block = heap.shadow().by_age()[0];
    if heap.reallocate(block, most - 7)?.is_some() {
        return Err("reallocate to all of the address space gave a block".to_owned());
    }
    if heap.resize(block, most - 7)? == Some(true) {
        return Err("a block grew to all of the address space".to_owned());
    }
    heap.drain()
}

pub(super) fn zeroed(kind: AnyKind<'_>) -> Result<(), String> {
    let mut heap = Heap::with_memory(kind, 2 * kind.enough)?;
    for size in [1, 7, 16, 100, 1000, kind.enough / 5] {
        for zeroed in [false, true, true] {
            let mut blocks = Vec::new();
            while blocks.len() < 30
                && let Some(block) = heap.allocate(layout(size, 16), zeroed)?
            {
                blocks.push(block);
            }
            blocks.into_iter().try_for_each(|block| heap.free(block, true))?;
        }
    }
    heap.drain()
}

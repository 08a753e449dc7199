//! Rules about full heaps, and heaps full of holes.
use core::alloc::Layout;

use crate::block::any::AnyKind;
use crate::block::heap::Heap;
use crate::rng::Rng;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("it exists")
}

/// Fills with blocks of one layout; how many there were.
fn fill(heap: &mut Heap<'_>, layout: Layout) -> Result<usize, String> {
    let mut blocks = 0;
    while heap.allocate(layout, blocks % 5 == 4)?.is_some() {
        blocks += 1;
    }
    Ok(blocks)
}

pub(super) fn exhaustion(kind: AnyKind<'_>) -> Result<(), String> {
    for align in [8, 16, 64, 512] {
        for size in [kind.enough / 200, kind.enough / 33, kind.enough / 9, kind.enough / 3] {
            let mut heap = Heap::with_memory(kind, kind.enough)?;
            let first = fill(&mut heap, layout(size, align))?;
            heap.drain()?;
            let second = fill(&mut heap, layout(size, align))?;
            if kind.recovers && first != second {
                let what = format!("{size} bytes at {align}");
                return Err(format!("{what}: {first} blocks fit at first, {second} afterwards"));
            }
            heap.drain()?;
        }
    }
    Ok(())
}

pub(super) fn holes(kind: AnyKind<'_>) -> Result<(), String> {
    for seed in 0..6 {
        let mut rng = Rng::new(seed);
        let mut heap = Heap::with_memory(kind, 2 * kind.enough)?;
        for _ in 0..6 {
            loop {
                let size = rng.between(0, kind.enough / 30);
                let align = rng.pick(&[1, 8, 16, 64, 128]);
                if heap.allocate(layout(size, align), false)?.is_none() {
                    break;
                }
            }
            let mut blocks = heap.shadow().by_age();
            let keep = rng.between(1, blocks.len());
            while blocks.len() > keep {
                let block = blocks.swap_remove(rng.below(blocks.len()));
                heap.free(block, rng.one_in(2))?;
            }
        }
        heap.drain()?;
    }
    Ok(())
}

pub(super) fn largest(kind: AnyKind<'_>) -> Result<(), String> {
    if kind.stats.is_none() || !kind.counts_largest {
        return Ok(());
    }
    for seed in 10..14 {
        let mut rng = Rng::new(seed);
        let mut heap = Heap::with_memory(kind, kind.enough)?;
        for _ in 0..300 {
            let stats = heap.stats().expect("it counts");
            if stats.largest_free > 0 {
                let size = stats.largest_free;
                match heap.allocate(layout(size, 1), false)? {
                    Some(block) => heap.free(block, true)?,
                    None => {
                        let shape = heap.shape();
                        return Err(format!("{size} are said to be free at once: {shape}"));
                    }
                }
            }
            let blocks = heap.shadow().by_age();
            if rng.one_in(2) && !blocks.is_empty() {
                heap.free(rng.pick(&blocks), true)?;
            } else {
                let size = rng.doubling(1, kind.enough / 8);
                heap.allocate(layout(size, 8), false)?;
            }
        }
    }
    Ok(())
}

pub(super) fn counts(kind: AnyKind<'_>) -> Result<(), String> {
    let mut heap = Heap::with_memory(kind, kind.enough)?;
    let Some(empty) = heap.stats() else { return Ok(()) };
    if empty.total == 0 || empty.total > kind.enough || empty.failures != 0 {
        return Err(format!("{} bytes were added: {empty:?}", kind.enough));
    }
    let mut refused = 0;
    let mut most = 0;
    for size in [64, 512, 4096] {
        while heap.allocate(layout(size, 8), false)?.is_some() {
            most = most.max(heap.stats().expect("it counts").used);
        }
        refused += 1;
        let stats = heap.stats().expect("it counts");
        if stats.failures != refused || stats.peak < most || stats.total != empty.total {
            return Err(format!("{refused} refused, {most} at the most: {stats:?}"));
        }
        let blocks = heap.shadow().by_age();
        blocks.into_iter().step_by(2).try_for_each(|block| heap.free(block, true))?;
    }
    heap.drain()?;
    let stats = heap.stats().expect("it counts");
    if kind.recovers && (stats.used != empty.used || stats.peak < most) {
        return Err(format!("everything is free: {stats:?}, at first {empty:?}"));
    }
    Ok(())
}

pub(super) fn reset(kind: AnyKind<'_>) -> Result<(), String> {
    let Some(reset) = kind.reset else { return Ok(()) };
    let mut heap = Heap::with_memory(kind, kind.enough)?;
    let empty = heap.shape();
    for size in [24, 700] {
        // Around the shadow, which would miss its blocks.
        while heap.allocator().blocks().allocate(layout(size, 16)).is_some() {}
        // SAFETY: none of them is used again.
        unsafe { reset(heap.allocator()) };
        heap.look()?;
        if heap.shape() != empty {
            return Err(format!("{empty} is {} after a reset", heap.shape()));
        }
    }
    Ok(())
}

//! Random work, every byte checked, everything joined again at the end.
use super::*;

/// A live block or run: its layout's size in bytes, or its pages.
struct Live {
    start: NonNull<u8>,
    layout: Layout,
    pages: usize,
    fill: u8,
}

impl Live {
    fn bytes(&mut self) -> &mut [u8] {
        let len = self.layout.size().max(self.pages * 64);
        // SAFETY: live, and only this value's.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), len) }
    }
}

fn run(seed: u64, offset: usize) {
    let memory = Memory::new(20_000, 64, offset);
    let half = 9_000;
    let mut buddy = Buddy::<64>::new();
    for (from, len) in [(0, half), (half, memory.len() - half)] {
        // SAFETY: parts of the memory, which outlives the allocator.
        unsafe { buddy.add_memory(memory.start().wrapping_add(from), len) }.unwrap();
    }
    let before = pieces(&buddy);
    let mut state = seed;
    let mut live: Vec<Live> = Vec::new();
    let mut refused = 0;
    for step in 0..4000u32 {
        let fill = step.to_le_bytes()[0];
        if random(&mut state, 8) < if step / 500 % 2 == 0 { 5 } else { 3 } || live.is_empty() {
            let align = 1 << random(&mut state, 9);
            let as_pages = random(&mut state, 2) == 0;
            let pages = if as_pages { 1 + random(&mut state, 12) } else { 0 };
            let size = if as_pages { 0 } else { random(&mut state, 600) };
            let layout = layout(size, align);
            let got =
                if as_pages { buddy.allocate_pages(pages, align) } else { buddy.allocate(layout) };
            let Some(start) = got else {
                refused += 1;
                continue;
            };
            assert_eq!(start.addr().get() % align, 0);
            let mut new = Live { start, layout, pages, fill };
            new.bytes().fill(fill);
            live.push(new);
        } else {
            let index = random(&mut state, live.len());
            let fill = live[index].fill;
            assert!(live[index].bytes().iter().all(|byte| *byte == fill));
            let Live { start, layout: old, pages, .. } = live.swap_remove(index);
            if pages > 0 {
                // SAFETY: live, and forgotten.
                unsafe { buddy.deallocate_pages(start, pages) };
            } else if random(&mut state, 2) == 0 {
                let size = random(&mut state, 900);
                // SAFETY: live.
                let new = unsafe { buddy.reallocate(start, old, size) };
                let now = if new.is_some() { layout(size, old.align()) } else { old };
                let start = new.unwrap_or(start);
                let mut block = Live { start, layout: now, pages, fill };
                let kept = size.min(old.size());
                assert!(block.bytes()[..kept].iter().all(|byte| *byte == fill));
                block.bytes().fill(fill);
                live.push(block);
            } else {
                // SAFETY: live, and forgotten.
                unsafe { buddy.deallocate(start, old) };
            }
        }
        if step % 8 == 0 {
            buddy.check().unwrap();
        }
    }
    assert!(refused > 0, "it was never full");
    for Live { start, layout, pages, .. } in live {
        if pages > 0 {
            // SAFETY: live, and forgotten.
            unsafe { buddy.deallocate_pages(start, pages) };
        } else {
            // SAFETY: live, and forgotten.
            unsafe { buddy.deallocate(start, layout) };
        }
    }
    buddy.check().unwrap();
    assert_eq!(pieces(&buddy), before);
    assert_eq!(buddy.stats().used, 0);
}

#[test]
fn random_work_leaves_the_memory_as_it_was() {
    for (seed, offset) in (1..12).zip((0..).step_by(24)) {
        run(seed, offset);
    }
}

#[test]
fn the_smallest_units_hold_their_links() {
    let memory = Memory::new(4000, 16, 8);
    let mut buddy = Buddy::<{ 2 * WORD }>::new();
    // SAFETY: the memory outlives the allocator.
    unsafe { buddy.add_memory(memory.start(), memory.len()) }.unwrap();
    let blocks: Vec<_> = core::iter::from_fn(|| buddy.allocate(layout(1, 1))).collect();
    assert!(blocks.len() * 2 * WORD > 4000 * 95 / 100, "{} blocks", blocks.len());
    for block in blocks.into_iter().rev() {
        give(&mut buddy, block, layout(1, 1));
    }
}

//! Random runs of pages, every byte checked, everything joined again at the end. Blocks are `testkit`'s.
use super::*;

struct Live {
    start: NonNull<u8>,
    pages: usize,
    fill: u8,
}

impl Live {
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: live, and only this value's.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.pages * 64) }
    }

    fn end(mut self, buddy: &mut Buddy<64>) {
        let fill = self.fill;
        assert!(self.bytes().iter().all(|byte| *byte == fill));
        // SAFETY: live, and forgotten.
        unsafe { buddy.deallocate_pages(self.start, self.pages) };
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
    let mut random = Random(seed);
    let mut live: Vec<Live> = Vec::new();
    let mut refused = 0;
    for step in 0..4000u32 {
        if random.below(8) < if step / 500 % 2 == 0 { 5 } else { 3 } || live.is_empty() {
            let (align, pages) = (1 << random.below(9), 1 + random.below(12));
            let Some(start) = buddy.allocate_pages(pages, align) else {
                refused += 1;
                continue;
            };
            assert_eq!(start.addr().get() % align, 0);
            let mut new = Live { start, pages, fill: step.to_le_bytes()[0] };
            let fill = new.fill;
            new.bytes().fill(fill);
            live.push(new);
        } else {
            live.swap_remove(random.below(live.len())).end(&mut buddy);
        }
        if step % 8 == 0 {
            buddy.check().unwrap();
        }
    }
    assert!(refused > 0, "it was never full");
    live.into_iter().for_each(|run| run.end(&mut buddy));
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

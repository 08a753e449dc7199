//! Each policy takes the block its definition says, found here by looking at every piece.
use super::*;

trait Definition: Policy {
    /// Which of the holes that fit it should be.
    fn pick(fitting: &[Piece], rover: usize) -> Option<Piece>;
}

impl Definition for First {
    fn pick(fitting: &[Piece], _: usize) -> Option<Piece> {
        fitting.first().copied()
    }
}

impl Definition for Next {
    fn pick(fitting: &[Piece], rover: usize) -> Option<Piece> {
        fitting.iter().find(|hole| hole.at + hole.len > rover).or(fitting.first()).copied()
    }
}

impl Definition for Best {
    fn pick(fitting: &[Piece], _: usize) -> Option<Piece> {
        fitting.iter().min_by_key(|hole| (hole.len, hole.at)).copied()
    }
}

impl Definition for Worst {
    fn pick(fitting: &[Piece], _: usize) -> Option<Piece> {
        fitting.iter().min_by_key(|hole| (core::cmp::Reverse(hole.len), hole.at)).copied()
    }
}

/// Where in `hole` a block of this layout would begin, payload and all.
fn place(hole: Piece, size: usize, align: usize) -> Option<usize> {
    let mut payload = (hole.at + WORD).next_multiple_of(align);
    while payload - WORD != hole.at && payload - WORD - hole.at < 4 * WORD {
        payload += align;
    }
    (payload - WORD + size <= hole.at + hole.len).then_some(payload)
}

#[derive(Clone, Copy)]
struct Live {
    block: NonNull<u8>,
    layout: Layout,
    fill: u8,
}

fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    (*state >> 33) as usize % below
}

fn verify(live: Live) {
    // SAFETY: the live block's bytes, which were all written.
    let bytes = unsafe { core::slice::from_raw_parts(live.block.as_ptr(), live.layout.size()) };
    assert!(bytes.iter().all(|byte| *byte == live.fill));
}

/// Allocates, resizes and frees at random in two pools; every choice is compared.
fn obeys<P: Definition>(seed: u64) {
    let mut memory = Memory::<2048>::new();
    let start = memory.start();
    let mut heap = Fit::<P>::new();
    for (from, to) in [(1030, 2048), (0, 1000)] {
        // SAFETY: parts of the memory, which outlives the heap.
        unsafe { heap.add_memory(start.wrapping_add(from * WORD), (to - from) * WORD) }.unwrap();
    }
    let mut state = seed;
    let mut live: Vec<Live> = Vec::new();
    let mut rover = 0;
    let mut refused = 0;
    for step in 0..3000u32 {
        let full = step / 500 % 2 == 0;
        if random(&mut state, 8) < if full { 5 } else { 3 } || live.is_empty() {
            let align = if random(&mut state, 4) == 0 { WORD << random(&mut state, 7) } else { 1 };
            let layout = layout(random(&mut state, 40 * WORD), align);
            let size = block_size(layout.size());
            let before = pieces(&heap);
            let fitting: Vec<Piece> = before
                .iter()
                .filter(|piece| !piece.used && place(**piece, size, align.max(UNIT)).is_some())
                .copied()
                .collect();
            let wanted =
                P::pick(&fitting, rover).and_then(|hole| place(hole, size, align.max(UNIT)));
            let got = heap.allocate(layout);
            assert_eq!(got.map(|block| block.addr().get()), wanted, "step {step}: {layout:?}");
            refused += usize::from(got.is_none());
            if let Some(block) = got {
                // SAFETY: live.
                rover = block.addr().get() + unsafe { heap.usable_size(block) };
                let fill = step.to_le_bytes()[0];
                // SAFETY: the block has the bytes of its layout.
                unsafe { block.write_bytes(fill, layout.size()) };
                live.push(Live { block, layout, fill });
            }
        } else {
            let at = random(&mut state, live.len());
            verify(live[at]);
            let Live { block, layout: old, fill } = live[at];
            if random(&mut state, 4) == 0 {
                let size = random(&mut state, 60 * WORD);
                // SAFETY: live.
                if unsafe { heap.resize_in_place(block, size) } {
                    // SAFETY: the block has `size` bytes now.
                    unsafe { block.write_bytes(fill, size) };
                    live[at].layout = layout(size, old.align());
                }
            } else {
                // SAFETY: live, and forgotten.
                unsafe { heap.deallocate(block, old) };
                live.swap_remove(at);
            }
        }
        heap.check().unwrap();
    }
    assert!(refused > 0, "the heap was never full");
    for Live { block, layout, .. } in live {
        // SAFETY: live, and forgotten.
        unsafe { heap.deallocate(block, layout) };
    }
    heap.check().unwrap();
    assert_eq!(pieces(&heap).len(), 2);
    assert_eq!(heap.stats().used, 0);
}

macro_rules! obey {
    ($($name:ident: $policy:ty;)*) => {$(
        #[test]
        fn $name() {
            (1..8).for_each(obeys::<$policy>);
        }
    )*};
}

obey! {
    first_fit_takes_the_lowest: First;
    next_fit_goes_on_from_the_last: Next;
    best_fit_takes_the_smallest: Best;
    worst_fit_takes_the_largest: Worst;
}

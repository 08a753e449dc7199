//! Each policy takes the block its definition says, found here by looking at every piece.
use super::*;

/// The holes that are large enough but for their gap, in the order in which they are looked at: once, or in two rows.
type Rows = Vec<Vec<Piece>>;

trait Definition: Policy {
    fn rows(large: &[Piece], rover: usize) -> Rows;
}

impl Definition for First {
    fn rows(large: &[Piece], _: usize) -> Rows {
        vec![large.to_vec()]
    }
}

impl Definition for Next {
    fn rows(large: &[Piece], rover: usize) -> Rows {
        let ahead = large.iter().filter(|hole| hole.at + hole.len > rover).copied();
        vec![ahead.collect(), large.to_vec()]
    }
}

impl Definition for Best {
    fn rows(large: &[Piece], _: usize) -> Rows {
        let mut all = large.to_vec();
        all.sort_by_key(|hole| (hole.len, hole.at));
        vec![all]
    }
}

impl Definition for Worst {
    fn rows(large: &[Piece], _: usize) -> Rows {
        let mut all = large.to_vec();
        all.sort_by_key(|hole| (core::cmp::Reverse(hole.len), hole.at));
        vec![all]
    }
}

/// Where a block of this layout is to be: in the first hole of each row that fits, of its first few or of those that always do; else in the
/// first of all that does.
fn wanted(rows: &Rows, size: usize, align: usize) -> Option<usize> {
    let fits = |hole: &Piece| place(*hole, size, align);
    let soon = rows.iter().find_map(|row| {
        let (few, rest) = row.split_at(row.len().min(policy::LOOKS));
        let always = |hole: &&Piece| hole.len >= policy::always_fits(size, align);
        few.iter().find_map(fits).or_else(|| fits(rest.iter().find(always)?))
    });
    soon.or_else(|| rows.last()?.iter().find_map(fits))
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
    let mut memory = Memory::new(2048 * WORD);
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
            let is_large = |piece: &&Piece| !piece.used && piece.len >= size;
            let large: Vec<Piece> = before.iter().filter(is_large).copied().collect();
            let wanted = wanted(&P::rows(&large, rover), size, align.max(UNIT));
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

//! How deep the tree of holes becomes.
use super::*;

fn depth<P: Policy>(heap: &Fit<P>) -> usize {
    let mut deepest = 0;
    let mut waiting: Vec<(Block, usize)> =
        heap.holes.root().get().map(|b| (b, 1)).into_iter().collect();
    while let Some((block, depth)) = waiting.pop() {
        deepest = deepest.max(depth);
        for link in [block.left(), block.right()] {
            waiting.extend(link.get().map(|below| (below, depth + 1)));
        }
    }
    deepest
}

/// 500 holes of `words` words, walls of `wall` words between them.
fn holes<P: Policy>(words: usize, wall: usize) -> usize {
    let mut memory = Memory::new(65_536 * WORD);
    let mut heap: Fit<P> = over(&mut memory);
    let mut blocks = Vec::new();
    for _ in 0..500 {
        blocks.push(heap.allocate(layout((words - 1) * WORD, 1)).unwrap());
        heap.allocate(layout((wall - 1) * WORD, 1)).unwrap();
    }
    // SAFETY: live.
    blocks.into_iter().for_each(|block| unsafe { heap.free(block) });
    heap.check().unwrap();
    depth(&heap)
}

#[test]
fn holes_of_one_size_at_any_distance_make_no_chain() {
    for words in [4, 6, 16, 32, 62] {
        for wall in [4, 6, 8, 10, 16, 34, 64] {
            // log2 of 500 is 9; three times that is as deep as chance makes it.
            let (first, best) = (holes::<First>(words, wall), holes::<Best>(words, wall));
            assert!(first <= 30 && best <= 30, "{words} {wall}: {first} {best}");
        }
    }
}

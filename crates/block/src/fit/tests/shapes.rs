//! The whole heap after each step, in words; free pieces negative.
use super::*;

/// 4 words of the pool's 64 are its record and its sentinel.
const WORDS: usize = 64 * WORD;

#[test]
fn a_rest_too_small_for_a_block_stays_with_the_block() {
    let mut memory = Memory::new(WORDS);
    let mut heap: FirstFit = over(&mut memory);
    let block = take(&mut heap, 58);
    assert_eq!(shape(&heap), [60]);
    // SAFETY: live.
    assert_eq!(unsafe { heap.usable_size(block) }, 59 * WORD);
    assert_eq!(heap.stats().largest_free, 0);
    assert_eq!(heap.allocate(layout(0, 1)), None);
    assert_eq!(heap.stats().failures, 1);
    give(&mut heap, block);
    assert_eq!(shape(&heap), [-60]);
}

#[test]
fn a_gap_too_small_for_a_block_is_widened() {
    let mut memory = Memory::new(WORDS);
    let mut heap: FirstFit = over(&mut memory);
    let first = take(&mut heap, 6);
    // The next payload lies 10 words into the pool: 2 short of a multiple of 4, which is no
    // block; the one after leaves 6.
    let block = heap.allocate(layout(3 * WORD, 4 * WORD)).unwrap();
    heap.check().unwrap();
    assert_eq!(shape(&heap), [6, -6, 4, -44]);
    give(&mut heap, first);
    give(&mut heap, block);
    assert_eq!(shape(&heap), [-60]);
}

#[test]
fn an_aligned_block_at_a_holes_end_takes_its_rest() {
    let mut memory = Memory::new(WORDS);
    let mut heap: FirstFit = over(&mut memory);
    let rest = take(&mut heap, 6);
    let tail = heap.allocate(layout((64 - 33 - 2) * WORD, 32 * WORD)).unwrap();
    heap.check().unwrap();
    assert_eq!(shape(&heap), [6, -22, 32]);
    give(&mut heap, rest);
    give(&mut heap, tail);
    assert_eq!(shape(&heap), [-60]);
}

#[test]
fn shrink_cuts_a_hole_or_widens_the_next() {
    let mut memory = Memory::new(WORDS);
    let mut heap: FirstFit = over(&mut memory);
    let first = take(&mut heap, 20);
    let second = take(&mut heap, 10);
    let mut resize = |block, words: usize| {
        // SAFETY: live.
        assert!(unsafe { heap.resize_in_place(block, (words - 1) * WORD) });
        heap.check().unwrap();
        shape(&heap)
    };
    assert_eq!(resize(first, 18), [20, 10, -30], "two words are no block");
    assert_eq!(resize(first, 14), [14, -6, 10, -30], "the next is used");
    assert_eq!(resize(first, 10), [10, -10, 10, -30], "the next is free");
    assert_eq!(resize(second, 8), [10, -10, 8, -32]);
    assert_eq!(heap.stats().used, 18 * WORD);
}

#[test]
fn grow_takes_from_the_next_or_all_of_it() {
    let mut memory = Memory::new(WORDS);
    let mut heap: FirstFit = over(&mut memory);
    let [first, second, third] = [10, 10, 10].map(|words| take(&mut heap, words));
    give(&mut heap, second);
    let mut resize = |block, words: usize| {
        // SAFETY: live.
        let done = unsafe { heap.resize_in_place(block, (words - 1) * WORD) };
        heap.check().unwrap();
        (done, shape(&heap))
    };
    assert_eq!(resize(first, 14), (true, [14, -6, 10, -30].into()), "a part");
    assert_eq!(resize(first, 22), (false, [14, -6, 10, -30].into()), "too much");
    assert_eq!(resize(first, 18), (true, [20, 10, -30].into()), "all, with the rest");
    assert_eq!(resize(first, 22), (false, [20, 10, -30].into()), "the next is used");
    assert_eq!(resize(third, 40), (true, [20, 40].into()), "up to the end");
    assert_eq!(resize(third, 42), (false, [20, 40].into()), "the end");
}

#[test]
fn pools_are_walked_in_address_order_and_not_joined() {
    let mut memory = Memory::new(192 * WORD);
    let start = memory.start();
    let part = 64 * WORD;
    let mut heap = FirstFit::new();
    for at in [1, 0, 2] {
        // SAFETY: thirds of the memory, which outlives the heap.
        unsafe { heap.add_memory(start.wrapping_add(at * part), part) }.unwrap();
        heap.check().unwrap();
    }
    assert_eq!(shape(&heap), [-60, -60, -60], "they touch and are not joined");
    heap.remove_memory(start.wrapping_add(part)).unwrap();
    heap.check().unwrap();
    assert_eq!(shape(&heap), [-60, -60]);
    assert!(heap.owns(start) && !heap.owns(start.wrapping_add(part)));
}

#[test]
fn reset_makes_every_pool_one_hole() {
    let mut memory = Memory::new(128 * WORD);
    let start = memory.start();
    let part = 64 * WORD;
    let mut heap = BestFit::new();
    for at in [0, 1] {
        // SAFETY: halves of the memory, which outlives the heap.
        unsafe { heap.add_memory(start.wrapping_add(at * part), part) }.unwrap();
    }
    for words in [10, 50, 40, 4] {
        take(&mut heap, words);
    }
    // SAFETY: the blocks are not used again.
    unsafe { heap.reset() };
    heap.check().unwrap();
    assert_eq!(shape(&heap), [-60, -60]);
    assert_eq!(heap.stats().used, 0);
    assert_eq!(heap.stats().peak, 104 * WORD);
}

//! Memory that is not taken or not given up, and requests that cannot be served.
use super::*;

/// What adding `len` bytes at `start` to an empty heap gives.
fn add(heap: &mut FirstFit, start: *mut u8, len: usize) -> Result<(), AddError> {
    // SAFETY: either refused, or memory of the test.
    let result = unsafe { heap.add_memory(start, len) };
    heap.check().unwrap();
    result
}

#[test]
fn memory_that_cannot_be_used_is_refused_in_words() {
    let mut memory = Memory::<64>::new();
    let start = memory.start();
    let mut heap = FirstFit::new();
    assert_eq!(add(&mut heap, core::ptr::null_mut(), 4096), Err(AddError::Null));
    assert_eq!(add(&mut heap, start, usize::MAX), Err(AddError::Wraps));
    let low = core::ptr::without_provenance_mut(16);
    assert_eq!(add(&mut heap, low, isize::MAX as usize + 1), Err(AddError::TooLarge));
    assert_eq!(pieces(&heap), []);
}

#[test]
fn the_smallest_pool_holds_one_smallest_block() {
    let mut memory = Memory::<64>::new();
    let start = memory.start();
    for len in 0..8 * WORD {
        assert_eq!(add(&mut FirstFit::new(), start, len), Err(AddError::TooSmall), "{len}");
    }
    let mut heap = FirstFit::new();
    add(&mut heap, start, 8 * WORD).unwrap();
    assert_eq!(shape(&heap), [-4]);
    assert!(heap.allocate(layout(3 * WORD, 1)).is_some());
    assert_eq!(shape(&heap), [4]);
}

#[test]
fn crooked_ends_are_aligned_inward() {
    for (front, back) in [(1, 1), (WORD, 0), (0, WORD), (UNIT - 1, UNIT - 1), (UNIT, 3)] {
        let mut memory = Memory::<64>::new();
        let start = memory.start().wrapping_add(front);
        let len = memory.len() - front - back;
        let mut heap = FirstFit::new();
        add(&mut heap, start, len).unwrap();
        let only = pieces(&heap)[0];
        assert!(only.at - 3 * WORD >= start.addr());
        assert!(only.at + only.len + WORD <= start.addr() + len);
        let block = heap.allocate(layout(only.len - WORD, 1)).unwrap();
        assert_eq!(block.addr().get() % UNIT, 0);
        give(&mut heap, block);
        let given = heap.remove_memory(start).unwrap();
        assert_eq!((given.cast().as_ptr(), given.len()), (start, len));
    }
}

#[test]
fn overlapping_memory_is_refused() {
    let mut memory = Memory::<64>::new();
    let start = memory.start();
    let mut heap = FirstFit::new();
    let at = |words: usize| start.wrapping_add(words * WORD);
    add(&mut heap, at(16), 16 * WORD).unwrap();
    for (from, to) in [(16, 32), (8, 24), (24, 40), (18, 30), (0, 64), (8, 17), (31, 64)] {
        let result = add(&mut heap, at(from), (to - from) * WORD);
        assert_eq!(result, Err(AddError::Overlaps), "{from}..{to}");
    }
    add(&mut heap, at(0), 16 * WORD).unwrap();
    add(&mut heap, at(32), 16 * WORD).unwrap();
    assert_eq!(shape(&heap), [-12, -12, -12]);
}

#[test]
fn only_what_was_added_is_removed() {
    let mut memory = Memory::<64>::new();
    let start = memory.start();
    let mut heap: FirstFit = heap_in(&mut memory);
    assert_eq!(heap.remove_memory(start.wrapping_add(WORD)), Err(RemoveError::Unknown));
    assert_eq!(heap.remove_memory(core::ptr::null_mut()), Err(RemoveError::Unknown));
    heap.remove_memory(start).unwrap();
    assert_eq!(heap.remove_memory(start), Err(RemoveError::Unknown));
}

#[test]
fn requests_beyond_every_size_are_refused() {
    let mut memory = Memory::<64>::new();
    let mut heap: BestFit = heap_in(&mut memory);
    let largest = isize::MAX as usize;
    assert_eq!(heap.allocate(layout(largest, 1)), None);
    assert_eq!(heap.allocate(layout(largest / 2, largest / 2 + 1)), None);
    assert_eq!(heap.allocate(layout(0, largest + 1)), None);
    assert_eq!(heap.stats().failures, 3);
    let block = take(&mut heap, 4);
    for size in [largest, largest + 1, usize::MAX] {
        // SAFETY: live.
        assert!(!unsafe { heap.resize_in_place(block, size) });
    }
    heap.check().unwrap();
    assert_eq!(shape(&heap), [4, -56]);
}

#[test]
fn an_empty_heap_refuses() {
    let mut heap = WorstFit::new();
    assert_eq!(heap.allocate(layout(1, 1)), None);
    assert_eq!(heap.allocate(layout(1, 4096)), None);
    assert!(!heap.owns(core::ptr::dangling()));
    heap.check().unwrap();
}

#[test]
fn check_names_what_a_stray_write_broke() {
    let mut memory = Memory::<64>::new();
    let start = memory.start();
    let mut heap: NextFit = heap_in(&mut memory);
    let first = take(&mut heap, 8);
    take(&mut heap, 8);
    give(&mut heap, first);
    let broken_at = |word: usize, value: usize| {
        let at = start.wrapping_add(word * WORD).cast::<usize>();
        // SAFETY: a word of the memory, put back below.
        let old = unsafe { at.replace(value) };
        let broken = heap.check().unwrap_err();
        // SAFETY: as above.
        unsafe { at.write(old) };
        heap.check().unwrap();
        &broken.invariant[..2]
    };
    // │ record 0–2 │ free 3–10 │ used 11–18 │ free 19–62 │ sentinel 63 │
    assert_eq!(broken_at(3, 2 * WORD), "H1");
    assert_eq!(broken_at(3, 8 * WORD + 4), "H2");
    assert_eq!(broken_at(3, 80 * WORD), "H4");
    assert_eq!(broken_at(10, 0), "H3");
    assert_eq!(broken_at(11, (8 * WORD) | 1), "H3");
    assert_eq!(broken_at(11, (8 * WORD) | 2), "H2");
    assert_eq!(broken_at(63, 2), "H4");
    assert_eq!(broken_at(63, 1), "H3");
    assert_eq!(broken_at(20, 0), "F1");
}

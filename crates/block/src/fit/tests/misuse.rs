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
fn more_than_half_of_all_memory_is_refused() {
    let low = core::ptr::without_provenance_mut(16);
    let all = isize::MAX as usize + 1;
    assert_eq!(add(&mut FirstFit::new(), low, all), Err(AddError::TooLarge));
}

#[test]
fn the_smallest_pool_holds_one_smallest_block() {
    let mut memory = Memory::new(64 * WORD);
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
fn check_names_what_a_stray_write_broke() {
    let mut memory = Memory::new(64 * WORD);
    let start = memory.start();
    let mut heap: NextFit = over(&mut memory);
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
        broken.invariant.split(':').next().unwrap()
    };
    // │ record 0–2 │ free 3–10 │ used 11–18 │ free 19–62 │ sentinel 63 │
    assert_eq!(broken_at(3, 2 * WORD), "block-H1");
    assert_eq!(broken_at(3, 8 * WORD + 4), "block-H2");
    assert_eq!(broken_at(3, 80 * WORD), "block-H4");
    assert_eq!(broken_at(10, 0), "block-H3");
    assert_eq!(broken_at(11, (8 * WORD) | 1), "block-H3");
    assert_eq!(broken_at(11, (8 * WORD) | 2), "block-H2");
    assert_eq!(broken_at(63, 2), "block-H4");
    assert_eq!(broken_at(63, 1), "block-H3");
    assert_eq!(broken_at(20, 0), "fit-F1");
}

//! Memory that is not taken or not given up, and requests that cannot be served.
use super::*;

fn add(pages: &mut BitmapPages<PAGE>, start: *mut u8, len: usize) -> Result<(), AddError> {
    // SAFETY: either refused, or memory of the test.
    let result = unsafe { pages.add_memory(start, len) };
    pages.check().unwrap();
    result
}

#[test]
fn memory_that_cannot_be_used_is_refused_in_words() {
    let memory = Memory::new(4 * PAGE, 64 * PAGE, 0);
    let mut pages = BitmapPages::new();
    assert_eq!(add(&mut pages, core::ptr::null_mut(), 1 << 20), Err(AddError::Null));
    assert_eq!(add(&mut pages, memory.start(), usize::MAX), Err(AddError::Wraps));
    let low = core::ptr::without_provenance_mut(PAGE);
    assert_eq!(add(&mut pages, low, isize::MAX as usize + 1), Err(AddError::TooLarge));
    for len in [0, 1, PAGE, 2 * PAGE - 1] {
        assert_eq!(add(&mut pages, memory.start(), len), Err(AddError::TooSmall), "{len}");
    }
    let top = core::ptr::without_provenance_mut(usize::MAX - 40);
    assert_eq!(add(&mut pages, top, 40), Err(AddError::TooSmall));
    add(&mut pages, memory.start(), 2 * PAGE).unwrap();
    assert_eq!(shape(&pages), [-1]);
    assert_eq!(add(&mut pages, memory.page(1), 3 * PAGE), Err(AddError::Overlaps));
    assert_eq!(pages.remove_memory(memory.page(1)), Err(RemoveError::Unknown));
    add(&mut pages, memory.page(2), 2 * PAGE).unwrap();
}

#[test]
#[cfg(target_pointer_width = "64")]
fn more_pages_than_can_be_counted_are_refused() {
    let low = core::ptr::without_provenance_mut(PAGE);
    assert_eq!(add(&mut BitmapPages::new(), low, PAGE << 31), Err(AddError::TooLarge));
}

#[test]
fn crooked_ends_are_aligned_inward() {
    for off in [0, 1, 7, 8, PAGE - 300, PAGE - 1] {
        for len in [3 * PAGE, 5 * PAGE - 1, 70 * PAGE + 1] {
            let memory = Memory::new(len, 64 * PAGE, off);
            let mut pages: BitmapPages<PAGE> = over(&memory);
            let count = pages.stats().total / PAGE;
            assert!(count >= len / PAGE - 2, "{off} {len}: {count}");
            let all = pages.allocate_pages(count, 1).unwrap();
            assert!(all.as_ptr() > memory.start());
            let end = all.as_ptr().addr() + count * PAGE;
            assert!(end <= memory.start().addr() + len);
            // SAFETY: the pages are ours.
            unsafe { all.write_bytes(0xff, count * PAGE) };
            pages.check().unwrap();
            give(&mut pages, all.as_ptr(), count);
            let given = pages.remove_memory(memory.start()).unwrap();
            assert_eq!((given.cast().as_ptr(), given.len()), (memory.start(), len));
        }
    }
}

#[test]
fn requests_beyond_every_size_are_refused() {
    let memory = Memory::new(9 * PAGE, 64 * PAGE, 0);
    let mut pages: BitmapPages<PAGE> = over(&memory);
    for count in [9, 1 << 20, u32::MAX as usize, isize::MAX as usize, usize::MAX] {
        assert_eq!(pages.allocate_pages(count, 1), None);
    }
    assert_eq!(pages.allocate_pages(1, isize::MAX as usize + 1), None);
    assert_eq!(shape(&pages), [-8]);
}

#[test]
fn check_names_what_a_stray_write_broke() {
    let memory = Memory::new(9 * PAGE, 64 * PAGE, 0);
    let pages: BitmapPages<PAGE> = over(&memory);
    let broken_at = |word: usize, flip: usize| {
        let word = memory.start().cast::<usize>().wrapping_add(word);
        broken_by(&pages, word, |old| old ^ flip)
    };
    // │ record 0–4 │ word 5 │ sums 6– │
    assert_eq!(broken_at(5, 1), "bitmap-M2", "a page's bit");
    assert_eq!(broken_at(5, 1 << 20), "bitmap-M1", "beyond the last page");
    assert_eq!(broken_at(8, 1), "bitmap-M2", "a sum");
}

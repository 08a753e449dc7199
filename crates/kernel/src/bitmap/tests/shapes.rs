//! All pages after each step; free runs negative, runs in use that touch are one piece.
use super::*;

#[test]
fn the_lowest_run_that_fits() {
    let memory = Memory::new(17 * PAGE, 64 * PAGE, 0);
    let mut pages: BitmapPages<PAGE> = over(&memory);
    assert_eq!(shape(&pages), [-16], "one page for the state");
    let mut take = |count, align| {
        let run = pages.allocate_pages(count, align).map(NonNull::as_ptr);
        pages.check().unwrap();
        (run, shape(&pages))
    };
    assert_eq!(take(3, 1), (Some(memory.page(1)), [3, -13].into()));
    assert_eq!(take(5, 1), (Some(memory.page(4)), [8, -8].into()));
    assert_eq!(take(2, 4 * PAGE), (Some(memory.page(12)), [8, -3, 2, -3].into()));
    assert_eq!(take(3, 1), (Some(memory.page(9)), [13, -3].into()));
    assert_eq!(take(4, 1), (None, [13, -3].into()));
    assert_eq!(take(1, 16 * PAGE), (Some(memory.page(16)), [13, -2, 1].into()), "the last page");
    assert_eq!(take(1, 16 * PAGE), (None, [13, -2, 1].into()));
    assert_eq!(take(0, 1), (None, [13, -2, 1].into()));
    assert_eq!(pages.stats().failures, 2, "no pages are no request");
    assert_eq!(pages.stats().largest_free, 2 * PAGE);
}

#[test]
fn runs_join_whatever_their_size_and_are_given_back_in_parts() {
    let memory = Memory::new(17 * PAGE, 64 * PAGE, 0);
    let mut pages: BitmapPages<PAGE> = over(&memory);
    pages.allocate_pages(16, 1).unwrap();
    give(&mut pages, memory.page(3), 2);
    assert_eq!(shape(&pages), [2, -2, 12], "a part of a run");
    give(&mut pages, memory.page(8), 1);
    assert_eq!(shape(&pages), [2, -2, 3, -1, 8]);
    give(&mut pages, memory.page(5), 3);
    assert_eq!(shape(&pages), [2, -6, 8], "both neighbours");
    give(&mut pages, memory.page(1), 2);
    assert_eq!(shape(&pages), [-8, 8], "the next");
    give(&mut pages, memory.page(9), 8);
    assert_eq!(shape(&pages), [-16], "the one before");
    assert_eq!(pages.stats().used, 0);
    assert_eq!(pages.stats().peak, 16 * PAGE);
}

#[test]
fn certain_pages_can_be_had_if_they_are_free() {
    let memory = Memory::new(17 * PAGE, 64 * PAGE, 0);
    let mut pages: BitmapPages<PAGE> = over(&memory);
    let mut at = |page, count| {
        let had = pages.allocate_pages_at(memory.page(page), count);
        pages.check().unwrap();
        (had, shape(&pages))
    };
    assert_eq!(at(5, 3), (true, [-4, 3, -9].into()));
    assert_eq!(at(7, 1), (false, [-4, 3, -9].into()), "in use");
    assert_eq!(at(3, 3), (false, [-4, 3, -9].into()), "the last one in use");
    assert_eq!(at(8, 9), (true, [-4, 12].into()), "up to the end");
    assert_eq!(at(4, 1), (true, [-3, 13].into()));
    assert_eq!(at(1, 0), (false, [-3, 13].into()), "none");
    assert_eq!(at(0, 1), (false, [-3, 13].into()), "the state's page");
    assert_eq!(at(17, 1), (false, [-3, 13].into()), "beyond the end");
    assert_eq!(at(1, usize::MAX), (false, [-3, 13].into()), "more than there is");
    assert!(!pages.allocate_pages_at(memory.page(1).wrapping_add(1), 1), "no page's beginning");
    assert!(!pages.allocate_pages_at(core::ptr::null_mut(), 1));
}

#[test]
fn runs_longer_than_a_word() {
    let memory = Memory::new(1001 * PAGE, 64 * PAGE, 0);
    let mut pages: BitmapPages<PAGE> = over(&memory);
    assert_eq!(shape(&pages), [-1000]);
    let low = pages.allocate_pages(200, 1).unwrap().as_ptr();
    let high = pages.allocate_pages(300, 64 * PAGE).unwrap().as_ptr();
    assert_eq!((low, high), (memory.page(1), memory.page(256)));
    assert_eq!(shape(&pages), [200, -55, 300, -445]);
    let last = pages.allocate_pages(445, 1).unwrap().as_ptr();
    assert_eq!(last, memory.page(556));
    give(&mut pages, high, 300);
    assert_eq!(shape(&pages), [200, -355, 445]);
    assert_eq!(pages.allocate_pages(355, 1).unwrap().as_ptr(), memory.page(201));
    assert_eq!(shape(&pages), [1000]);
    pages.check().unwrap();
}

#[test]
fn pools_serve_in_address_order_and_are_removed_as_they_were_added() {
    let memory = Memory::new(48 * PAGE, 64 * PAGE, 0);
    let mut pages = BitmapPages::<PAGE>::new();
    for index in [2, 0, 1] {
        // SAFETY: thirds of the memory, which outlives the allocator.
        unsafe { pages.add_memory(memory.page(index * 16), 16 * PAGE) }.unwrap();
        pages.check().unwrap();
    }
    assert_eq!(shape(&pages), [-15, -15, -15]);
    assert_eq!(pages.allocate_pages(10, 1).unwrap().as_ptr(), memory.page(1));
    assert_eq!(pages.allocate_pages(10, 1).unwrap().as_ptr(), memory.page(17));
    assert_eq!(pages.allocate_pages(16, 1), None, "no run goes through a pool's state");
    assert_eq!(pages.remove_memory(memory.page(0)), Err(RemoveError::InUse));
    let given = pages.remove_memory(memory.page(32)).unwrap();
    assert_eq!((given.cast().as_ptr(), given.len()), (memory.page(32), 16 * PAGE));
    assert!(pages.owns(memory.page(0)) && !pages.owns(memory.page(32)));
    give(&mut pages, memory.page(1), 10);
    pages.remove_memory(memory.page(0)).unwrap();
    pages.check().unwrap();
    assert_eq!(shape(&pages), [10, -5]);
    // SAFETY: the pages are not used again.
    unsafe { pages.reset() };
    pages.check().unwrap();
    assert_eq!(shape(&pages), [-15]);
    pages.remove_memory(memory.page(16)).unwrap();
    assert_eq!(pages.stats().total, 0);
    assert_eq!(pages.allocate_pages(1, 1), None);
}

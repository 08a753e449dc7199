//! All units after each step; free blocks negative, blocks in use that touch are one piece.
use super::*;

const PAGE: usize = 4096;

/// 16 pages from a multiple of 16 pages on, behind one page with the record and the state.
fn sixteen() -> (Memory, Buddy<PAGE>) {
    let memory = Memory::new(17 * PAGE, 16 * PAGE, 15 * PAGE);
    let buddy = over(&memory);
    (memory, buddy)
}

#[test]
fn memory_is_cut_into_the_largest_blocks_its_addresses_allow() {
    let (_memory, buddy) = sixteen();
    assert_eq!(shape(&buddy), [-16]);
    let memory = Memory::new(20 * PAGE, 16 * PAGE, 0);
    let buddy: Buddy<PAGE> = over(&memory);
    assert_eq!(shape(&buddy), [-1, -2, -4, -8, -4], "one page for the state, from page 1 on");
    assert_eq!(buddy.stats().total, 19 * PAGE);
    assert_eq!(buddy.stats().largest_free, 8 * PAGE);
}

#[test]
fn split_and_join_at_every_order() {
    let (_memory, mut buddy) = sixteen();
    let page = layout(PAGE, 1);
    let mut take = |shape_then: &[isize]| {
        let block = buddy.allocate(page).unwrap();
        buddy.check().unwrap();
        assert_eq!(shape(&buddy), shape_then);
        block
    };
    let first = take(&[1, -1, -2, -4, -8]);
    let second = take(&[2, -2, -4, -8]);
    let third = take(&[3, -1, -4, -8]);
    give(&mut buddy, second, page);
    assert_eq!(shape(&buddy), [1, -1, 1, -1, -4, -8], "the buddy is in use");
    give(&mut buddy, first, page);
    assert_eq!(shape(&buddy), [-2, 1, -1, -4, -8], "joined once; the next buddy is in use");
    give(&mut buddy, third, page);
    assert_eq!(shape(&buddy), [-16], "joined at every order");
    assert_eq!(buddy.stats().used, 0);
    assert_eq!(buddy.stats().peak, 3 * PAGE);
}

#[test]
fn neighbours_that_are_not_buddies_are_not_joined() {
    let (_memory, mut buddy) = sixteen();
    let page = layout(PAGE, 1);
    let blocks = [(); 4].map(|()| buddy.allocate(page).unwrap());
    give(&mut buddy, blocks[1], page);
    give(&mut buddy, blocks[2], page);
    assert_eq!(shape(&buddy), [1, -1, -1, 1, -4, -8]);
    give(&mut buddy, blocks[3], page);
    assert_eq!(shape(&buddy), [1, -1, -2, -4, -8]);
    give(&mut buddy, blocks[0], page);
    assert_eq!(shape(&buddy), [-16]);
}

#[test]
fn the_smallest_block_that_is_large_enough_is_split() {
    let (_memory, mut buddy) = sixteen();
    let page = layout(PAGE, 1);
    let blocks = [(); 4].map(|()| buddy.allocate(page).unwrap());
    give(&mut buddy, blocks[0], page);
    give(&mut buddy, blocks[1], page);
    assert_eq!(shape(&buddy), [-2, 2, -4, -8]);
    assert_eq!(buddy.allocate(page), Some(blocks[0]), "the 2, not the 4 or the 8");
    assert_eq!(shape(&buddy), [1, -1, 2, -4, -8]);
    let four = buddy.allocate(layout(3 * PAGE, 1)).unwrap();
    assert_eq!(shape(&buddy), [1, -1, 6, -8], "3 pages are 4");
    give(&mut buddy, four, layout(3 * PAGE, 1));
    let aligned = buddy.allocate(layout(1, 8 * PAGE)).unwrap();
    assert_eq!(aligned.addr().get() % (8 * PAGE), 0);
    assert_eq!(shape(&buddy), [1, -1, 2, -4, 8], "the alignment counts as size");
}

#[test]
fn realloc_shrinks_and_grows_in_halves() {
    let (_memory, mut buddy) = sixteen();
    let block = buddy.allocate(layout(8 * PAGE, 1)).unwrap();
    let mut resize = |block, from: usize, to: usize| {
        // SAFETY: live, of this many pages.
        let new = unsafe { buddy.reallocate(block, layout(from * PAGE, 1), to * PAGE) };
        buddy.check().unwrap();
        (new, shape(&buddy))
    };
    assert_eq!(resize(block, 8, 5), (Some(block), [8, -8].into()), "still 8");
    assert_eq!(resize(block, 5, 2), (Some(block), [2, -2, -4, -8].into()));
    assert_eq!(resize(block, 2, 3), (Some(block), [4, -4, -8].into()), "grown into the buddy");
    assert_eq!(resize(block, 3, 16), (Some(block), [16].into()), "over two orders");
    assert_eq!(resize(block, 16, 17), (None, [16].into()));
    assert_eq!(resize(block, 16, 1), (Some(block), [1, -1, -2, -4, -8].into()));
}

#[test]
fn realloc_moves_where_the_buddy_is_in_use_and_keeps_contents() {
    let (_memory, mut buddy) = sixteen();
    let page = layout(PAGE, 1);
    let [first, second] = [(); 2].map(|()| buddy.allocate(page).unwrap());
    // SAFETY: the block is a page.
    unsafe { first.write_bytes(0x5a, PAGE) };
    // SAFETY: live.
    let moved = unsafe { buddy.reallocate(first, page, 2 * PAGE) }.unwrap();
    buddy.check().unwrap();
    assert_eq!(shape(&buddy), [-1, 3, -4, -8]);
    // SAFETY: the block is two pages, of which one was copied.
    let bytes = unsafe { core::slice::from_raw_parts(moved.as_ptr(), PAGE) };
    assert!(bytes.iter().all(|byte| *byte == 0x5a));
    // An upper half never grows in place.
    give(&mut buddy, moved, layout(2 * PAGE, 1));
    assert_eq!(shape(&buddy), [-1, 1, -2, -4, -8]);
    // SAFETY: live.
    let moved = unsafe { buddy.reallocate(second, page, 2 * PAGE) }.unwrap();
    buddy.check().unwrap();
    assert_eq!(shape(&buddy), [-2, 2, -4, -8]);
    give(&mut buddy, moved, layout(2 * PAGE, 1));
    assert_eq!(shape(&buddy), [-16]);
}

#[test]
fn runs_of_pages_give_the_rest_back() {
    let (_memory, mut buddy) = sixteen();
    let mut take = |pages, align| {
        let run = buddy.allocate_pages(pages, align);
        buddy.check().unwrap();
        (run, shape(&buddy))
    };
    let (five, after) = take(5, 1);
    assert_eq!(after, [5, -1, -2, -8], "5 of 8");
    let (six, after) = take(6, 1);
    assert_eq!(after, [5, -1, -2, 6, -2]);
    assert_eq!(take(3, 1), (None, [5, -1, -2, 6, -2].into()));
    let (two, after) = take(1, 2 * PAGE);
    assert_eq!(after, [5, -1, -2, 7, -1], "1 of the 2 that came last, for the alignment");
    assert_eq!(take(0, 1).0, None);
    assert_eq!(buddy.stats().peak, 12 * PAGE, "what was given back at once does not count");
    for (run, pages) in [(five, 5), (two, 1), (six, 6)] {
        // SAFETY: live, of `pages` pages.
        unsafe { buddy.deallocate_pages(run.unwrap(), pages) };
        buddy.check().unwrap();
    }
    assert_eq!(shape(&buddy), [-16]);
    assert_eq!(buddy.stats().used, 0);
}

#[test]
fn pools_are_not_joined() {
    let memory = Memory::new(48 * PAGE, 16 * PAGE, 0);
    let part = |index: usize| memory.start().wrapping_add(index * 16 * PAGE);
    let mut buddy = Buddy::<PAGE>::new();
    for index in [1, 0, 2] {
        // SAFETY: thirds of the memory, which outlives the allocator.
        unsafe { buddy.add_memory(part(index), 16 * PAGE) }.unwrap();
        buddy.check().unwrap();
    }
    let one = [-1, -2, -4, -8];
    assert_eq!(shape(&buddy), [one, one, one].concat());
    buddy.remove_memory(part(1)).unwrap();
    buddy.check().unwrap();
    assert!(buddy.owns(part(0)) && !buddy.owns(part(1)));
    assert_eq!(shape(&buddy), [one, one].concat());
}

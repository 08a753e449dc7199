use super::*;
use crate::peek::{byte, touch};
use base::Check;
use block::fit::FirstFit;
use source::Failing;
use source::os::Os;

type Heap = Growing<FirstFit, Failing<Os>>;

fn new() -> Heap {
    Growing::new(FirstFit::new(), Failing::new(Os))
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

#[test]
fn nothing_is_mapped_before_the_first_request() {
    let mut heap = new();
    assert_eq!(heap.source().calls(), 0);
    let block = heap.allocate(layout(100, 16)).unwrap();
    assert_eq!((heap.source().calls(), heap.mapped()), (1, FIRST));
    assert!(heap.allocate(layout(100, 16)).is_some());
    assert_eq!(heap.source().calls(), 1, "there is enough");
    assert_eq!(heap.stats().failures, 0, "a request that was served is no failure");
    // SAFETY: live, given up.
    unsafe { heap.free(block) };
}

/// The header, the alignment and the record are asked for at once.
#[test]
fn a_large_request_grows_once() {
    for (size, align) in
        [(1 << 20, 16), (4 << 20, 16), (100, 4 << 20), (3 << 20, 2 << 20), (64 << 20, 4096)]
    {
        let mut heap = new();
        let block = heap.allocate(layout(size, align)).unwrap();
        assert!(block.addr().get().is_multiple_of(align));
        assert_eq!(heap.source().calls(), 1, "{size} bytes at {align}");
        assert!(heap.mapped() <= size + align + 8192 || heap.mapped() == FIRST);
        touch(block, size - 1);
    }
}

#[test]
fn mappings_grow_by_a_quarter_so_they_are_few() {
    let mut heap = new();
    for _ in 0..4096 {
        assert!(heap.allocate(layout(16 << 10, 16)).is_some());
        assert!(heap.mapped() <= (heap.stats().used + FIRST) / 4 * 5 + FIRST);
    }
    assert!(heap.mapped() >= 64 << 20);
    assert!(heap.source().calls() <= 20, "{} mappings", heap.source().calls());
    heap.check().unwrap();
}

#[test]
fn a_source_that_refuses_much_is_asked_for_less() {
    let mut heap = new();
    let more = |heap: &mut Heap| {
        let before = heap.mapped();
        while heap.mapped() == before {
            heap.allocate(layout(16 << 10, 16)).unwrap();
        }
        (heap.mapped() - before, before)
    };
    while heap.mapped() < 16 * FIRST {
        more(&mut heap);
    }
    heap.source().fail_nth(1);
    let (grown, before) = more(&mut heap);
    assert!(grown.abs_diff(before / 8) <= 4096, "half of a quarter: {grown} of {before}");
    let exact = heap.inner().room_for(layout(8 << 20, 16)).unwrap().size() + RECORD;
    let before = heap.mapped();
    heap.allocate(layout(8 << 20, 16)).unwrap();
    assert_eq!(heap.mapped() - before, exact.next_multiple_of(4096), "all that is needed");
    heap.source().fail_from(1);
    let refused = loop {
        match heap.allocate(layout(16 << 10, 16)) {
            Some(_) => {}
            None => break true,
        }
    };
    assert!(refused);
    assert_eq!(heap.stats().failures, 1);
    heap.check().unwrap();
}

#[test]
fn what_is_empty_goes_back() {
    let mut heap = new();
    let small = heap.allocate(layout(100, 16)).unwrap();
    let blocks: Vec<_> = (0..40).map(|_| heap.allocate(layout(1 << 20, 16)).unwrap()).collect();
    assert!(heap.mapped() >= 40 << 20);
    // SAFETY: live, given up.
    blocks.into_iter().for_each(|block| unsafe { heap.free(block) });
    heap.give_back();
    assert_eq!(heap.mapped(), FIRST, "the oldest stays");
    assert_eq!(heap.stats().total, FIRST - RECORD - 4 * size_of::<usize>());
    heap.check().unwrap();
    let block = heap.allocate(layout(1 << 20, 16)).unwrap();
    // SAFETY: live, given up.
    unsafe { heap.free(block) };
    // SAFETY: live, given up.
    unsafe { heap.free(small) };
}

/// Without a call of `trim`: freeing is enough.
#[test]
fn freeing_gives_back_by_itself() {
    let mut heap = new();
    let keep = heap.allocate(layout(100, 16)).unwrap();
    let big = heap.allocate(layout(40 << 20, 16)).unwrap();
    // SAFETY: live, given up.
    unsafe { heap.free(big) };
    assert_eq!(heap.mapped(), FIRST);
    let big = heap.allocate(layout(40 << 20, 16)).unwrap();
    // SAFETY: live, of this layout, given up.
    unsafe { heap.deallocate(big, layout(40 << 20, 16)) };
    assert_eq!(heap.mapped(), FIRST);
    // SAFETY: live, given up.
    unsafe { heap.free(keep) };
}

#[test]
fn mappings_in_use_stay_and_the_list_stays_whole() {
    let mut heap = new();
    let blocks: Vec<_> = (1..7).map(|n| heap.allocate(layout(n << 21, 16)).unwrap()).collect();
    for (index, block) in blocks.iter().enumerate() {
        if index % 2 == 0 {
            // SAFETY: live, given up.
            unsafe { heap.free(*block) };
        }
    }
    heap.give_back();
    let mapped = heap.mapped();
    assert_eq!(heap.give_back(), 0);
    for (index, block) in blocks.iter().enumerate() {
        if index % 2 == 1 {
            touch(*block, ((index + 1) << 21) - 1);
            // SAFETY: live, given up.
            unsafe { heap.free(*block) };
        }
    }
    heap.give_back();
    assert!(heap.mapped() < mapped);
    heap.check().unwrap();
}

#[test]
fn resizing_grows_the_heap_too() {
    let mut heap = new();
    let small = layout(1000, 16);
    let block = heap.allocate(small).unwrap();
    // SAFETY: ours.
    unsafe { block.write_bytes(5, 1000) };
    // SAFETY: live, of this layout.
    let moved = unsafe { heap.reallocate(block, small, 8 << 20) }.unwrap();
    assert_eq!(byte(moved, 999), 5);
    heap.source().fail_from(1);
    // SAFETY: live, of this layout.
    assert_eq!(unsafe { heap.reallocate(moved, layout(8 << 20, 16), 80 << 20) }, None);
    assert_eq!(byte(moved, 999), 5);
}

#[test]
fn a_size_that_nothing_serves_is_refused_without_asking() {
    let mut heap = new();
    assert_eq!(heap.allocate(layout(isize::MAX as usize - 63, 16)), None);
    assert_eq!(heap.allocate(layout(1, 1 << 62)), None);
    assert_eq!(heap.mapped(), 0);
}

#[test]
fn whole_pages_within_free_memory_go_back() {
    let mut heap: Growing<_, _> = Growing::new(FirstFit::new(), Os);
    let size = 1000;
    let blocks: Vec<_> = (0..800).map(|_| heap.allocate(layout(size, 16)).unwrap()).collect();
    // SAFETY: ours.
    blocks.iter().for_each(|block| unsafe { block.write_bytes(7, size) });
    for (index, block) in blocks.iter().enumerate() {
        if index % 100 != 0 {
            // SAFETY: live, given up.
            unsafe { heap.free(*block) };
        }
    }
    let bytes = heap.trim();
    assert!(bytes > 600_000, "{bytes} of 792,000");
    assert_eq!(byte(blocks[150], 500), 0, "purged");
    assert_eq!((byte(blocks[100], 0), byte(blocks[100], size - 1)), (7, 7), "live");
    heap.check().unwrap();
    assert!((0..700).all(|_| heap.allocate(layout(size, 16)).is_some()));
    assert_eq!(heap.mapped(), FIRST);
}

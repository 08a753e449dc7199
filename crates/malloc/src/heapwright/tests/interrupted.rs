//! A busy thread: what a signal handler gets that interrupted malloc.
use base::lock::{Busy, Park};

use super::*;

type Interrupted = Busy<Failing<Os>>;

#[test]
fn a_busy_thread_gets_spare_blocks_that_are_freed_later_by_any_way() {
    let heap = flagship();
    let sizes = [0, 1, 24, 100, 4000, 60_000, 70_000, 3 << 20, 40 << 20];
    let busy = Interrupted::new();
    let blocks: Vec<*mut u8> = sizes.iter().map(|&size| heap.malloc(size)).collect();
    let again: Vec<*mut u8> = sizes.iter().map(|&size| heap.calloc(1, size)).collect();
    let aligned: Vec<*mut u8> = sizes.iter().map(|&size| heap.aligned_alloc(4096, size)).collect();
    for (&size, &block) in
        sizes.iter().chain(&sizes).chain(&sizes).zip(blocks.iter().chain(&again).chain(&aligned))
    {
        assert!(!block.is_null() && block.addr().is_multiple_of(16));
        // SAFETY: a live block.
        assert!(unsafe { heap.usable_size(block) } >= size);
        // SAFETY: a live block of `size` bytes.
        unsafe { block.write_bytes(0x5a, size) };
    }
    assert!(aligned.iter().all(|block| block.addr().is_multiple_of(4096)));
    drop(busy);
    heap.set_safe(true);
    for (&size, &block) in sizes.iter().zip(&blocks) {
        // SAFETY: a live block.
        let grown = unsafe { heap.realloc(block, size + 50_000) };
        assert!(!grown.is_null());
        // SAFETY: a live block of more than `size` bytes.
        let kept = unsafe { core::slice::from_raw_parts(grown, size) };
        assert!(kept.iter().all(|&byte| byte == 0x5a));
        free_all(&heap, [grown]);
    }
    heap.set_safe(false);
    // SAFETY: a live block of that size.
    sizes.iter().zip(&again).for_each(|(&size, &block)| unsafe { heap.free_sized(block, size) });
    free_all(&heap, aligned);
    heap.empty_magazines("test");
    heap.check().expect("intact");
    assert_eq!(heap.stats().live_bytes, 0);
}

#[test]
fn what_a_busy_thread_frees_stays_taken_and_what_it_asks_has_an_answer() {
    let heap = flagship();
    let sizes = [24, 100_000, 300_000, 50 << 20];
    let blocks = sizes.map(|size| heap.malloc(size));
    heap.empty_magazines("test");
    let live = heap.stats().live_bytes;
    let inside = heap.huge.lock_for_fork().lock();
    assert!(Failing::<Os>::is_busy());
    assert_eq!(heap.purge(), 0);
    assert!(heap.check().is_err());
    assert!(heap.heap_new().is_none());
    let _ = heap.stats();
    heap.print_stats(usize::MAX);
    heap.limit_changed();
    heap.before_confinement();
    for (&block, &size) in blocks.iter().zip(&sizes).take(3) {
        // SAFETY: a live block.
        assert!(unsafe { heap.usable_size(block) } >= size);
        // SAFETY: a live block.
        let grown = unsafe { heap.realloc(block, size * 2) };
        assert_ne!(grown, block);
        free_all(&heap, [grown]);
    }
    // SAFETY: a live block.
    assert!(unsafe { heap.realloc(blocks[3], 60 << 20) }.is_null(), "its length is not to be had");
    free_all(&heap, [blocks[3]]);
    drop(inside);
    heap.empty_magazines("test");
    heap.check().expect("intact");
    // The first went to the magazine, the others stay.
    assert!(heap.stats().live_bytes >= live - 32);
}

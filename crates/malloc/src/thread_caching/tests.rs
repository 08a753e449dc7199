//! Shapes that a test from outside does not see.
use base::Malloc as _;

use super::classes::class_of;
use crate::shapes::free_all;
use source::Failing;

use super::*;

fn heap() -> Box<ThreadCaching<Failing<Os>>> {
    Box::new(ThreadCaching::new(Failing::new(Os)))
}

#[test]
fn a_small_program_takes_little() {
    let heap = heap();
    let blocks: Vec<_> = (1..200).map(|size| heap.malloc(size)).collect();
    assert!(heap.pages.costing_bytes() < 2 << 20, "{}", heap.pages.costing_bytes());
    heap.check().unwrap();
    free_all(&*heap, blocks);
    heap.check().unwrap();
}

#[test]
fn what_is_freed_goes_back() {
    crate::shapes::goes_back(&*Box::new(ThreadCaching::new(Os)), 30, 2);
}

#[test]
fn a_large_block_grows_where_it_is() {
    let heap = heap();
    let block = heap.malloc(100_000);
    // SAFETY: a live block of this heap.
    let larger = unsafe { heap.realloc(block, 500_000) };
    assert_eq!(block, larger, "there are free pages behind it");
    // SAFETY: as above.
    let smaller = unsafe { heap.realloc(larger, 50_000) };
    assert_eq!(block, smaller);
    heap.check().unwrap();
    free_all(&*heap, [smaller]);
    heap.check().unwrap();
    assert_eq!(heap.numbers().live, 0);
}

#[test]
fn memory_that_was_returned_is_zero_for_calloc() {
    let heap = heap();
    let block = heap.malloc(1 << 20);
    // SAFETY: a live block of this heap.
    unsafe { block.write_bytes(7, 1 << 20) };
    free_all(&*heap, [block]);
    heap.trim_all();
    let again = heap.calloc(1 << 20, 1);
    // SAFETY: a live block of this heap.
    let bytes = unsafe { core::slice::from_raw_parts(again, 1 << 20) };
    assert!(bytes.iter().all(|&byte| byte == 0));
    free_all(&*heap, [again]);
}

/// A heap on a system that counts what is committed, and 200 blocks of 300,000 bytes.
fn counted() -> (Box<ThreadCaching<Failing<Os>>>, Vec<*mut u8>) {
    let heap = heap();
    heap.source().pretend_charges();
    heap.pages.look_at_memory_limit();
    let blocks = (0..200).map(|_| heap.malloc(300_000)).collect();
    (heap, blocks)
}

#[test]
fn where_committed_memory_counts_what_is_free_is_unmapped() {
    let (heap, mut blocks) = counted();
    let rest = blocks.split_off(20);
    free_all(&*heap, rest);
    heap.check().unwrap();
    heap.trim_all();
    heap.check().unwrap();
    // Of 54 MB; spans too short to be worth a hole stay.
    assert!(heap.pages.free_bytes() < 4 << 20, "{}", heap.pages.free_bytes());
    free_all(&*heap, blocks);
    heap.trim_all();
    heap.check().unwrap();
    assert_eq!(heap.pages.free_bytes(), 0);
    assert!(!heap.malloc(300_000).is_null());
}

#[test]
fn a_fork_that_would_be_refused_finds_little_free() {
    let (heap, mut blocks) = counted();
    let rest = blocks.split_off(150);
    free_all(&*heap, rest);
    let free = heap.pages.free_bytes();
    assert!(free > 10 << 20, "{free}");
    heap.pages.make_way_for_fork(heap.huge.bytes());
    assert_eq!(heap.pages.free_bytes(), free, "there is room");
    heap.source().fail_nth(1);
    heap.pages.make_way_for_fork(heap.huge.bytes());
    // Spans too short to be worth a hole stay.
    assert!(heap.pages.free_bytes() < free / 4, "{} of {free}", heap.pages.free_bytes());
    heap.check().unwrap();
}

#[test]
fn a_kernel_that_refuses_to_take_memory_back_is_borne() {
    let heap = heap();
    let blocks: Vec<_> = (0..1000).map(|_| heap.malloc(100_000)).collect();
    heap.source().fail_from(1);
    free_all(&*heap, blocks);
    heap.check().unwrap();
    assert!(!heap.malloc(100_000).is_null(), "what is kept serves");
}

#[test]
fn caches_of_threads_that_a_child_does_not_have_are_searched_in_vain_once() {
    let heap = heap();
    let mine = heap.malloc(500);
    std::thread::scope(|scope| {
        // SAFETY: a live block of this heap.
        scope.spawn(|| unsafe { heap.free(heap.malloc(100)) });
    });
    // As after a fork: the other thread's cache is nobody's.
    heap.threads.only_me(|_| true);
    heap.lost.store(true, Ordering::Relaxed);
    let [there, missing] = [100, 1000].map(class_of);
    assert!(heap.take_lost(missing, 1).is_none());
    assert!(heap.none_lost[missing].load(Ordering::Relaxed));
    assert_eq!(heap.take_lost(there, 1).map(|chain| chain.count), Some(1));
    assert!(!heap.lost.load(Ordering::Relaxed), "nothing is left");
    free_all(&*heap, [mine]);
}

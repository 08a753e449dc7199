//! Shapes that a test from outside does not see.
extern crate std;
use std::boxed::Box;
use std::thread;
use std::vec::Vec;

use base::Malloc as _;
use source::Failing;

use super::*;

fn heap() -> Box<Sharded<Failing<Os>>> {
    Box::new(Sharded::new(Failing::new(Os)))
}

/// Sends the address of a block to another thread.
struct Sent(*mut u8);

// SAFETY: a block may be freed by any thread.
unsafe impl Send for Sent {}

#[test]
fn what_is_freed_goes_back() {
    let heap = heap();
    let blocks: Vec<_> = (0..100_000).map(|_| heap.malloc(1000)).collect();
    assert!(heap.numbers().live >= 100_000_000);
    heap.check().unwrap();
    // SAFETY: live blocks of this heap.
    blocks.into_iter().for_each(|block| unsafe { heap.free(block) });
    heap.check().unwrap();
    heap.trim_all();
    heap.check().unwrap();
    assert_eq!(heap.numbers().live, 0);
    assert!(heap.numbers().committed < 4 << 20, "{:?}", heap.numbers());
}

#[test]
fn what_others_free_comes_back_to_its_owner() {
    let heap = heap();
    let blocks: Vec<_> = (0..10_000).map(|_| Sent(heap.malloc(100))).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: live blocks of this heap.
            blocks.into_iter().for_each(|block| unsafe { heap.free(block.0) });
        });
    });
    let before = heap.segments.bytes();
    let again: Vec<_> = (0..9_000).map(|_| heap.malloc(100)).collect();
    assert_eq!(heap.segments.bytes(), before, "nothing new was mapped");
    heap.check().unwrap();
    // SAFETY: live blocks of this heap.
    again.into_iter().for_each(|block| unsafe { heap.free(block) });
    heap.check().unwrap();
}

#[test]
fn abandoned_segments_are_adopted_with_their_blocks() {
    let heap: &'static Sharded<Os> = Box::leak(Box::new(Sharded::new(Os)));
    DropIn::begin(heap);
    let blocks = thread::spawn(|| (1..2000).map(|i| Sent(heap.malloc(i * 50))).collect::<Vec<_>>());
    let blocks = blocks.join().unwrap();
    let (first, rest) = blocks.split_at(1000);
    // SAFETY: live blocks of this heap.
    first.iter().for_each(|block| unsafe { heap.free(block.0) });
    heap.check().unwrap();
    // SAFETY: as above.
    rest.iter().for_each(|block| unsafe { heap.free(block.0) });
    heap.check().unwrap();
    assert!(heap.abandoned.lock().is_empty(), "who freed adopted them");
    assert_eq!(heap.numbers().live, 0);
}

#[test]
fn a_heap_can_be_deleted_and_destroyed() {
    let heap = heap();
    let [kept, gone] = [(); 2].map(|()| heap.heap_new().unwrap());
    let blocks: Vec<_> = (1..500).map(|i| heap.heap_allocate(kept, i * 300)).collect();
    let other: Vec<_> = (1..500).map(|i| heap.heap_allocate(gone, i * 300)).collect();
    assert!(blocks.iter().chain(&other).all(|block| !block.is_null()));
    heap.check().unwrap();
    assert!(heap.heap_delete(kept));
    heap.check().unwrap();
    // SAFETY: none of its blocks is used again.
    assert!(unsafe { heap.heap_destroy(gone) });
    heap.check().unwrap();
    // SAFETY: live blocks.
    blocks.into_iter().for_each(|block| unsafe { heap.free(block) });
    heap.check().unwrap();
    assert_eq!(heap.numbers().live, 0);
}

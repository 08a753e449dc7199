//! Shapes that a test from outside does not see.
use std::thread;

use base::{Check as _, Malloc as _};
use source::Failing;

use super::thread_free::Pushed;
use super::*;
use crate::drop_in::DropIn;
use crate::links::Chain;
use crate::shapes::{Sent, free_all, of_chunks};

fn heap() -> Box<Sharded<Failing<Os>>> {
    Box::new(Sharded::new(Failing::new(Os)))
}

of_chunks!(Sharded: segments);

#[test]
fn what_is_freed_goes_back() {
    crate::shapes::goes_back(&*Box::new(Sharded::new(Os)), 150, 4);
}

#[test]
fn abandoned_segments_are_adopted_with_their_blocks() {
    let heap: &'static Sharded<Os> = Box::leak(Box::new(Sharded::new(Os)));
    DropIn::begin(heap);
    let blocks = thread::spawn(|| (1..2000).map(|i| Sent(heap.malloc(i * 50))).collect::<Vec<_>>());
    let blocks = blocks.join().unwrap();
    let (first, rest) = blocks.split_at(1000);
    free_all(heap, first.iter().map(|block| block.0));
    heap.check().unwrap();
    free_all(heap, rest.iter().map(|block| block.0));
    heap.check().unwrap();
    assert!(heap.abandoned.lock().first().is_none(), "who freed adopted them");
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
    free_all(&*heap, blocks);
    heap.check().unwrap();
    assert_eq!(heap.numbers().live, 0);
}

#[test]
fn a_heap_that_was_deleted_serves_again_and_its_handle_is_no_thread_s() {
    let heap = heap();
    let block = heap.malloc(1);
    let first = heap.heap_new().unwrap();
    assert!(heap.heap_delete(first));
    assert!(heap.heap_allocate(first, 100).is_null(), "it is gone");
    assert!(!heap.heap_delete(first));
    let used = heap.segments.arena.used_bytes();
    for _ in 0..100 {
        let again = heap.heap_new().unwrap();
        assert!(core::ptr::eq(again, first), "its memory serves again");
        assert!(!heap.heap_allocate(again, 5000).is_null());
        // SAFETY: its block is not used.
        assert!(unsafe { heap.heap_destroy(again) });
    }
    assert_eq!(heap.segments.arena.used_bytes(), used);
    free_all(&*heap, [block]);
    heap.check().unwrap();
}

#[test]
fn a_heap_of_a_thread_that_has_ended_is_nobody_s() {
    let heap: &'static Sharded<Os> = Box::leak(Box::new(Sharded::new(Os)));
    DropIn::begin(heap);
    let made = || {
        let own = heap.heap_new().unwrap();
        let block = Sent(heap.heap_allocate(own, 100));
        (core::ptr::from_ref(own).expose_provenance(), block)
    };
    let (own, block) = thread::spawn(made).join().unwrap();
    let own = Heap::at(own).unwrap();
    let refused = || heap.heap_allocate(own, 100).is_null() && !heap.heap_delete(own);
    assert!(refused());
    // The next thread has the record of the one that has ended.
    assert!(thread::spawn(refused).join().unwrap());
    free_all(heap, [block.0]);
    heap.check().unwrap();
    assert_eq!(heap.numbers().live, 0);
}

#[test]
fn pages_come_back_at_the_queue_s_end() {
    let heap = heap();
    // Two pages of 4,096 blocks of 16 bytes but for the first one's head, all used.
    let blocks: Vec<_> = (0..10_000).map(|_| heap.malloc(16)).collect();
    free_all(&*heap, blocks[..4000].iter().rev().copied());
    let again: Vec<_> = (0..3000).map(|_| heap.malloc(16)).collect();
    heap.check().unwrap();
    free_all(&*heap, again.iter().chain(&blocks[4000..]).copied());
    heap.check().unwrap();
}

#[test]
fn a_heap_that_is_deleted_leaves_no_empty_page() {
    let heap = heap();
    let block = heap.malloc(1);
    let pages = || heap.thread().map_or(0, |thread| thread.heap.pages().count());
    let before = pages();
    for _ in 0..50 {
        let own = heap.heap_new().unwrap();
        let [mine, theirs] = [100, 5000].map(|size| Sent(heap.heap_allocate(own, size)));
        free_all(&*heap, [mine.0]);
        thread::scope(|scope| {
            let heap = &heap;
            // SAFETY: a live block.
            scope.spawn(move || unsafe { heap.free({ theirs }.0) });
        });
        assert!(heap.heap_delete(own));
        heap.check().unwrap();
    }
    assert_eq!(pages(), before);
    free_all(&*heap, [block]);
}

#[test]
fn a_full_page_that_another_thread_emptied_goes() {
    let heap = heap();
    let blocks: Vec<_> = (0..10_000).map(|_| Sent(heap.malloc(1000))).collect();
    let pages = || heap.thread().map_or(0, |thread| thread.heap.pages().count());
    assert!(pages() > 150, "{}", pages());
    thread::scope(|scope| {
        scope.spawn(|| {
            free_all(&*heap, blocks.into_iter().map(|block| block.0));
        });
    });
    let block = heap.malloc(64);
    assert!(pages() < 4, "{}", pages());
    heap.check().unwrap();
    free_all(&*heap, [block]);
}

#[test]
fn a_child_forgets_who_was_telling_and_is_told_by_the_next() {
    let heap = Box::new(Sharded::new(Os));
    let blocks: Vec<_> = (0..1000).map(|_| Sent(heap.malloc(1000))).collect();
    let [lost, next] = [0, 1].map(|at: usize| blocks[at].0.addr());
    let page = heap.segments.of(lost).unwrap().page_of(lost);
    assert!(
        page.is(State::Full)
            && page.start() == heap.segments.of(next).unwrap().page_of(next).start()
    );
    // The process is copied while another thread is telling.
    assert_eq!(page.thread_free.push(Chain::of(lost)), Pushed::Tell);
    heap.after_fork(true);
    let mut rest = blocks.into_iter().skip(1);
    let next = rest.next().unwrap();
    thread::scope(|scope| {
        // SAFETY: a live block.
        scope.spawn(|| unsafe { heap.free({ next }.0) });
    });
    let thread = heap.thread().unwrap();
    heap.free_delayed(thread, &thread.heap);
    assert!(!page.is(State::Full), "its heap was told");
    free_all(&*heap, rest.map(|block| block.0));
    heap.check().unwrap();
}

#[test]
fn a_thread_that_allocated_before_the_beginning_is_known_when_it_ends() {
    let heap: &'static Sharded<Os> = Box::leak(Box::new(Sharded::new(Os)));
    let early = thread::spawn(|| {
        let block = heap.malloc(100);
        DropIn::begin(heap);
        free_all(&*heap, [block]);
        assert_eq!(heap.threads.live(), 1);
    });
    early.join().unwrap();
    assert_eq!(heap.threads.live(), 0);
}

#[test]
fn fresh_blocks_come_in_a_random_order_if_asked() {
    let heap = Box::new(Sharded::new(Os));
    let rises = |size| {
        let blocks: Vec<usize> = (0..40).map(|_| heap.malloc(size).addr()).collect();
        blocks.is_sorted()
    };
    assert!(!heap.set("shuffle", "often") && !heap.set("other", "on"));
    assert!(rises(512));
    assert!(heap.set("shuffle", "on"));
    assert!(!rises(64));
    assert!(!rises(4096), "of large ones eight are counted off at a time");
    heap.check().unwrap();
    assert!(heap.set("shuffle", "off"));
    assert!(rises(1024));
}

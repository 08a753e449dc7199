//! Shapes that a test from outside does not see.
use std::thread;

use base::{Check as _, Malloc as _};
use source::Failing;

use super::*;
use crate::drop_in::DropIn;
use crate::shapes::{Sent, free_all, of_chunks};

fn heap() -> Box<Superslab<Failing<Os>>> {
    Box::new(Superslab::new(Failing::new(Os)))
}

of_chunks!(Superslab: pool.supers);

#[test]
fn what_is_freed_goes_back() {
    crate::shapes::goes_back(&*Box::new(Superslab::new(Os)), 150, 4);
}

#[test]
fn every_part_can_be_off() {
    for (key, value) in [
        ("superslab", "off"),
        ("magazine", "0"),
        ("magazine", "120"),
        ("lazy_init", "off"),
        ("reuse_pool", "off"),
        ("one_lookup", "off"),
        ("depot", "off"),
        ("remote_queue", "off"),
    ] {
        let heap = heap();
        assert!(heap.switches.set(key, value), "{key}={value}");
        let blocks: Vec<_> = (1..3000).map(|i| Sent(heap.malloc(i * 37 % 100_000))).collect();
        heap.check().unwrap();
        let (mine, theirs): (Vec<_>, Vec<_>) =
            blocks.into_iter().enumerate().partition(|(i, _)| i % 2 == 0);
        thread::scope(|scope| {
            scope.spawn(|| {
                // SAFETY: live blocks of this heap.
                theirs.into_iter().for_each(|(_, block)| unsafe { heap.free(block.0) });
            });
        });
        free_all(&*heap, mine.into_iter().map(|(_, block)| block.0));
        heap.check().unwrap_or_else(|broken| panic!("{key}={value}: {broken}"));
    }
    let heap = heap();
    for (key, value) in
        [("superslab", "maybe"), ("magazine", "121"), ("magazine", "-1"), ("other", "on")]
    {
        assert!(!heap.switches.set(key, value), "{key}={value}");
    }
}

/// Blocks that other threads than the test's allocate, and their addresses.
fn elsewhere(heap: &Superslab<Failing<Os>>, count: usize) -> (Vec<Sent>, Vec<usize>) {
    let work = || (0..count).map(|_| Sent(heap.malloc(100))).collect::<Vec<_>>();
    let blocks = thread::scope(|scope| scope.spawn(work).join().unwrap());
    let addresses = blocks.iter().map(|block| block.0.addr()).collect();
    (blocks, addresses)
}

fn handed(heap: &Superslab<Failing<Os>>) -> usize {
    let mut sum = 0;
    heap.each_heap(|heap| sum += heap.counts.handed.load(Ordering::Relaxed));
    sum
}

#[test]
fn objects_of_others_are_handed_on_by_half_magazines() {
    for (value, is_on) in [("on", true), ("off", false)] {
        let heap = heap();
        assert!(heap.switches.set("depot", value));
        let (blocks, before) = elsewhere(&heap, 1000);
        free_all(&*heap, blocks.into_iter().map(|block| block.0));
        assert_eq!(heap.depot.bytes(size_of_class) > 0, is_on);
        heap.check().unwrap();
        let (blocks, after) = elsewhere(&heap, 300);
        assert_eq!(handed(&heap) > 0, is_on, "depot={value}");
        let same = after.iter().filter(|address| before.contains(address)).count();
        assert_eq!(same > 100, is_on, "{same} of 300 were the first thread's");
        free_all(&*heap, blocks.into_iter().map(|block| block.0));
        heap.trim_all();
        assert_eq!(heap.depot.bytes(size_of_class), 0, "it goes home");
        heap.check().unwrap();
    }
}

#[test]
fn what_nobody_takes_from_the_depot_goes_home() {
    let heap = heap();
    let (blocks, _) = elsewhere(&heap, 1000);
    free_all(&*heap, blocks.into_iter().map(|block| block.0));
    assert!(heap.depot.bytes(size_of_class) > 0);
    // Slow paths of another class, in which it is looked at.
    for _ in 0..3 {
        heap.source().pass_ms(1000);
        free_all(&*heap, (0..10_000).map(|_| heap.malloc(2000)).collect::<Vec<_>>());
    }
    assert_eq!(heap.depot.bytes(size_of_class), 0);
    heap.check().unwrap();
}

#[test]
fn a_free_finds_the_class_by_one_look_with_superslabs_and_without() {
    for value in ["on", "off"] {
        let heap = heap();
        assert!(heap.switches.set("superslab", value));
        let blocks: Vec<_> = (1..300).map(|i| heap.malloc(i * 16)).collect();
        for (i, block) in (1..300).zip(&blocks) {
            let class = heap.pool.class_of(block.addr());
            assert!(size_of_class(class) >= i * 16, "superslab={value}");
            assert_eq!(heap.pool.supers.of(block.addr()).is_some(), value == "on");
        }
        let [large, mine] = [heap.malloc(200_000).addr(), (&raw const heap).addr()];
        assert_eq!([large, mine, 0].map(|address| heap.pool.class_of(address)), [0; 3]);
        let addresses: Vec<_> = blocks.iter().map(|block| block.addr()).collect();
        free_all(&*heap, blocks);
        heap.trim_all();
        let named = addresses.iter().filter(|address| heap.pool.class_of(**address) != 0);
        assert_eq!(named.count(), 0, "superslab={value}: the map names no slab that has gone");
    }
}

#[test]
fn runs_come_from_superslabs_and_go_back() {
    let heap = heap();
    let blocks: Vec<_> = (0..40).map(|i| heap.malloc(40_000 + i * 25_000)).collect();
    heap.check().unwrap();
    assert_eq!(heap.pool.supers.huge().count(), 0, "1 MB is a run");
    free_all(&*heap, blocks);
    heap.check().unwrap();
    assert_eq!(heap.numbers().live, 0);
}

#[test]
fn a_slab_that_the_system_does_not_unmap_serves_again() {
    let heap = heap();
    assert!(heap.switches.set("superslab", "off") && heap.switches.set("magazine", "0"));
    let fill = || (0..300).map(|_| heap.malloc(20_000)).collect::<Vec<_>>();
    let blocks = fill();
    let mapped = heap.pool.bytes();
    heap.source().fail_from(1);
    free_all(&*heap, blocks);
    heap.check().unwrap();
    assert_eq!(heap.pool.bytes(), mapped, "nothing was unmapped");
    let again = fill();
    assert!(again.iter().all(|block| !block.is_null()), "nothing was lost");
    heap.source().fail_nth(0);
    free_all(&*heap, again);
    heap.trim_all();
    heap.check().unwrap();
    assert_eq!((heap.pool.bytes(), heap.numbers().live), (0, 0));
}

#[test]
fn the_heap_of_an_ended_thread_is_free_when_its_last_object_is() {
    let heap: &'static Superslab<Os> = Box::leak(Box::new(Superslab::new(Os)));
    DropIn::begin(heap);
    let blocks = thread::spawn(|| [100, 30_000, 500_000].map(|size| Sent(heap.malloc(size))));
    let spare = || {
        let mut count = 0;
        heap.threads.each_spare(|_| {
            count += 1;
            false
        });
        count
    };
    for block in blocks.join().unwrap() {
        assert_eq!(spare(), 1, "it holds something");
        free_all(heap, [block.0]);
    }
    assert_eq!(spare(), 0);
    heap.check().unwrap();
    heap.trim_all();
    assert_eq!(heap.threads.costing_bytes(), 0, "its pages went back");
    // The next thread has its record, of zeroes.
    let again = thread::spawn(|| Sent(heap.malloc(100))).join().unwrap();
    heap.check().unwrap();
    free_all(heap, [again.0]);
}

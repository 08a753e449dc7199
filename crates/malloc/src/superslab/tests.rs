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
    let heap = heap();
    let blocks: Vec<_> = (0..100_000).map(|_| heap.malloc(1000)).collect();
    assert!(heap.numbers().live >= 100_000_000);
    heap.check().unwrap();
    free_all(&*heap, blocks);
    heap.check().unwrap();
    assert!(heap.numbers().committed < 150 << 20, "{:?}", heap.numbers());
    heap.trim_all();
    heap.check().unwrap();
    assert!(heap.numbers().committed < 4 << 20, "{:?}", heap.numbers());
    assert_eq!((heap.numbers().live, heap.numbers().cached), (0, 0));
}

#[test]
fn every_part_can_be_off() {
    for (key, value) in [
        ("superslab", "off"),
        ("magazine", "0"),
        ("magazine", "120"),
        ("lazy_init", "off"),
        ("reuse_pool", "off"),
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
        // SAFETY: live blocks of this heap.
        mine.into_iter().for_each(|(_, block)| unsafe { heap.free(block.0) });
        heap.check().unwrap_or_else(|broken| panic!("{key}={value}: {broken}"));
    }
    let heap = heap();
    for (key, value) in
        [("superslab", "maybe"), ("magazine", "121"), ("magazine", "-1"), ("other", "on")]
    {
        assert!(!heap.switches.set(key, value), "{key}={value}");
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
        // SAFETY: a live block of this heap.
        unsafe { heap.free(block.0) };
    }
    assert_eq!(spare(), 0);
    heap.check().unwrap();
    heap.trim_all();
    assert_eq!(heap.threads.costing_bytes(), 0, "its pages went back");
    // The next thread has its record, of zeroes.
    let again = thread::spawn(|| Sent(heap.malloc(100))).join().unwrap();
    heap.check().unwrap();
    // SAFETY: a live block of this heap.
    unsafe { heap.free(again.0) };
}

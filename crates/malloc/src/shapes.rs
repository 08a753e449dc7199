//! What the tests of several mallocs do alike.
extern crate std;
use core::time::Duration;
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::vec::Vec;

use base::{Check, Malloc};

/// Sends the address of a block to another thread.
#[derive(Debug)]
pub(crate) struct Sent(pub(crate) *mut u8);

// SAFETY: a block may be freed by any thread.
unsafe impl Send for Sent {}

/// What another thread frees serves its owner again: nothing new is `mapped`.
pub(crate) fn come_back<M: Malloc + Check + Sync>(heap: &M, mapped: impl Fn() -> usize) {
    let blocks: Vec<_> = (0..10_000).map(|_| Sent(heap.malloc(100))).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            // SAFETY: live blocks of this heap.
            blocks.into_iter().for_each(|block| unsafe { heap.free(block.0) });
        });
    });
    let before = mapped();
    let again: Vec<_> = (0..9_000).map(|_| heap.malloc(100)).collect();
    assert_eq!(mapped(), before, "nothing new was mapped");
    heap.check().unwrap();
    // SAFETY: live blocks of this heap.
    again.into_iter().for_each(|block| unsafe { heap.free(block) });
    heap.check().unwrap();
}

/// Threads that have allocated and freed, and end all at once: `during` is given what lets them go and waits until they are gone.
pub(crate) fn ends_under<M: Malloc + Sync>(
    heap: &'static M,
    threads: usize,
    during: impl FnOnce(&dyn Fn()),
) {
    let barrier = Arc::new(Barrier::new(threads + 1));
    let (gone, waits) = mpsc::channel();
    for _ in 0..threads {
        let (barrier, gone) = (Arc::clone(&barrier), gone.clone());
        thread::spawn(move || {
            let work = thread::spawn(move || {
                // SAFETY: live blocks of this heap.
                (1..2000).for_each(|size| unsafe { heap.free(heap.malloc(size)) });
                barrier.wait();
                barrier.wait();
            });
            work.join().unwrap();
            gone.send(()).unwrap();
        });
    }
    barrier.wait();
    during(&|| {
        barrier.wait();
        (0..threads).for_each(|_| waits.recv_timeout(Duration::from_secs(60)).unwrap());
    });
}

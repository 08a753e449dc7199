//! What the tests of several mallocs do alike.
extern crate std;
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

//! `Futex`: a kernel's futex as loom sees one, for `lock::Lock`.
//!
//! The word is compared and the thread queued under the queue's lock, as a kernel does it; a
//! wake takes the same lock. Nothing wakes without a wake, so a lost one is a deadlock, which
//! loom reports.
use base::sync::{AtomicU32, Ordering};
use loom::sync::{Condvar, Mutex};

use crate::lock::Park;

loom::lazy_static! {
    static ref QUEUE: Queue = Queue { lock: Mutex::new(()), sleepers: Condvar::new() };
}

struct Queue {
    lock: Mutex<()>,
    sleepers: Condvar,
}

/// Parks on one queue; a model has one lock.
#[derive(Debug)]
pub(crate) struct Futex;

impl Park for Futex {
    fn wait(word: &AtomicU32, expected: u32) {
        let guard = QUEUE.lock.lock().expect("no one panics in a model that goes on");
        if word.load(Ordering::Relaxed) == expected {
            drop(QUEUE.sleepers.wait(guard));
        }
    }

    fn wake_one(_: &AtomicU32) {
        let _guard = QUEUE.lock.lock().expect("no one panics in a model that goes on");
        QUEUE.sleepers.notify_one();
    }
}

//! `Futex`: a kernel's futex as loom sees one, for `lock::Lock`.
//!
//! The word is compared and the thread queued under the queue's lock, as a kernel does it; a
//! wake takes the same lock. Nothing wakes without a wake, so a lost one is a deadlock, which
//! loom reports.
use base::sync::{AtomicUsize, Ordering};
use loom::sync::{Condvar, Mutex};

use crate::lock::Park;

loom::lazy_static! {
    static ref QUEUE: Queue = Queue { lock: Mutex::new(()), sleepers: Condvar::new() };
}

/// Numbers for threads, from 8 on in steps of 8. Loom's own threads know no number of theirs.
static NEXT: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(8);

loom::thread_local! {
    static THREAD: usize = NEXT.fetch_add(8, Ordering::Relaxed);
}

struct Queue {
    lock: Mutex<()>,
    sleepers: Condvar,
}

/// Parks on one queue; a model has one lock.
#[derive(Debug)]
pub(crate) struct Futex;

// SAFETY: a counter numbers the threads.
unsafe impl Park for Futex {
    fn me() -> usize {
        THREAD.with(|thread| *thread)
    }

    fn wait(word: &AtomicUsize, expected: usize) {
        let guard = QUEUE.lock.lock().expect("no one panics in a model that goes on");
        if word.load(Ordering::Relaxed) == expected {
            drop(QUEUE.sleepers.wait(guard));
        }
    }

    fn wake_one(_: &AtomicUsize) {
        let _guard = QUEUE.lock.lock().expect("no one panics in a model that goes on");
        QUEUE.sleepers.notify_one();
    }

    /// A millisecond is over at once: loom has no clock.
    fn nap(_: &AtomicUsize, _: usize) {}
}

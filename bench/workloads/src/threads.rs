//! Threads that begin together.

use std::sync::Barrier;
use std::thread;

use crate::clock;

/// Runs `body(i)` in `count` threads that begin together; what they returned, and the nanoseconds from the beginning until
/// all had ended.
pub(crate) fn together<T: Send>(count: usize, body: impl Fn(usize) -> T + Sync) -> (Vec<T>, u64) {
    let begin = Barrier::new(count + 1);
    thread::scope(|scope| {
        let (begin, body) = (&begin, &body);
        let all: Vec<_> = (0..count)
            .map(|i| {
                scope.spawn(move || {
                    begin.wait();
                    body(i)
                })
            })
            .collect();
        begin.wait();
        let start = clock::now();
        let values: Vec<T> = all
            .into_iter()
            .map(|t| t.join().unwrap_or_else(|_| crate::results::wrong("a thread panicked")))
            .collect();
        (values, clock::now() - start)
    })
}

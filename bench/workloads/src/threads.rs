//! Threads that begin together.

use std::sync::Barrier;
use std::thread;

use crate::results::wrong;

/// Runs `body(i)` in `count` threads that begin together; what they returned, and the nanoseconds from the first one's
/// beginning to the last one's end. The threads read the clock themselves: whoever started them may have to wait for a
/// processor.
pub(crate) fn together<T: Send>(count: usize, body: impl Fn(usize) -> T + Sync) -> (Vec<T>, u64) {
    let barrier = Barrier::new(count);
    let all: Vec<(T, u64, u64)> = thread::scope(|scope| {
        let (barrier, body) = (&barrier, &body);
        let threads: Vec<_> = (0..count)
            .map(|i| {
                scope.spawn(move || {
                    barrier.wait();
                    let begun = timing::now();
                    (body(i), begun, timing::now())
                })
            })
            .collect();
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|t| t.unwrap_or_else(|_| wrong("a thread panicked"))).collect()
    });
    let begun = all.iter().map(|(_, begun, _)| *begun).min().unwrap_or(0);
    let ended = all.iter().map(|(_, _, ended)| *ended).max().unwrap_or(begun);
    (all.into_iter().map(|(value, ..)| value).collect(), ended - begun)
}

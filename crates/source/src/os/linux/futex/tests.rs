use core::time::Duration;
use std::thread;

use base::sync::Ordering;

use super::*;

#[test]
fn two_that_sleep_are_woken_at_a_time() {
    let word = AtomicUsize::new(1);
    let sleep = || {
        while word.load(Ordering::Relaxed) == 1 {
            Os::wait(&word, 1);
        }
    };
    thread::scope(|scope| {
        (0..3).for_each(|_| _ = scope.spawn(sleep));
        // Until all have come to sleep.
        let both = (0..6000).any(|_| {
            thread::sleep(Duration::from_millis(10));
            wake(&word) == Ok(WOKEN)
        });
        word.store(0, Ordering::Relaxed);
        while wake(&word) != Ok(0) {}
        assert!(both, "one after the other, each as late as the machine runs it");
    });
}

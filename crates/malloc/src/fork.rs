//! Around `fork`, for a malloc whose locks are always the same: hold every lock, then let go.
use base::lock::{Lock, Park};
use base::sync::{AtomicBool, Ordering};

/// Calls a visitor with every lock, in the order in which they nest, while it says to go on.
pub(crate) trait EachLock<P>: Fn(&mut dyn FnMut(&Lock<P>) -> bool) -> bool {}

impl<P, F: Fn(&mut dyn FnMut(&Lock<P>) -> bool) -> bool> EachLock<P> for F {}

/// Before a fork: holds all, as [`DropIn::before_fork`](crate::DropIn::before_fork) says. `partial` is whether some may be
/// missing.
pub(crate) fn hold_all<P: Park>(
    each: impl EachLock<P>,
    partial: &AtomicBool,
    timeout_ms: &mut u32,
    last: bool,
) -> bool {
    let mut interrupted = false;
    each(&mut |lock| {
        interrupted |= lock.is_interrupted();
        true
    });
    let go_on = interrupted || last;
    partial.store(go_on, Ordering::Relaxed);
    let held = each(&mut |lock| lock.hold(timeout_ms) || go_on);
    if !held {
        release_all(&each);
        each(&mut |lock| {
            lock.nudge();
            true
        });
    }
    held
}

/// After a fork, in the parent and in the child.
pub(crate) fn release_all<P: Park>(each: impl EachLock<P>) {
    each(&mut |lock| {
        lock.release();
        true
    });
}

//! Around `fork`, for a malloc whose locks are always the same: hold every lock, then let go.
use base::lock::{Lock, Park};
use base::sync::{AtomicBool, Ordering};

/// Calls a visitor with every lock, in the order in which they nest, while it says to go on.
pub(crate) trait EachLock<P>: Fn(&mut dyn FnMut(&Lock<P>) -> bool) -> bool {}

impl<P, F: Fn(&mut dyn FnMut(&Lock<P>) -> bool) -> bool> EachLock<P> for F {}

#[derive(Debug)]
pub(crate) struct Missing {
    /// It may have been a lock, that of the interrupted thread itself perhaps: something may be half changed.
    partial: AtomicBool,
    /// It was another thread's lock, which stays taken in the child.
    lost: AtomicBool,
}

impl Missing {
    pub(crate) const fn new() -> Self {
        Self { partial: AtomicBool::new(false), lost: AtomicBool::new(false) }
    }

    /// A fork begins, which goes on without locks if it is `partial`, and has lost one if it is `lost`.
    pub(crate) fn begin(&self, partial: bool, lost: bool) {
        self.partial.store(partial, Ordering::Relaxed);
        self.lost.store(lost, Ordering::Relaxed);
    }

    /// Holds a lock. `false`: it could not be had in time, and a fork that is not partial begins again.
    pub(crate) fn hold<P: Park>(&self, lock: &Lock<P>, timeout_ms: &mut u32) -> bool {
        let is_held = lock.hold(timeout_ms);
        if !is_held {
            self.lost.store(true, Ordering::Relaxed);
        }
        is_held || self.is_partial()
    }

    pub(crate) fn is_partial(&self) -> bool {
        self.partial.load(Ordering::Relaxed)
    }

    /// In the child: where a lock stays taken its thread is busy for ever, so that it waits for none.
    pub(crate) fn in_child<P: Park>(&self) {
        if self.lost.load(Ordering::Relaxed) {
            P::begin();
        }
    }
}

/// Before a fork: holds all, as [`DropIn::before_fork`](crate::DropIn::before_fork) says.
pub(crate) fn hold_all<P: Park>(
    each: impl EachLock<P>,
    missing: &Missing,
    timeout_ms: &mut u32,
    last: bool,
) -> bool {
    let mut interrupted = false;
    each(&mut |lock| {
        interrupted |= lock.is_interrupted();
        true
    });
    missing.begin(interrupted || last, false);
    let held = each(&mut |lock| missing.hold(lock, timeout_ms));
    if !held {
        let_go(&each);
        each(&mut |lock| {
            lock.nudge();
            true
        });
    }
    held
}

/// After a fork. `true`: this is the child, and nothing was missing.
pub(crate) fn release_all<P: Park>(
    each: impl EachLock<P>,
    missing: &Missing,
    in_child: bool,
) -> bool {
    let_go(&each);
    if in_child {
        missing.in_child::<P>();
    }
    in_child && !missing.is_partial()
}

fn let_go<P: Park>(each: impl EachLock<P>) {
    each(&mut |lock| {
        lock.release();
        true
    });
}

//! The real `base::lock::Lock` over a modelled futex.
use base::sync::{AtomicUsize, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use super::{check, check_all};
use crate::futex::Futex;
use crate::lock::{Lock, Park};

struct Guarded<P> {
    lock: Lock<P>,
    count: UnsafeCell<usize>,
}

// SAFETY: `count` is only touched with the lock held; loom checks that.
unsafe impl<P> Sync for Guarded<P> {}

impl<P: Park> Guarded<P> {
    fn add(&self) {
        let _guard = self.lock.lock();
        self.count.with_mut(|count| {
            // SAFETY: the lock is held.
            unsafe { *count += 1 };
        });
    }
}

fn together<P: Park + 'static>(threads: usize, times: usize) {
    let shared = Arc::new(Guarded::<P> { lock: Lock::new(), count: UnsafeCell::new(0) });
    let start = |_| {
        let shared = shared.clone();
        thread::spawn(move || (0..times).for_each(|_| shared.add()))
    };
    let others: Vec<_> = (1..threads).map(start).collect();
    (0..times).for_each(|_| shared.add());
    others.into_iter().for_each(|other| other.join().expect("it does not panic"));
    let count = shared.count.with(|count| {
        // SAFETY: all the others have ended.
        unsafe { *count }
    });
    assert_eq!(count, threads * times);
}

#[test]
fn one_at_a_time_and_nobody_sleeps_for_ever() {
    check_all(|| together::<Futex>(2, 2));
}

#[test]
fn three_threads_one_waker() {
    check(4, || together::<Futex>(3, 1));
}

/// A futex that minds being slept on.
struct Sleepless;

// SAFETY: the numbers of `Futex`.
unsafe impl Park for Sleepless {
    fn me() -> usize {
        Futex::me()
    }

    fn wait(word: &AtomicUsize, expected: usize) {
        assert_ne!(word.load(Ordering::Relaxed), expected, "a thread would sleep");
    }

    fn wake_one(_: &AtomicUsize) {}

    fn nap(_: &AtomicUsize, _: usize) {}
}

/// The models above are worth something only if threads do sleep in them.
#[test]
#[should_panic(expected = "a thread would sleep")]
fn threads_do_sleep() {
    check_all(|| together::<Sleepless>(2, 1));
}

#[test]
fn a_failed_try_lock_changes_nothing() {
    check_all(|| {
        let shared = Arc::new(Guarded::<Futex> { lock: Lock::new(), count: UnsafeCell::new(0) });
        let other = thread::spawn({
            let shared = shared.clone();
            move || shared.add()
        });
        if let Some(_guard) = shared.lock.try_lock() {
            shared.count.with_mut(|_| ());
        }
        shared.add();
        other.join().expect("it does not panic");
    });
}

/// One thread holds as `fork` does, passes its own lock meanwhile, and others wait for it.
#[test]
fn fork_holds_and_passes() {
    check_all(|| {
        let shared = Arc::new(Guarded::<Futex> { lock: Lock::new(), count: UnsafeCell::new(0) });
        let other = thread::spawn({
            let shared = shared.clone();
            move || shared.add()
        });
        if shared.lock.hold(&mut 2) {
            shared.add();
            assert!(shared.lock.is_held(), "passing it changes nothing");
            shared.lock.release();
        }
        other.join().expect("it does not panic");
        shared.add();
    });
}

/// Who gives up waiting takes no other waiter's wake away.
#[test]
fn giving_up_strands_nobody() {
    check(3, || {
        let shared = Arc::new(Guarded::<Futex> { lock: Lock::new(), count: UnsafeCell::new(0) });
        let adds = |shared: Arc<Guarded<Futex>>| thread::spawn(move || shared.add());
        let others = [adds(shared.clone()), adds(shared.clone())];
        if shared.lock.hold(&mut 1) {
            shared.lock.release();
        } else {
            shared.lock.nudge();
        }
        others.into_iter().for_each(|other| other.join().expect("it does not panic"));
    });
}

/// `fork` in a signal handler finds the lock that the handler interrupted, and leaves it.
#[test]
fn what_was_interrupted_stays_locked() {
    check_all(|| {
        let shared = Arc::new(Guarded::<Futex> { lock: Lock::new(), count: UnsafeCell::new(0) });
        let other = thread::spawn({
            let shared = shared.clone();
            move || shared.add()
        });
        let guard = shared.lock.lock();
        assert!(shared.lock.is_interrupted(), "whoever waits leaves the name there");
        assert!(shared.lock.hold(&mut 1));
        shared.lock.release();
        shared.count.with_mut(|_| ());
        drop(guard);
        other.join().expect("it does not panic");
    });
}

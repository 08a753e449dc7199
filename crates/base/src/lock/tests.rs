use super::*;

struct Yield;

// SAFETY: the address of a thread's own storage, which living threads do not share.
unsafe impl Park for Yield {
    fn me() -> usize {
        std::thread_local!(static HERE: u64 = const { 0 });
        HERE.with(|here| core::ptr::from_ref(here).addr())
    }
    fn wait(_: &AtomicUsize, _: usize) {
        std::thread::yield_now();
    }
    fn wake_one(_: &AtomicUsize) {}
    fn nap(_: &AtomicUsize, _: usize) {
        std::thread::yield_now();
    }
}

fn hold(lock: &Lock<Yield>) -> bool {
    lock.hold(&mut 2)
}

#[test]
fn one_at_a_time() {
    static LOCK: Lock<Yield> = Lock::new();
    static INSIDE: AtomicUsize = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..1000 {
                    let _guard = LOCK.lock();
                    assert_eq!(INSIDE.fetch_add(1, Ordering::Relaxed), 0);
                    INSIDE.fetch_sub(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert!(LOCK.try_lock().is_some());
}

#[test]
fn held_is_held_until_released() {
    let lock = Lock::<Yield>::new();
    assert!(hold(&lock));
    assert!(lock.is_held());
    assert!(!lock.is_interrupted());
    assert!(lock.try_lock().is_none());
    assert!(lock.try_lock().is_none(), "a failed try leaves it held");
    lock.release();
    assert!(!lock.is_held());
    assert!(lock.try_lock().is_some());
}

#[test]
fn who_holds_it_passes_and_still_holds_it() {
    let lock = Lock::<Yield>::new();
    assert!(hold(&lock));
    drop(lock.lock());
    assert!(lock.is_held());
    lock.release();
}

#[test]
fn what_was_interrupted_stays_locked() {
    let lock = Lock::<Yield>::new();
    let guard = lock.lock();
    assert!(lock.is_interrupted());
    assert!(hold(&lock));
    lock.release();
    assert!(lock.is_interrupted(), "fork neither took it nor frees it");
    drop(guard);
    assert_eq!(lock.word.load(Ordering::Relaxed), FREE);
}

#[test]
fn another_thread_s_lock_is_not_mine() {
    let lock = Lock::<Yield>::new();
    let guard = lock.lock();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(!lock.is_interrupted());
            assert!(!hold(&lock), "the time ends");
            lock.release();
        });
    });
    assert!(lock.is_interrupted(), "only its thread releases it");
    drop(guard);
}

#[test]
fn a_waiter_does_not_change_who_is_inside() {
    let lock = Lock::<Yield>::new();
    assert!(hold(&lock));
    std::thread::scope(|scope| {
        scope.spawn(|| drop(lock.lock()));
        while lock.word.load(Ordering::Relaxed) & WAITED == 0 {
            std::thread::yield_now();
        }
        assert!(lock.is_held());
        lock.release();
    });
    assert!(lock.try_lock().is_some());
}

#[test]
fn who_leaves_to_a_waiter_waits_only_where_there_is_one() {
    static NAPS: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    // SAFETY: as `Yield`.
    unsafe impl Park for Counted {
        fn me() -> usize {
            Yield::me()
        }
        fn wait(word: &AtomicUsize, expected: usize) {
            Yield::wait(word, expected);
        }
        fn wake_one(_: &AtomicUsize) {}
        fn nap(word: &AtomicUsize, expected: usize) {
            assert_eq!(word.load(Ordering::Relaxed), expected, "it would not sleep");
            NAPS.fetch_add(1, Ordering::Relaxed);
        }
    }
    let lock = Lock::<Counted>::new();
    assert!(!lock.lock().leave_to_waiter());
    assert_eq!((NAPS.load(Ordering::Relaxed), lock.word.load(Ordering::Relaxed)), (0, FREE));
    let guard = lock.lock();
    // Somebody sleeps, and does not come.
    lock.word.fetch_or(WAITED, Ordering::Relaxed);
    assert!(guard.leave_to_waiter());
    assert_eq!((NAPS.load(Ordering::Relaxed), lock.word.load(Ordering::Relaxed)), (1, FREE));
    assert!(lock.hold(&mut 2));
    assert!(!lock.lock().leave_to_waiter());
    assert!(lock.is_held(), "who is inside by `hold` stays");
    lock.release();
}

struct Deep;

std::thread_local!(static DEPTH: core::cell::Cell<u32> = const { core::cell::Cell::new(0) });

// SAFETY: as `Yield`.
unsafe impl Park for Deep {
    fn me() -> usize {
        Yield::me()
    }
    fn wait(word: &AtomicUsize, expected: usize) {
        Yield::wait(word, expected);
    }
    fn wake_one(_: &AtomicUsize) {}
    fn nap(word: &AtomicUsize, expected: usize) {
        Yield::nap(word, expected);
    }
    fn begin() {
        DEPTH.set(DEPTH.get() + 1);
    }
    fn end() {
        DEPTH.set(DEPTH.get() - 1);
    }
    fn is_busy() -> bool {
        DEPTH.get() > 0
    }
}

#[test]
fn a_thread_is_busy_while_it_is_inside_but_not_by_hold() {
    let lock = Lock::<Deep>::new();
    let guard = lock.lock();
    assert!(Deep::is_busy());
    assert!(lock.try_lock().is_none());
    drop(guard);
    assert!(!Deep::is_busy());
    assert!(!lock.lock().leave_to_waiter());
    assert!(!Deep::is_busy());
    assert!(lock.hold(&mut 2));
    assert!(!Deep::is_busy());
    drop(lock.lock());
    assert!(lock.try_lock().is_none());
    assert!(!Deep::is_busy(), "who passes is not");
    lock.release();
    let busy = Busy::<Deep>::new();
    drop(lock.lock());
    assert!(Deep::is_busy());
    drop(busy);
    assert!(!Deep::is_busy());
}

#[test]
fn who_waited_is_busy_no_longer_than_it_is_inside() {
    let lock = Lock::<Deep>::new();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..2000 {
                    let guard = lock.lock();
                    assert_eq!(DEPTH.get(), 1);
                    std::thread::yield_now();
                    drop(guard);
                    assert_eq!(DEPTH.get(), 0);
                }
            });
        }
    });
}

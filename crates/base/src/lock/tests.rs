use super::*;
extern crate std;

struct Yield;

impl Park for Yield {
    fn wait(_: &AtomicU32, _: u32) {
        std::thread::yield_now();
    }
    fn wake_one(_: &AtomicU32) {}
}

#[test]
fn one_at_a_time() {
    static LOCK: Lock<Yield> = Lock::new();
    static INSIDE: AtomicU32 = AtomicU32::new(0);
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
    lock.hold();
    assert!(lock.try_lock().is_none());
    assert!(lock.try_lock().is_none(), "a failed try leaves it held");
    lock.release();
    assert!(lock.try_lock().is_some());
}

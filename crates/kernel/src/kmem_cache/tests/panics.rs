//! Constructors that panic: what is counted is there, and nothing is lost.
use super::*;
use core::cell::Cell;
use core::panic::AssertUnwindSafe;
use core::ptr;
use std::panic::catch_unwind;

std::thread_local! {
    static FUSE: Cell<usize> = const { Cell::new(0) };
}

fn make(_: *mut (), object: NonNull<u8>) {
    FUSE.set(FUSE.get().saturating_sub(1));
    assert!(FUSE.get() != 1, "as the test wants it");
    // SAFETY: an object's first byte.
    unsafe { object.write(0x11) };
}

/// The `n`-th call from now on panics.
fn panic_at(n: usize) {
    FUSE.set(n + 1);
}

fn settings(policy: Policy) -> Settings {
    FUSE.set(0);
    // SAFETY: it is content with any object.
    let ctor = unsafe { Hook::new(make, ptr::null_mut()) };
    Settings::new("made", 700).policy(policy).ctor(ctor)
}

fn panics<R>(call: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

#[test]
fn a_constructor_that_panics_gives_the_slab_back() {
    for policy in ALL {
        for n in (1..60).step_by(if cfg!(miri) { 29 } else { 1 }) {
            let mut cache = cache(settings(policy));
            let mut objects = Vec::new();
            panic_at(n);
            for _ in 0..60 {
                if let Ok(object) = catch_unwind(AssertUnwindSafe(|| cache.allocate())) {
                    objects.push(object.unwrap());
                }
                cache.check().unwrap();
                assert_eq!(cache.info().active, objects.len());
            }
            assert_eq!(objects.len(), 59, "once it panicked");
            give_many(&mut cache, objects);
            close(cache);
        }
    }
}

#[test]
fn a_bulk_whose_constructor_panics_has_nothing() {
    for policy in ALL {
        for n in (1..60).step_by(if cfg!(miri) { 29 } else { 1 }) {
            let mut cache = cache(settings(policy));
            panic_at(n);
            let mut out = [None; 60];
            assert!(panics(|| cache.allocate_bulk(&mut out)));
            assert_eq!(out, [None; 60]);
            cache.check().unwrap();
            assert_eq!(cache.info().active, 0, "{policy:?}");
            assert!(cache.allocate_bulk(&mut out), "the next one has all");
            cache.check().unwrap();
            give_many(&mut cache, out.into_iter().flatten());
            close(cache);
        }
    }
}

#[test]
fn a_reserve_whose_constructor_panics_keeps_no_places() {
    for policy in ALL {
        let mut cache = cache(settings(policy));
        panic_at(50);
        assert!(panics(|| cache.reserve(60)));
        cache.check().unwrap();
        assert_eq!(cache.info().active, 0);
        close(cache);
    }
}

#[test]
fn a_reserve_that_cannot_be_refilled_stays_as_it_was() {
    for policy in ALL {
        let mut cache = cache(settings(policy));
        let mut reserve = cache.reserve(60).unwrap();
        let taken: Vec<_> = (0..50).map(|_| cache.allocate_from(&mut reserve).unwrap()).collect();
        panic_at(1);
        assert!(panics(|| cache.refill(&mut reserve)));
        cache.check().unwrap();
        assert_eq!((reserve.len(), cache.info().active), (10, 60));
        assert!(cache.refill(&mut reserve));
        assert_eq!((reserve.len(), cache.info().active), (60, 110));
        cache.give_back(reserve);
        give_many(&mut cache, taken);
        close(cache);
    }
}

use super::*;
use crate::kmem_cache::toy::{Hand, Pages};
use crate::kmem_cache::{KmemCache, Policy};

use base::Check;
use base::sync::AtomicUsize;
use std::sync::mpsc;

struct Yield;

// SAFETY: the address of a thread's own storage, which living threads do not share.
unsafe impl Park for Yield {
    fn me() -> usize {
        std::thread_local!(static HERE: u64 = const { 0 });
        HERE.with(|here| ptr::from_ref(here).addr())
    }
    fn wait(_: &AtomicUsize, _: usize) {
        std::thread::yield_now();
    }
    fn wake_one(_: &AtomicUsize) {}
    fn nap(_: &AtomicUsize, _: usize) {
        std::thread::yield_now();
    }
}

type Shared = SharedKmemCache<Yield, Pages>;

fn shared(settings: Settings) -> Shared {
    Shared::new(settings, Pages::new(2048)).unwrap()
}

fn magazines(size: usize) -> Settings {
    Settings::new("shared", size).policy(Policy::Magazine(0))
}

fn close(shared: Shared) {
    shared.check().unwrap();
    assert_eq!(shared.destroy().unwrap().taken(), 0);
}

#[test]
fn a_handle_is_a_stack_of_magazines() {
    let shared = shared(magazines(40));
    let mut local = shared.local();
    let objects: Vec<_> = (0..500).map(|_| local.allocate().unwrap()).collect();
    shared.check().unwrap();
    assert_eq!(shared.info().0.active, 500);
    // SAFETY: it is live.
    objects.iter().for_each(|&object| unsafe { local.free(object) });
    shared.check().unwrap();
    let (info, counts) = shared.info();
    assert_eq!((info.active, info.cached), (0, 540), "nine magazines were filled");
    // Two are full here, one is being filled.
    assert_eq!((counts.puts, counts.gets, counts.refused), (7, 0, 0));
    let again: Vec<_> = (0..540).map(|_| local.allocate().unwrap()).collect();
    assert_eq!(shared.info().1.gets, 7, "all come from the depot");
    let last: Vec<_> = objects.iter().rev().take(20).copied().collect();
    assert_eq!(again[..20], last, "the last ones first");
    // SAFETY: it is live.
    again.into_iter().for_each(|object| unsafe { local.free(object) });
    drop(local);
    assert_eq!(shared.info().0.active, 0);
    close(shared);
}

#[test]
fn the_end_of_a_handle_loses_nothing() {
    let shared = shared(magazines(40));
    let mut kept = Vec::new();
    for _ in 0..50 {
        let mut local = shared.local();
        let one = local.allocate().unwrap();
        kept.push(local.allocate().unwrap());
        // SAFETY: it is live.
        unsafe { local.free(one) };
    }
    let (info, _) = shared.info();
    // From the 43rd on the first has no 60 free objects.
    assert_eq!((info.active, info.cached, info.slabs), (50, 0, 2));
    // SAFETY: it is live.
    kept.into_iter().for_each(|object| unsafe { shared.free(object) });
    close(shared);
}

#[test]
fn without_a_handle_there_are_slots() {
    for settings in
        [magazines(40), Settings::new("plain", 40), magazines(40).debug(DebugFlags::ALL)]
    {
        let shared = shared(settings);
        let mut bulk = [None; 130];
        assert!(shared.allocate_bulk(&mut bulk));
        let one = shared.allocate_zeroed().unwrap();
        let near = shared.alloc_near(one).unwrap();
        assert_eq!(shared.info().0.active, 132);
        shared.check().unwrap();
        shared.validate().unwrap();
        let objects: Vec<_> = bulk.into_iter().flatten().collect();
        // SAFETY: all are live.
        unsafe { shared.free_bulk(&objects) };
        // SAFETY: it is live.
        unsafe { shared.free(near) };
        // SAFETY: it is live.
        unsafe { shared.free_for(one, 7) }.unwrap();
        // SAFETY: it is refused.
        let found = unsafe { shared.try_free(one) }.unwrap_err();
        assert_eq!(found.finding, Finding::DoubleFree);
        let local = 0u64;
        // SAFETY: as above.
        let found = unsafe { shared.try_free(NonNull::from(&local).cast()) }.unwrap_err();
        assert_eq!(found.finding, Finding::Foreign);
        close(shared);
    }
}

#[test]
fn objects_that_outlive_it_keep_it() {
    let shared = shared(magazines(40));
    let object = shared.allocate().unwrap();
    let Err(InUse { cache, live, .. }) = shared.destroy() else { panic!("it went") };
    assert_eq!(live, 1);
    // SAFETY: it is live.
    unsafe { cache.free(object) };
    close(cache);
}

#[test]
fn shrinking_gives_all_but_handles_back() {
    let shared = shared(magazines(1024));
    let mut local = shared.local();
    let objects: Vec<_> = (0..200).map(|_| shared.allocate().unwrap()).collect();
    // SAFETY: it is live.
    objects.into_iter().for_each(|object| unsafe { shared.free(object) });
    let one = local.allocate().unwrap();
    shared.shrink();
    shared.check().unwrap();
    let (info, _) = shared.info();
    assert_eq!((info.active, info.cached), (1, 11));
    assert!(info.slabs <= 12, "one for each object that is left at most");
    // SAFETY: it is live.
    unsafe { local.free(one) };
    drop(local);
    close(shared);
}

#[test]
fn refused_pages_lose_nothing() {
    for granted in 1..30 {
        let mut pages = Pages::new(512);
        pages.refuse_some(granted, 15);
        let shared = Shared::new(magazines(700), pages).unwrap();
        let mut local = shared.local();
        let mut objects = Vec::new();
        for round in 0..60 {
            let mut bulk = [None; 7];
            if round % 2 == 0 {
                objects.extend(local.allocate());
            } else if local.allocate_bulk(&mut bulk) {
                objects.extend(bulk.into_iter().flatten());
            } else {
                assert_eq!(bulk, [None; 7], "all or nothing");
            }
            if round % 5 == 4 {
                let object = objects.swap_remove(objects.len() / 2);
                // SAFETY: it is live.
                unsafe { local.free(object) };
            }
            shared.check().unwrap();
            assert_eq!(shared.info().0.active, objects.len());
        }
        // SAFETY: it is live.
        objects.into_iter().for_each(|object| unsafe { local.free(object) });
        drop(local);
        close(shared);
    }
}

/// Objects go from thread to thread, each with its number in it.
#[test]
fn threads_free_what_others_allocated() {
    const THREADS: usize = 4;
    const EACH: usize = if cfg!(miri) { 100 } else { 4000 };
    for with_handles in [true, false] {
        let shared = shared(magazines(64));
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..THREADS).map(|_| mpsc::channel::<Hand>()).unzip();
        std::thread::scope(|scope| {
            for (number, receiver) in receivers.into_iter().enumerate() {
                let next = senders[(number + 1) % THREADS].clone();
                let shared = &shared;
                scope.spawn(move || {
                    let mut local = shared.local();
                    for count in 0..EACH {
                        let object =
                            if with_handles { local.allocate() } else { shared.allocate() }
                                .unwrap();
                        // SAFETY: an object of 64 bytes.
                        unsafe { object.cast::<[usize; 8]>().write([number + count; 8]) };
                        next.send(Hand(object)).unwrap();
                        let Hand(came) = receiver.recv().unwrap();
                        let came = came.cast::<[usize; 8]>();
                        // SAFETY: a live object, which only this thread has.
                        let words = unsafe { came.read() };
                        assert!(words.iter().all(|&word| word == words[0]));
                        assert_eq!(words[0] - count, (number + THREADS - 1) % THREADS);
                        if with_handles {
                            // SAFETY: it is live.
                            unsafe { local.free(came.cast()) };
                        } else {
                            // SAFETY: it is live.
                            unsafe { shared.free(came.cast()) };
                        }
                    }
                });
            }
        });
        assert_eq!(shared.info().0.active, 0);
        close(shared);
    }
}

#[test]
fn a_reserve_cannot_fail() {
    let shared = shared(magazines(700));
    let mut reserve = shared.reserve(50).unwrap();
    let objects: Vec<_> = core::iter::from_fn(|| shared.allocate_from(&mut reserve)).collect();
    assert_eq!((objects.len(), shared.info().0.active), (50, 50));
    assert!(shared.refill(&mut reserve));
    objects.into_iter().for_each(|object| {
        // SAFETY: it is live.
        unsafe { shared.free(object) };
    });
    shared.give_back(reserve);
    for count in [usize::MAX, usize::MAX / 4096] {
        assert!(shared.reserve(count).is_none());
    }
    close(shared);
}

/// One owner becomes any thread by a lock around it.
#[test]
fn a_cache_behind_a_lock() {
    let cache = KmemCache::new(Settings::new("locked", 40), Pages::new(64)).unwrap();
    let locked = Guarded::<Yield, _>::new(cache);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..if cfg!(miri) { 20 } else { 500 } {
                    let object = locked.lock().allocate().unwrap();
                    // SAFETY: it is live.
                    unsafe { locked.lock().free(object) };
                }
            });
        }
    });
    assert_eq!(locked.lock().info().active, 0);
    locked.lock().check().unwrap();
}

#[test]
fn what_may_go_to_other_threads() {
    fn is_send<T: Send>() {}
    fn is_sync<T: Sync>() {}
    is_send::<KmemCache<Pages>>();
    is_send::<crate::kmem_cache::Reserve>();
    is_send::<crate::kmalloc::Kmalloc<Pages>>();
    is_send::<Shared>();
    is_sync::<Shared>();
    is_send::<LocalKmemCache<'_, Yield, Pages>>();
}

#[test]
fn a_bulk_that_fails_leaves_the_callers_objects_alone() {
    for settings in [magazines(4096), Settings::new("shared", 4096)] {
        let shared = Shared::new(settings, Pages::new(40)).unwrap();
        let mut mine = [None; 8];
        assert!(shared.allocate_bulk(&mut mine));
        let mut wanted = [None; 64];
        wanted[56..].copy_from_slice(&mine);
        assert!(!shared.allocate_bulk(&mut wanted));
        assert_eq!((wanted, shared.info().0.active), ([None; 64], 8));
        shared.check().unwrap();
        // SAFETY: all are live.
        mine.into_iter().flatten().for_each(|object| unsafe { shared.free(object) });
        close(shared);
    }
}

#[test]
fn a_reserve_is_of_no_use_to_another_cache() {
    let (one, other) = (shared(magazines(64)), shared(magazines(64)));
    let mut reserve = one.reserve(4).unwrap();
    for _ in 0..2 {
        let call = core::panic::AssertUnwindSafe(|| other.allocate_from(&mut reserve));
        assert!(std::panic::catch_unwind(call).is_err());
        let call = core::panic::AssertUnwindSafe(|| other.refill(&mut reserve));
        assert!(std::panic::catch_unwind(call).is_err());
        let own = other.reserve(2).unwrap();
        other.give_back(own);
    }
    one.give_back(reserve);
    close(one);
    close(other);
}

#[test]
fn trying_sees_what_the_magazines_at_hand_hide() {
    let shared = shared(magazines(64));
    let mut local = shared.local();
    let objects: Vec<_> = (0..200).map(|_| local.allocate().unwrap()).collect();
    // SAFETY: inside of the object.
    let inside = unsafe { objects[0].byte_add(8) };
    // SAFETY: it is refused.
    assert_eq!(unsafe { local.try_free(inside) }.unwrap_err().finding, Finding::Inside);
    // SAFETY: as above.
    assert_eq!(unsafe { shared.try_free(inside) }.unwrap_err().finding, Finding::Inside);
    for &object in &objects[..50] {
        // SAFETY: it is live.
        unsafe { local.try_free(object) }.unwrap();
    }
    for &object in &objects[..50] {
        // SAFETY: it is refused.
        let found = unsafe { local.try_free(object) };
        assert_eq!(found.unwrap_err().finding, Finding::DoubleFree);
    }
    for &object in &objects[50..] {
        // SAFETY: it is live.
        unsafe { local.try_free(object) }.unwrap();
    }
    shared.check().unwrap();
    drop(local);
    close(shared);
}

#[test]
fn a_misuse_that_shows_late_loses_no_magazine() {
    let shared = shared(magazines(64));
    let late = core::panic::AssertUnwindSafe(|| {
        let mut local = shared.local();
        let (one, two) = (local.allocate().unwrap(), local.allocate().unwrap());
        // SAFETY: the last one is a double free, which is what is tested.
        [one, two, one].into_iter().for_each(|object| unsafe { local.free(object) });
        drop(local);
    });
    assert!(std::panic::catch_unwind(late).is_err());
    assert_eq!(shared.info().0.active, 0);
    close(shared);
}

#[test]
fn a_destructor_that_panics_loses_no_magazine() {
    use core::sync::atomic::{AtomicUsize, Ordering};
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    fn unmake(_: *mut (), _: NonNull<u8>) {
        assert!(CALLS.fetch_add(1, Ordering::Relaxed) != 3, "as the test wants it");
    }
    // SAFETY: it is content with any object.
    let dtor = unsafe { crate::kmem_cache::Hook::new(unmake, ptr::null_mut()) };
    let shared = shared(magazines(700).dtor(dtor));
    let mut local = shared.local();
    let objects: Vec<_> = (0..500).map(|_| local.allocate().unwrap()).collect();
    let mut calls = 0;
    for object in objects {
        // SAFETY: it is live.
        let free = core::panic::AssertUnwindSafe(|| unsafe { local.free(object) });
        if std::panic::catch_unwind(free).is_err() {
            calls += 1;
            // SAFETY: it is live, as the panic came first; or it is refused.
            let _ = unsafe { local.try_free(object) };
            shared.check().unwrap();
        }
    }
    let end = core::panic::AssertUnwindSafe(|| drop(local));
    calls += usize::from(std::panic::catch_unwind(end).is_err());
    assert_eq!(calls, 1);
    close(shared);
}

#[test]
fn a_handle_that_was_forgotten_keeps_nothing_from_its_cache() {
    for forgotten in 1..5 {
        let shared = shared(magazines(64));
        for _ in 0..forgotten {
            let mut local = shared.local();
            let objects: Vec<_> = (0..100).map(|_| local.allocate().unwrap()).collect();
            // SAFETY: it is live.
            objects.into_iter().for_each(|object| unsafe { local.free(object) });
            core::mem::forget(local);
        }
        close(shared);
    }
}

#[test]
fn a_constructor_that_panics_in_a_bulk_or_a_reserve_loses_nothing() {
    use core::sync::atomic::{AtomicUsize, Ordering};
    /// Calls until one panics.
    static LEFT: AtomicUsize = AtomicUsize::new(0);
    fn make(_: *mut (), _: NonNull<u8>) {
        assert!(LEFT.fetch_sub(1, Ordering::Relaxed) != 1, "as the test wants it");
    }
    // SAFETY: it is content with any object.
    let ctor = unsafe { crate::kmem_cache::Hook::new(make, ptr::null_mut()) };
    for settings in [magazines(700), Settings::new("plain", 700)] {
        let shared = shared(settings.ctor(ctor));
        let mut out = [None; 60];
        LEFT.store(40, Ordering::Relaxed);
        let bulk = core::panic::AssertUnwindSafe(|| shared.allocate_bulk(&mut out));
        assert!(std::panic::catch_unwind(bulk).is_err());
        assert_eq!((out, shared.info().0.active), ([None; 60], 0));
        shared.check().unwrap();
        // What is left of the slabs made before is not enough.
        LEFT.store(10, Ordering::Relaxed);
        let reserve = core::panic::AssertUnwindSafe(|| shared.reserve(60));
        assert!(std::panic::catch_unwind(reserve).is_err());
        assert_eq!(shared.info().0.active, 0);
        LEFT.store(usize::MAX, Ordering::Relaxed);
        assert!(shared.allocate_bulk(&mut out));
        let objects: Vec<_> = out.into_iter().flatten().collect();
        // SAFETY: all are live.
        unsafe { shared.free_bulk(&objects) };
        close(shared);
    }
}

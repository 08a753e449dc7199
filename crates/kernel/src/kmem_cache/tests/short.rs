//! Memory that runs out: every page call in turn is refused.
use super::*;

/// Works until `granted` calls were made, then `refused` times without memory, then with it again.
fn survives(policy: Policy, granted: usize, refused: usize) -> bool {
    let mut cache = cache(Settings::new("short", 700).policy(policy));
    pages(&mut cache).refuse_some(granted, refused);
    let mut objects = Vec::new();
    let mut failed = false;
    for round in 0..40 {
        if round % 4 == 3 {
            let before = cache.info();
            let mut bulk = [None; 9];
            if cache.allocate_bulk(&mut bulk) {
                objects.extend(bulk.into_iter().flatten());
            } else {
                assert_eq!(bulk, [None; 9], "all or nothing");
                assert_eq!(cache.info().active, before.active);
                failed = true;
            }
        } else if let Some(object) = cache.allocate() {
            objects.push(object);
        } else {
            failed = true;
        }
        cache.check().unwrap();
        assert_eq!(cache.info().active, objects.len());
    }
    give_many(&mut cache, objects);
    close(cache);
    failed
}

#[test]
fn every_call_refused_in_turn() {
    for policy in ALL {
        for granted in 1..30 {
            assert!(!survives(policy, granted, 1), "a slab of less pages is tried");
        }
        let failures = (1..30).filter(|&granted| survives(policy, granted, 12)).count();
        assert!(failures > 0);
    }
}

#[test]
fn exhaustion_in_the_middle_of_a_bulk() {
    for policy in ALL {
        let mut cache =
            KmemCache::new(Settings::new("short", 4096).policy(policy), Pages::new(40)).unwrap();
        let mut objects = Vec::new();
        while let Some(object) = cache.allocate() {
            objects.push(object);
        }
        assert!(objects.len() >= 24);
        give_many(&mut cache, objects.drain(..5));
        let mut bulk = [None; 6];
        assert!(!cache.allocate_bulk(&mut bulk));
        assert_eq!(bulk, [None; 6]);
        cache.check().unwrap();
        assert!(cache.allocate_bulk(&mut bulk[..5]), "the five are still there");
        give_many(&mut cache, objects.into_iter().chain(bulk.into_iter().flatten()));
        close(cache);
    }
}

#[test]
fn a_slab_of_less_pages_when_there_are_no_long_runs() {
    let mut cache = cache(Settings::new("eight", 2048));
    assert_eq!(cache.info().pages_per_slab, 8);
    pages(&mut cache).at_most(1);
    let objects = take_many(&mut cache, 5);
    assert_eq!((cache.info().slabs, cache.info().objects), (3, 6));
    pages(&mut cache).at_most(8);
    let more = take_many(&mut cache, 2);
    assert_eq!((cache.info().slabs, cache.info().objects), (4, 22));
    give_many(&mut cache, objects.into_iter().chain(more));
    close(cache);
}

#[test]
fn a_reserve_cannot_fail() {
    for policy in ALL {
        let mut cache = cache(Settings::new("sure", 700).policy(policy));
        let mut reserve = cache.reserve(100).unwrap();
        let mut objects = Vec::new();
        pages(&mut cache).at_most(0);
        for left in (0..100).rev() {
            objects.push(cache.allocate_from(&mut reserve).unwrap());
            assert_eq!(reserve.len(), left);
        }
        assert_eq!(cache.allocate_from(&mut reserve), None);
        while let Some(object) = cache.allocate() {
            objects.push(object);
        }
        give_many(&mut cache, objects.drain(..30));
        assert!(!cache.refill(&mut reserve), "100 are not there");
        assert!(reserve.is_empty());
        cache.check().unwrap();
        pages(&mut cache).at_most(usize::MAX);
        assert!(cache.refill(&mut reserve));
        objects.push(cache.allocate_from(&mut reserve).unwrap());
        cache.give_back(reserve);
        cache.check().unwrap();
        objects.sort_unstable();
        let count = objects.len();
        objects.dedup();
        assert_eq!(objects.len(), count);
        give_many(&mut cache, objects);
        close(cache);
    }
}

#[test]
fn a_bulk_that_fails_leaves_the_callers_objects_alone() {
    for policy in ALL {
        let mut cache = cache(Settings::new("short", 1024).policy(policy));
        let mut bulk = [None; 16];
        assert!(cache.allocate_bulk(&mut bulk));
        let mine: Vec<_> = bulk.into_iter().flatten().collect();
        give(&mut cache, mine[15]);
        pages(&mut cache).at_most(0);
        let mut wanted = [None; 600];
        wanted[584..].copy_from_slice(&bulk);
        assert!(!cache.allocate_bulk(&mut wanted));
        assert_eq!(wanted, [None; 600]);
        assert_eq!(cache.info().active, 15, "{policy:?}");
        cache.check().unwrap();
        while let Some(object) = cache.allocate() {
            assert!(!mine[..15].contains(&object), "nobody else gets what is in use");
        }
        cache.check().unwrap();
    }
}

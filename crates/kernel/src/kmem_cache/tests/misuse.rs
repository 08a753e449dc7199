//! Pointers that are wrong: what is said, and that nothing has changed.
use super::*;

fn finding(found: Result<(), Misuse>) -> Finding {
    found.unwrap_err().finding
}

#[test]
fn wrong_pointers_are_refused() {
    for policy in ALL {
        let mut cache = cache(Settings::new("flow", 40).policy(policy));
        let mut other = super::cache(Settings::new("other", 40).policy(policy));
        let (one, two) = (take(&mut cache), take(&mut cache));
        let theirs = take(&mut other);
        let local = 0u64;
        // SAFETY: wrong pointers are refused.
        unsafe {
            assert_eq!(finding(cache.try_free(NonNull::from(&local).cast())), Finding::Foreign);
        };
        // SAFETY: as above.
        unsafe { assert_eq!(finding(cache.try_free(theirs)), Finding::Foreign) };
        give(&mut cache, one);
        // SAFETY: as above.
        unsafe { assert_eq!(finding(cache.try_free(one)), Finding::DoubleFree) };
        cache.check().unwrap();
        assert_eq!(cache.info().active, 1);
        assert!(cache.owns(two.addr().get()) && !cache.owns(theirs.addr().get()));
        give(&mut cache, two);
        give(&mut other, theirs);
        close(cache);
        close(other);
    }
}

#[test]
fn without_magazines_all_is_seen_at_once() {
    for policy in [Policy::SlabLifo, Policy::Random(1)] {
        let mut cache = cache(Settings::new("flow", 40).policy(policy));
        let (one, two) = (take(&mut cache), take(&mut cache));
        // SAFETY: inside of the object.
        let inside = unsafe { one.byte_add(8) };
        // SAFETY: wrong pointers are refused.
        unsafe { assert_eq!(finding(cache.try_free(inside)), Finding::Inside) };
        give(&mut cache, one);
        give(&mut cache, two);
        // SAFETY: wrong pointers are refused.
        unsafe { assert_eq!(finding(cache.try_free(one)), Finding::DoubleFree) };
        // SAFETY: as above.
        let found = unsafe { cache.try_free_bulk(&[two, one]) };
        assert_eq!(finding(found), Finding::DoubleFree);
        cache.check().unwrap();
        close(cache);
    }
}

#[test]
#[should_panic(expected = "is free already (double free)")]
fn what_a_magazine_hides_shows_when_it_is_emptied() {
    let mut cache = cache(Settings::new("flow", 40).policy(Policy::Magazine(0)));
    let (one, two) = (take(&mut cache), take(&mut cache));
    // SAFETY: the last one is a double free, which is what is tested.
    [one, two, one].into_iter().for_each(|object| unsafe { cache.free(object) });
    cache.shrink();
}

#[test]
#[should_panic(expected = "cache flow: 0x")]
fn the_message_names_the_cache() {
    let mut cache = cache(Settings::new("flow", 40));
    let object = take(&mut cache);
    give(&mut cache, object);
    // SAFETY: a double free, which is what is tested.
    unsafe { cache.free(object) };
}

#[test]
fn an_object_that_outlives_its_cache_keeps_it() {
    for policy in ALL {
        let mut cache = cache(Settings::new("flow", 40).policy(policy));
        let objects = take_many(&mut cache, 3);
        let Err(InUse { cache, live, name }) = cache.destroy() else { panic!("it went") };
        assert_eq!((live, name.as_str()), (3, "flow"));
        let mut cache = cache;
        cache.check().unwrap();
        give_many(&mut cache, objects);
        close(cache);
    }
}

#[test]
fn messages() {
    let misuse =
        |finding, users| Misuse { cache: Name::new("flow"), address: 0x1000, finding, users };
    let table = [
        (Finding::Foreign, "cache flow: 0x1000 is no live object of it"),
        (Finding::Inside, "cache flow: 0x1000 points into a slab, not at an object's start"),
        (Finding::DoubleFree, "cache flow: 0x1000 is free already (double free)"),
        (Finding::Free, "cache flow: 0x1000 is free"),
        (
            Finding::RedZone { at: 0x1028, found: 7 },
            "cache flow: 0x1000 was written beyond its ends: 0x07 at 0x1028",
        ),
        (
            Finding::UseAfterFree { at: 0x1008, found: 0xff },
            "cache flow: 0x1000 was written after it was freed: 0xff at 0x1008",
        ),
        (
            Finding::Padding { at: 0x1030, found: 0 },
            "cache flow: 0x1000 is followed by padding that was written: 0x00 at 0x1030",
        ),
    ];
    for (finding, line) in table {
        assert_eq!(misuse(finding, None).to_string(), line);
    }
    let users = Some(Users { allocated: 0xa, freed: 0xb });
    assert_eq!(
        misuse(Finding::DoubleFree, users).to_string(),
        "cache flow: 0x1000 is free already (double free); allocated by 0xa, freed by 0xb"
    );
}

#[test]
fn settings_that_make_no_cache() {
    let refused = |settings| KmemCache::new(settings, Pages::new(1)).unwrap_err();
    assert_eq!(refused(Settings::new("empty", 0)), Refused::Empty);
    assert_eq!(refused(Settings::new("large", (4 << 20) + 1)), Refused::TooLarge);
    assert_eq!(refused(Settings::new("max", usize::MAX)), Refused::TooLarge);
    assert_eq!(refused(Settings::new("odd", 8).align(24)), Refused::Alignment);
    assert_eq!(refused(Settings::new("wide", 8).align(8192)), Refused::Alignment);
}

#[test]
fn trying_sees_what_magazines_hide() {
    let mut cache = cache(Settings::new("flow", 64).policy(Policy::Magazine(0)));
    let objects: Vec<_> = (0..200).map(|_| cache.allocate().unwrap()).collect();
    let (one, two) = (objects[0], objects[1]);
    // SAFETY: inside of the object.
    let inside = unsafe { one.byte_add(8) };
    // SAFETY: wrong pointers are refused.
    unsafe { assert_eq!(finding(cache.try_free(inside)), Finding::Inside) };
    for object in [one, two] {
        // SAFETY: it is live.
        unsafe { cache.try_free(object) }.unwrap();
    }
    for object in [one, two, one] {
        // SAFETY: it is refused.
        unsafe { assert_eq!(finding(cache.try_free(object)), Finding::DoubleFree) };
        // SAFETY: as above.
        unsafe { assert_eq!(finding(cache.free_for(object, 7)), Finding::DoubleFree) };
    }
    cache.check().unwrap();
    let mut freed = Vec::from([one, two]);
    for &object in &objects[2..] {
        // SAFETY: it is live.
        unsafe { cache.try_free(object) }.unwrap();
        freed.push(object);
        if freed.len() % 20 == 0 {
            // SAFETY: it is refused.
            freed.iter().for_each(|&object| unsafe {
                assert_eq!(finding(cache.try_free(object)), Finding::DoubleFree)
            });
            cache.check().unwrap();
        }
    }
    close(cache);
}

#[test]
fn trying_in_bulk_sees_what_is_there_twice() {
    for policy in ALL {
        for others in [0, 70] {
            let mut cache = cache(Settings::new("flow", 64).policy(policy));
            let mut objects = take_many(&mut cache, 2 + others);
            objects.push(objects[0]);
            // SAFETY: the last one is refused.
            let found = unsafe { cache.try_free_bulk(&objects) };
            assert_eq!(finding(found), Finding::DoubleFree);
            cache.check().unwrap();
            assert_eq!(cache.info().active, 0, "all that was right is free");
            assert_ne!(take(&mut cache), take(&mut cache));
        }
        let mut cache = cache(Settings::new("flow", 64).policy(policy));
        let one = take(&mut cache);
        // SAFETY: the second one is refused.
        assert_eq!(finding(unsafe { cache.try_free_bulk(&[one, one]) }), Finding::DoubleFree);
        cache.check().unwrap();
        close(cache);
    }
}

#[test]
fn trying_says_what_a_magazine_hid_and_still_frees() {
    let mut cache = cache(Settings::new("flow", 64).policy(Policy::Magazine(0)));
    let objects: Vec<_> = (0..200).map(|_| cache.allocate().unwrap()).collect();
    // SAFETY: the last one is a double free, which is what is tested.
    [objects[0], objects[1], objects[0]]
        .into_iter()
        .for_each(|object| unsafe { cache.free(object) });
    let mut said = Vec::new();
    for &object in &objects[2..] {
        // SAFETY: it is live.
        said.extend(unsafe { cache.try_free(object) }.err());
    }
    let named: Vec<_> = said.iter().map(|misuse| (misuse.address, misuse.finding)).collect();
    assert_eq!(named, [(objects[0].addr().get(), Finding::DoubleFree)]);
    cache.check().unwrap();
    close(cache);
}

#[test]
fn an_object_freed_again_as_its_magazine_is_emptied_is_not_handed_out_twice() {
    let mut cache = cache(Settings::new("flow", 64).policy(Policy::Magazine(0)));
    let objects = take_many(&mut cache, 120);
    // SAFETY: all are live.
    objects.iter().for_each(|&object| unsafe { cache.free(object) });
    let again = core::panic::AssertUnwindSafe(|| {
        // SAFETY: a double free, as two magazines are full, which is what is tested.
        unsafe { cache.free(objects[0]) };
    });
    assert!(std::panic::catch_unwind(again).is_err());
    cache.check().unwrap();
    close(cache);
}

use super::*;
use crate::kmem_cache::toy::Pages;
use crate::kmem_cache::{DebugFlags, Hook, Policy};

extern crate std;
use std::string::String;
use std::vec::Vec;

fn caches() -> Caches<Pages, 8> {
    Caches::new(Pages::new(512))
}

fn leave(_: *mut (), _: NonNull<u8>) {}

#[test]
fn the_kernel_s_rule() {
    let plain = |size| Settings::new("new", size);
    // SAFETY: it does nothing.
    let hook = unsafe { Hook::new(leave, core::ptr::null_mut()) };
    let table = [
        (plain(40), true, "the same"),
        (plain(33), true, "less than a word smaller once it is aligned"),
        (plain(32), false, "a word smaller"),
        (plain(41), false, "larger"),
        (plain(40).align(8), true, "no more aligned"),
        (plain(40).align(16), false, "48 bytes apart"),
        (plain(40).align_to_lines(), false, "64 bytes apart"),
        (plain(40).ctor(hook), false, "a constructor"),
        (plain(40).dtor(hook), false, "a destructor"),
        (plain(40).no_merge(), false, "it must not"),
        (plain(40).debug(DebugFlags::SANITY), false, "checks"),
        (plain(40).policy(Policy::Magazine(0)), false, "another policy"),
    ];
    for (settings, shares, why) in table {
        let mut caches = caches();
        let old = caches.create(Settings::new("old", 40)).unwrap();
        let new = caches.create(settings).unwrap();
        assert_eq!(old == new, shares, "{why}");
        assert_eq!(caches.info(old).unwrap().aliases, usize::from(shares));
        assert_eq!(caches.infos().count(), 2 - usize::from(shares));

        // The rule is the same the other way round, but for the size.
        let mut caches = self::caches();
        let old = caches.create(settings).unwrap();
        let new = caches.create(Settings::new("new", 40)).unwrap();
        assert_eq!(old == new, shares, "{why}, the other way round");
    }
}

#[test]
fn alignments_that_fit() {
    let mut caches = caches();
    let wide = caches.create(Settings::new("wide", 64).align(64)).unwrap();
    assert_eq!(caches.create(Settings::new("same", 64)), Ok(wide), "64 is aligned to 8");
    let mut caches = self::caches();
    let plain = caches.create(Settings::new("plain", 64)).unwrap();
    assert_ne!(caches.create(Settings::new("wide", 64).align(64)), Ok(plain), "not promised");
}

#[test]
fn two_users_of_one_cache() {
    let mut caches = caches();
    let one = caches.create(Settings::new("one", 36)).unwrap();
    let two = caches.create(Settings::new("two", 40)).unwrap();
    let (a, b) = (caches.allocate(one).unwrap(), caches.allocate_zeroed(two).unwrap());
    assert_eq!(b.addr().get() - a.addr().get(), 40, "in one slab");
    // SAFETY: an object of 40 bytes, all of which were zeroed.
    assert_eq!(unsafe { b.cast::<[u8; 40]>().read() }, [0; 40]);
    assert_eq!(caches.destroy(two), Ok(()));
    assert_eq!(caches.destroy(one), Err(CacheError::InUse(2)));
    for object in [a, b] {
        // SAFETY: it is live.
        unsafe { caches.free(object) };
        caches.check().unwrap();
    }
    assert_eq!(caches.destroy(one), Ok(()));
    assert_eq!(caches.destroy(one), Err(CacheError::Unknown));
    assert_eq!(caches.allocate(one), Err(CacheError::Unknown));
    let other = caches.create(Settings::new("three", 36)).unwrap();
    assert_eq!(caches.allocate(one), Err(CacheError::Unknown), "the place is another's now");
    assert_eq!(caches.destroy(other), Ok(()));
}

#[test]
fn wrong_caches_are_named() {
    for policy in [Policy::SlabLifo, Policy::Magazine(0)] {
        let mut caches = caches();
        let one = caches.create(Settings::new("one", 40).policy(policy)).unwrap();
        let two = caches.create(Settings::new("two", 64).policy(policy)).unwrap();
        let object = caches.allocate(one).unwrap();
        let other = caches.allocate(two).unwrap();
        // SAFETY: it is refused.
        let error = unsafe { caches.try_free(two, object) }.unwrap_err();
        let CacheError::Misuse(misuse) = error else { panic!("{error}") };
        assert_eq!(
            (misuse.cache, misuse.finding),
            (Name::new("two"), Finding::WrongCache(Name::new("one")))
        );
        caches.check().unwrap();
        // SAFETY: both are live.
        unsafe { caches.try_free(one, object) }.unwrap();
        // SAFETY: as above.
        unsafe { caches.free(other) };
        // SAFETY: it is refused.
        let error = unsafe { caches.try_free(one, object) }.unwrap_err();
        assert!(matches!(error, CacheError::Misuse(Misuse { finding: Finding::DoubleFree, .. })));
        caches.check().unwrap();
    }
}

#[test]
#[should_panic(expected = "is no live object of them")]
fn nobody_s_object() {
    let object = NonNull::<u64>::dangling().cast();
    // SAFETY: a wrong pointer, which is what is tested.
    unsafe { caches().free(object) };
}

#[test]
fn a_set_that_is_full() {
    let mut caches = caches();
    for size in 1..=8 {
        caches.create(Settings::new("own", size * 8)).unwrap();
    }
    assert_eq!(caches.create(Settings::new("ninth", 100)), Err(CacheError::Full));
    assert!(caches.create(Settings::new("shares", 64)).is_ok());
    assert_eq!(caches.create(Settings::new("none", 0)), Err(CacheError::Refused(Refused::Empty)));
}

#[test]
fn empty_slabs_help_other_caches() {
    let mut caches = Caches::<Pages, 4>::new(Pages::new(64));
    let small = caches.create(Settings::new("small", 100).policy(Policy::Magazine(0))).unwrap();
    let large = caches.create(Settings::new("large", 128 << 10)).unwrap();
    let mut objects: Vec<NonNull<u8>> = Vec::new();
    while let Ok(object) = caches.allocate(small) {
        objects.push(object);
    }
    assert_eq!(caches.allocate(large), Err(CacheError::NoMemory));
    caches.check().unwrap();
    objects.into_iter().for_each(|object| {
        // SAFETY: it is live.
        unsafe { caches.free(object) };
    });
    let block = caches.allocate(large).unwrap();
    let mut bulk = [None; 4];
    assert_eq!(caches.allocate_bulk(large, &mut bulk), Err(CacheError::NoMemory));
    assert_eq!(bulk, [None; 4]);
    // SAFETY: it is live.
    unsafe { caches.free(block) };
    caches.check().unwrap();
}

#[test]
fn slabinfo_has_a_line_for_each() {
    let mut caches = caches();
    let flow = caches.create(Settings::new("flow", 40)).unwrap();
    caches.create(Settings::new("page", 4096)).unwrap();
    let object = caches.allocate(flow).unwrap();
    let mut text = String::new();
    caches.slabinfo(&mut text).unwrap();
    let lines: Vec<&str> = text.lines().skip(2).collect();
    assert_eq!(
        lines,
        [
            "flow                 102    102     40  102    1 : tunables    0    0    0 : slabdata      1      1      0",
            "page                   0      0   4096    8    8 : tunables    0    0    0 : slabdata      0      0      0",
        ]
    );
    // SAFETY: it is live.
    unsafe { caches.free(object) };
}

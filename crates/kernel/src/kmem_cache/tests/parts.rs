//! Where objects lie: near each other, in slabs that go back.
use super::*;

#[test]
fn near_is_in_the_same_slab_if_there_is_room() {
    let mut cache = cache(Settings::new("near", 40));
    let first = take_many(&mut cache, 102);
    let second = take_many(&mut cache, 10);
    assert_eq!(cache.alloc_near(second[0]).unwrap().addr().get() & !4095, second[0].addr().get());
    give(&mut cache, first[7]);
    give(&mut cache, first[8]);
    assert_eq!(cache.alloc_near(first[100]), Some(first[8]));
    assert_eq!(cache.alloc_near(first[100]), Some(first[7]));
    cache.check().unwrap();
    let elsewhere = cache.alloc_near(first[100]).unwrap();
    assert_eq!(elsewhere.addr().get() & !4095, second[0].addr().get(), "the first is full");
    cache.check().unwrap();
}

#[test]
#[should_panic(expected = "is no live object of it")]
fn near_to_nothing() {
    let mut cache = cache(Settings::new("near", 40));
    cache.alloc_near(NonNull::dangling());
}

#[test]
fn what_may_go_to_other_threads() {
    fn is_send<T: Send>() {}
    is_send::<KmemCache<Pages>>();
    is_send::<Reserve>();
    is_send::<crate::kmalloc::Kmalloc<Pages>>();
}

#[test]
fn empty_slabs_are_kept_up_to_a_number() {
    let mut cache = cache(Settings::new("kept", 40));
    let objects = take_many(&mut cache, 102 * 20);
    give_many(&mut cache, objects);
    // Five are partial, and the present one is no partial one.
    assert_eq!((cache.info().partial, cache.info().slabs), (5, 6));
    assert_eq!(cache.shrink(), 6);
    assert_eq!(cache.info().slabs, 0);
    close(cache);
}

#[test]
fn shrinking_puts_the_fullest_in_front() {
    let mut cache = cache(Settings::new("sorted", 40));
    let slabs: Vec<Vec<_>> = (0..6).map(|_| take_many(&mut cache, 102)).collect();
    let _rest = take(&mut cache);
    for (slab, free) in slabs.iter().zip([30, 102, 3, 60, 1, 3]) {
        give_many(&mut cache, slab[..free].iter().copied());
    }
    assert_eq!(cache.shrink(), 1, "the empty one");
    cache.check().unwrap();
    let _exhausted = take_many(&mut cache, 101);
    let order = [4, 2, 2, 2, 5, 5, 5, 0];
    for slab in order {
        let page = take(&mut cache).addr().get() & !4095;
        assert_eq!(page, slabs[slab][0].addr().get() & !4095);
    }
}

#[test]
fn slabinfo() {
    let mut cache = cache(Settings::new("vm_area_struct", 40).policy(Policy::Magazine(0)));
    let objects = take_many(&mut cache, 5);
    let info = cache.info();
    assert_eq!(
        info.to_string(),
        "vm_area_struct       102    102     40  102    1 : tunables    0    0    0 : slabdata      1      1      0"
    );
    assert_eq!((info.active, info.cached), (5, 55), "what slabinfo does not tell");
    assert_eq!((info.objects_per_slab, info.slab_bytes), (102, 4096));
    assert_eq!(
        SLABINFO_HEADER,
        "slabinfo - version: 2.1\n# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount> <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>"
    );
    give_many(&mut cache, objects);
    close(cache);
}

#[test]
fn alignment() {
    for (size, align, stride) in [(40, 1, 40), (40, 16, 48), (40, 64, 64), (24, 4096, 4096)] {
        let mut cache = cache(Settings::new("aligned", size).align(align));
        assert_eq!(cache.info().stride, stride);
        let objects = take_many(&mut cache, 10);
        assert!(objects.iter().all(|object| object.addr().get().is_multiple_of(align)));
        give_many(&mut cache, objects);
        close(cache);
    }
    for (size, stride) in [(40, 64), (24, 32), (16, 16), (8, 8), (100, 128)] {
        let cache = cache(Settings::new("lines", size).align_to_lines());
        assert_eq!(cache.info().stride, stride, "{size}");
    }
}

#[test]
fn names_are_cut() {
    assert_eq!(Name::new("").as_str(), "");
    assert_eq!(Name::new(&"x".repeat(40)).as_str(), "x".repeat(31));
    assert_eq!(Name::new(&"ä".repeat(20)).as_str(), "ä".repeat(15));
}

#[test]
fn pages_of_other_sizes() {
    fn run<const PAGE: usize>(size: usize, count: usize) {
        let mut memory = vec![0u8; 1 << 20];
        let mut pages = crate::bitmap::BitmapPages::<PAGE>::new();
        // SAFETY: the memory is the allocator's alone and outlives it.
        unsafe { base::AddMemory::add_memory(&mut pages, memory.as_mut_ptr(), memory.len()) }
            .unwrap();
        for policy in ALL {
            let settings = Settings::new("pages", size).policy(policy);
            let mut cache = KmemCache::new(settings, pages).unwrap();
            let objects: Vec<_> = (0..count).map(|_| cache.allocate().unwrap()).collect();
            cache.check().unwrap();
            // SAFETY: all are live.
            unsafe { cache.free_bulk(&objects) };
            cache.check().unwrap();
            pages = cache.destroy().unwrap();
            assert_eq!(base::Stats::stats(&pages).used, 0);
        }
    }
    run::<64>(8, 500);
    run::<64>(40, 500);
    run::<64>(3000, 50);
    run::<16384>(40, 2000);
    run::<65536>(5000, 50);
}

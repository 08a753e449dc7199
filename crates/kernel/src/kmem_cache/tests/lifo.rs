//! The order in which objects go out: the kernel's three, literally.
use super::*;

const SIZE: usize = 40;
const ROUNDS: usize = 60;

fn with(policy: Policy) -> KmemCache<Pages> {
    cache(Settings::new("stack", SIZE).policy(policy))
}

/// How many objects behind `first` each lies.
fn places(first: NonNull<u8>, objects: &[NonNull<u8>]) -> Vec<usize> {
    objects.iter().map(|object| (object.addr().get() - first.addr().get()) / SIZE).collect()
}

fn up(from: usize, to: usize) -> Vec<usize> {
    (from..to).collect()
}

fn down(from: usize, to: usize) -> Vec<usize> {
    (to..from).rev().collect()
}

/// SLUB up to 6.17: a stack in the present slab.
#[test]
fn sequence_a() {
    let mut cache = with(Policy::SlabLifo);
    let ten = take_many(&mut cache, 10);
    let base = ten[0];
    assert!(base.addr().get().is_multiple_of(4096));
    assert_eq!(places(base, &ten), up(0, 10), "a fresh slab in the order of addresses");

    give_many(&mut cache, ten.clone());
    let again = take_many(&mut cache, 11);
    assert_eq!(
        places(base, &again),
        [down(10, 0), up(10, 11)].concat(),
        "a9 … a0, then a fresh one"
    );

    give(&mut cache, again[10]);
    give_many(&mut cache, ten.iter().rev().copied());
    let forwards = take_many(&mut cache, 10);
    assert_eq!(forwards, ten, "freed backwards, they come forwards");

    give(&mut cache, ten[4]);
    assert_eq!(take(&mut cache), ten[4], "one freed, the same one allocated");

    // SAFETY: all are live.
    unsafe { cache.free_bulk(&ten) };
    cache.check().unwrap();
    assert_eq!(take_many(&mut cache, 10), ten, "a bulk is freed from its end");

    give_many(&mut cache, ten.iter().rev().copied());
    let mut bulk = [None; 20];
    assert!(cache.allocate_bulk(&mut bulk));
    let bulk: Vec<_> = bulk.into_iter().flatten().collect();
    assert_eq!(places(base, &bulk), up(0, 20), "a bulk in the order of the slab");
    // SAFETY: all are live.
    unsafe { cache.free_bulk(&bulk) };
    close(cache);
}

/// What is freed in another slab is not seen until the present one is exhausted.
#[test]
fn sequence_a_across_slabs() {
    let mut cache = with(Policy::SlabLifo);
    let first = take_many(&mut cache, 102);
    let second = take(&mut cache);
    give(&mut cache, first[50]);
    let rest = take_many(&mut cache, 101);
    assert_eq!(places(second, &rest), up(1, 102));
    assert_eq!(take(&mut cache), first[50]);
    give_many(&mut cache, first.into_iter().chain([second]).chain(rest));
    close(cache);
}

/// SLUB 7.0: a stack across slabs; a magazine is filled upwards and taken from its top.
#[test]
fn sequence_b() {
    let mut cache = with(Policy::Magazine(0));
    let ten = take_many(&mut cache, 10);
    let base = ten[0].addr().get() - (ROUNDS - 1) * SIZE;
    assert!(base.is_multiple_of(4096));
    let base = NonNull::new(ten[0].as_ptr().with_addr(base)).unwrap();
    assert_eq!(places(base, &ten), down(ROUNDS, ROUNDS - 10), "downwards from the 60th");

    give_many(&mut cache, ten.clone());
    let again = take_many(&mut cache, 10);
    assert!(again.iter().eq(ten.iter().rev()), "a9 … a0");
    give_many(&mut cache, again);

    let mut bulk = [None; 10];
    assert!(cache.allocate_bulk(&mut bulk));
    let bulk: Vec<_> = bulk.into_iter().flatten().collect();
    assert!(places(base, &bulk).is_sorted(), "the top rounds in the array's order");
    assert_eq!(places(base, &bulk), up(ROUNDS - 10, ROUNDS));

    // SAFETY: all are live.
    unsafe { cache.free_bulk(&bulk) };
    let last = take_many(&mut cache, 10);
    assert!(last.iter().eq(bulk.iter().rev()), "p[n - 1] first");
    give_many(&mut cache, last);
    close(cache);
}

/// A magazine that is larger than a slab begins in a later one.
#[test]
fn sequence_b_of_large_objects() {
    let mut cache = cache(Settings::new("large", 2048).policy(Policy::Magazine(60)));
    let first = take(&mut cache);
    assert_eq!(cache.info().slabs, 4, "60 objects, 16 a slab");
    let second = take(&mut cache);
    assert_eq!(first.addr().get() - second.addr().get(), 2048);
    give_many(&mut cache, [first, second]);
    close(cache);
}

/// A shuffled slab: a rotation of the cache's one order; what is freed is still a stack.
#[test]
fn sequence_c() {
    let mut cache = with(Policy::Random(42));
    let order_of_slab = |cache: &mut KmemCache<Pages>| {
        let objects = take_many(cache, 102);
        let base = objects.iter().min().copied().unwrap();
        (places(base, &objects), objects)
    };
    let (one, first) = order_of_slab(&mut cache);
    let (other, second) = order_of_slab(&mut cache);
    let (mut sorted, all) = (one.clone(), up(0, 102));
    sorted.sort_unstable();
    assert_eq!(sorted, all, "each once");
    assert_ne!(one, all);
    assert_ne!(one, other, "another place to begin");
    let begin = one.iter().position(|&place| place == other[0]).unwrap();
    let rotated: Vec<usize> = one[begin..].iter().chain(&one[..begin]).copied().collect();
    assert_eq!(other, rotated, "the same order");

    give_many(&mut cache, second[..10].iter().copied());
    assert!(take_many(&mut cache, 10).iter().eq(second[..10].iter().rev()));
    give_many(&mut cache, first.into_iter().chain(second));
    close(cache);
}

#[test]
fn seeds_differ() {
    let mut orders = Vec::new();
    for seed in [0, 1, 2, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
        let mut cache = with(Policy::Random(seed));
        let objects = take_many(&mut cache, 102);
        let base = objects.iter().min().copied().unwrap();
        orders.push(places(base, &objects));
        give_many(&mut cache, objects);
        close(cache);
    }
    for (at, order) in orders.iter().enumerate() {
        assert!(!orders[..at].contains(order), "order {at} is new");
    }
}

#[test]
fn magazines_have_the_kernel_s_rounds() {
    let table =
        [(8, 60), (40, 60), (248, 60), (256, 28), (1016, 28), (1024, 12), (4096, 4), (5824, 4)];
    for (size, rounds) in table {
        let cache = cache(Settings::new("rounds", size).policy(Policy::Magazine(0)));
        assert_eq!(cache.info().magazine, rounds, "{size}");
    }
    let more = cache(Settings::new("more", 4096).policy(Policy::Magazine(32)));
    assert_eq!(more.info().magazine, 60, "32 and a head fill a block of kmalloc of 512");
    let checked =
        Settings::new("checked", 40).policy(Policy::Magazine(0)).debug(DebugFlags::SANITY);
    assert_eq!(cache(checked).info().magazine, 0);
}

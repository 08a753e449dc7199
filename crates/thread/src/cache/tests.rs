use super::growth::{LINE, MAX_SHARED};
use super::*;
use crate::depot::{MOST, PLACES};
use crate::magazine::{pop, push};
use crate::tls::solo::SoloTls;
use object::Slab;
use object::central::Fault;
use object::central::check_shelf;
use object::size_class::info;
use page::{Meta, PageHeap};
use policy::table::{
    FLUSHES_PER_RETURN, LEAST_DEPOT, MOST_DEPOT, MOST_FIRST, MOST_IN_THE_WAY, MOST_STRAYS, PUT_AWAY,
};
use source::os::Os;

struct Whole {
    pages: PageHeap<Os>,
    meta: Meta<Os>,
    central: Central<Os>,
    tls: SoloTls,
}

impl Whole {
    fn new() -> Self {
        Self {
            pages: PageHeap::new(Os),
            meta: Meta::new(),
            central: Central::new(),
            tls: SoloTls::new(),
        }
    }

    fn backend(&self) -> Backend<'_, Os> {
        Backend {
            central: &self.central,
            supply: Supply { pages: &self.pages, meta: &self.meta },
            threads: 1,
        }
    }

    fn malloc(&self, cache: &ThreadCache, class: usize) -> usize {
        // SAFETY: one thread, one cache.
        let object = unsafe { pop(&self.tls, class) };
        if object != 0 { object } else { cache.refill(self.backend(), &self.tls, class) }
    }

    fn free(&self, cache: &ThreadCache, class: usize, object: usize) {
        self.free_by(self.backend(), &self.tls, cache, class, object);
    }

    fn free_by(
        &self,
        backend: Backend<'_, Os>,
        tls: &SoloTls,
        cache: &ThreadCache,
        class: usize,
        object: usize,
    ) {
        // SAFETY: the cache's own slots.
        if !unsafe { push(tls, class, object) } {
            cache.flush(backend, tls, class, object).expect("live");
        }
    }

    fn end(&self, cache: &ThreadCache) -> Result<(), Fault> {
        let answer = cache.empty_all(self.backend(), &self.tls);
        cache.detach(self.backend(), &self.tls);
        answer
    }

    fn taken(&self, class: usize) -> usize {
        self.central.shelf(0, class).count(self.pages.region.descriptors(), class).0
    }
}

fn started() -> (&'static Whole, &'static ThreadCache) {
    let whole: &Whole = Box::leak(Box::new(Whole::new()));
    (whole, ThreadCache::attach(whole.backend().supply, &whole.tls).expect("memory"))
}

#[test]
fn magazines_grow_with_use_and_give_everything_back() {
    let (whole, cache) = started();
    for class in [1, 16, 40, 72] {
        for round in 1..6 {
            let mut live: Vec<usize> =
                (0..100 * round).map(|_| whole.malloc(cache, class)).collect();
            live.sort_unstable();
            live.dedup();
            assert_eq!(live.len(), 100 * round, "distinct");
            for object in live {
                whole.free(cache, class, object);
            }
            check_shelf(&whole.pages, 0, class, whole.central.shelf(0, class)).expect("intact");
        }
        assert_eq!(
            whole.taken(class),
            cache.held(&cache.look(&whole.tls), class),
            "only the magazine holds objects"
        );
        let held = cache.held(&cache.look(&whole.tls), class) - cache.depot.held(class);
        assert!(held <= info(class).capacity as usize);
    }
    whole.end(cache).expect("live");
    for class in 1..CLASSES {
        assert_eq!(whole.taken(class), 0);
        assert_eq!(whole.tls.load(class), empty());
    }
    assert!(ThreadCache::current(&whole.tls).is_none());
}

#[test]
fn a_thread_begins_with_what_the_one_before_came_to() {
    let whole = Whole::new();
    let used = |classes: &[usize], count: usize| {
        let cache = ThreadCache::attach(whole.backend().supply, &whole.tls).expect("memory");
        for &class in classes {
            let live: Vec<usize> = (0..count).map(|_| whole.malloc(cache, class)).collect();
            live.into_iter().for_each(|object| whole.free(cache, class, object));
        }
        let capacities = [30, 40, 72].map(|class| cache.capacity(class));
        whole.end(cache).expect("live");
        capacities
    };
    let most = |class: usize| info(class).capacity as usize;
    assert_eq!(used(&[30, 40], 1), [2, 2, 0], "nobody was here before");
    assert_eq!(used(&[30, 40, 72], 200), [30, 40, 72].map(most), "all they hold");
    let first = usize::from(MOST_FIRST);
    assert!(first < most(40));
    assert_eq!(used(&[30, 72], 1), [first, 0, most(72)], "large ones have less");
    assert_eq!(used(&[40], 1), [0, 2, 0], "the one before did not use it");
}

fn lines_of(class: usize, object: usize) -> core::ops::RangeInclusive<usize> {
    object / LINE..=(object + info(class).size as usize - 1) / LINE
}

/// What two threads claim first shares no cache line, neither with each other nor with what a third
/// has of a slab in pieces.
#[test]
fn what_threads_claim_first_shares_no_cache_line() {
    let whole = Whole::new();
    let first = ThreadCache::attach(whole.backend().supply, &whole.tls).expect("memory");
    let slots = [SoloTls::new(), SoloTls::new()];
    let caches = slots
        .each_ref()
        .map(|tls| ThreadCache::attach(whole.backend().supply, tls).expect("memory"));
    for (cache, number) in caches.iter().zip(1..) {
        cache.number.store(number, Ordering::Relaxed);
    }
    for class in (1..CLASSES).take_while(|&class| info(class).size as usize <= MAX_SHARED) {
        let live: Vec<usize> = (0..200).map(|_| whole.malloc(first, class)).collect();
        let (kept, freed): (Vec<_>, Vec<_>) = live.iter().partition(|&&object| object % 5 < 3);
        whole.central.give_back(whole.backend().supply, &freed).answer().expect("live");
        let mut lines = [kept, Vec::new(), Vec::new()].map(|objects| {
            objects.into_iter().flat_map(|o| lines_of(class, o)).collect::<Vec<_>>()
        });
        // In turn, so that their claims lie beside each other. Each refill has four at least, and the
        // first four of them are while the magazine grows.
        for _ in 0..16 {
            for ((tls, cache), lines) in slots.iter().zip(caches).zip(&mut lines[1..]) {
                // SAFETY: each cache is used with its own slots.
                let kept = unsafe { pop(tls, class) };
                let object =
                    if kept == 0 { cache.refill(whole.backend(), tls, class) } else { kept };
                lines.extend(lines_of(class, object));
            }
        }
        for (number, of_one) in lines.iter().enumerate() {
            for of_other in &lines[number + 1..] {
                let shared = of_one.iter().find(|line| of_other.contains(line));
                assert_eq!(shared, None, "class {class}");
            }
        }
        check_shelf(&whole.pages, 0, class, whole.central.shelf(0, class)).expect("intact");
    }
}

/// Who frees what others allocated gives the first objects back, and does not get them again.
#[test]
fn strays_go_back() {
    let whole = Whole::new();
    let other = SoloTls::new();
    let caches = [&whole.tls, &other]
        .map(|tls| ThreadCache::attach(whole.backend().supply, tls).expect("memory"));
    for class in [1, 2, 7] {
        let live: Vec<usize> = (0..100).map(|_| whole.malloc(caches[0], class)).collect();
        let free = |object| whole.free_by(whole.backend(), &other, caches[1], class, object);
        let taken = whole.taken(class);
        let (strays, rest) = live.split_at(usize::from(MOST_STRAYS));
        strays.iter().for_each(|&object| free(object));
        assert_eq!(whole.taken(class), taken - strays.len());
        rest.iter().for_each(|&object| free(object));
        assert!(caches[1].held(&caches[1].look(&other), class) > 0, "the rest is kept");
        caches[1].empty_all(whole.backend(), &other).expect("live");
        check_shelf(&whole.pages, 0, class, whole.central.shelf(0, class)).expect("intact");
    }
}

#[test]
fn any_batch_up_to_the_capacity_settles() {
    // The smallest: where more bytes move and nothing else is live, magazines are emptied to find
    // holes before they settle.
    for class in [1, 2] {
        let whole = Whole::new();
        let capacity = info(class).capacity as usize;
        // With some objects that stay, so that what circulates is not always what was claimed.
        for (batch, others) in (1..=capacity).flat_map(|b| [0, 1, 5].map(|others| (b, others))) {
            let cache = ThreadCache::attach(whole.backend().supply, &whole.tls).expect("memory");
            for _ in 0..others {
                whole.malloc(cache, class);
            }
            let round = || {
                let live: Vec<usize> = (0..batch).map(|_| whole.malloc(cache, class)).collect();
                live.into_iter().for_each(|object| whole.free(cache, class, object));
            };
            (0..100).for_each(|_| round());
            let before = cache.slow_paths();
            round();
            assert_eq!(cache.slow_paths(), before, "class {class}, {batch} of {capacity}");
            whole.end(cache).expect("live");
        }
    }
}

/// Allocates so many objects and frees them, oldest first; and once more, as what was never missed is not put away.
fn swing_twice(whole: &Whole, cache: &ThreadCache, class: usize, count: usize) {
    (0..2).for_each(|_| swing(whole, cache, class, count));
    assert!(cache.depot.held(class) > 0, "some is put away");
}

/// Allocates so many objects and frees them, oldest first.
fn swing(whole: &Whole, cache: &ThreadCache, class: usize, count: usize) {
    let live: Vec<usize> = (0..count).map(|_| whole.malloc(cache, class)).collect();
    live.into_iter().for_each(|object| whole.free(cache, class, object));
}

#[test]
fn who_swings_by_more_than_a_magazine_comes_to_need_few_slabs() {
    let (whole, cache) = started();
    let class = 2;
    (0..10).for_each(|_| swing(whole, cache, class, 1000));
    let moved = |cache: &ThreadCache| {
        let (claimed, given_back) = cache.account.report();
        (claimed + given_back) / info(class).size as usize
    };
    moved(cache);
    (0..100).for_each(|_| swing(whole, cache, class, 1000));
    assert!(moved(cache) <= 200_000 / 32, "one bundle in 64 goes back and is claimed again");
    cache.check(whole.backend(), &whole.tls).expect("inspect-A5");
    whole.end(cache).expect("live");
    assert_eq!((whole.taken(class), cache.depot.bytes()), (0, 0));
}

#[test]
fn what_nobody_takes_goes_back() {
    let (whole, cache) = started();
    swing_twice(whole, cache, 2, 1000);
    // Others come and go often enough to need each place once.
    (0..32).for_each(|_| swing(whole, cache, 3, 200));
    assert_eq!(cache.depot.held(2), 0);
    for class in [2, 3] {
        check_shelf(&whole.pages, 0, class, whole.central.shelf(0, class)).expect("intact");
    }
    whole.end(cache).expect("live");
}

#[test]
fn a_depot_keeps_within_its_bytes() {
    let (whole, cache) = started();
    let largest = (1..CLASSES).rfind(|&class| info(class).size as usize <= PUT_AWAY).expect("one");
    let mut most = 0;
    for class in [largest, 20, largest - 4, 1] {
        for _ in 0..3 {
            swing(whole, cache, class, 2 * MOST_DEPOT / info(class).size as usize);
            most = most.max(cache.depot.bytes());
        }
        cache.check(whole.backend(), &whole.tls).expect("inspect-A5");
    }
    assert!((MOST_DEPOT / 2..=MOST_DEPOT).contains(&most), "{most}");
    swing(whole, cache, largest + 1, 1000);
    assert_eq!(cache.depot.held(largest + 1), 0, "these are too large");
    whole.end(cache).expect("live");
}

#[test]
fn what_lies_scattered_is_not_put_away() {
    for alternating in [false, true] {
        let (whole, cache) = started();
        let class = 4;
        let live: Vec<usize> = (0..64_000).map(|_| whole.malloc(cache, class)).collect();
        // These have been missed, so that only how they lie keeps them from being put away.
        (0..3).for_each(|_| swing(whole, cache, class, 2000));
        cache.empty_all(whole.backend(), &whole.tls).expect("live");
        assert!(cache.depot.most(class) > 0, "depot-D4");
        // From one to the next are 641 objects, two granules and a half; or every other one lies beside the one before it.
        let index = |i: usize| {
            if alternating && i.is_multiple_of(2) { i / 2 } else { i * 641 % live.len() }
        };
        let mut seen = vec![false; live.len()];
        for i in (0..2000).map(index).filter(|&i| !core::mem::replace(&mut seen[i], true)) {
            whole.free(cache, class, live[i]);
        }
        let mut away: Vec<usize> = cache.depot.objects().map(|o| o / page::GRANULE).collect();
        away.sort_unstable();
        away.dedup();
        assert!(away.len() <= 2 * PLACES, "{} granules", away.len());
        whole.end(cache).expect("live");
    }
}

#[test]
fn what_a_thread_has_not_missed_is_not_put_away() {
    let (whole, cache) = started();
    let other = SoloTls::new();
    let freeing = ThreadCache::attach(whole.backend().supply, &other).expect("memory");
    for once in [0, 1] {
        if once == 1 {
            // A full magazine is refilled from nowhere, and then nothing was missed.
            freeing.empty_all(whole.backend(), &other).expect("live");
            freeing.refill(whole.backend(), &other, 6);
        }
        let mut most = 0;
        for _ in 0..10_000 {
            whole.free_by(whole.backend(), &other, freeing, 6, whole.malloc(cache, 6));
            most = most.max(freeing.depot.held(6));
        }
        assert!(most <= once * MOST, "as often as it allocated");
        assert_eq!(most > 0, once == 1, "and that often");
    }
    freeing.empty_all(whole.backend(), &other).expect("live");
    whole.end(cache).expect("live");
}

#[test]
fn one_put_makes_room_by_two_bundles_at_most() {
    let (whole, cache) = started();
    let largest = (1..CLASSES).rfind(|&class| info(class).size as usize <= PUT_AWAY).expect("one");
    (0..3).for_each(|_| swing(whole, cache, largest, 300));
    let live: Vec<usize> = (0..1000).map(|_| whole.malloc(cache, largest)).collect();
    (0..3).for_each(|_| swing(whole, cache, 1, 1900));
    assert!(
        cache.depot.most(largest) > 0 && cache.depot.held(1) > 20 * MOST,
        "small ones are in the way"
    );
    let before = cache.depot.held(1);
    for object in live {
        let held = cache.depot.held(1);
        whole.free(cache, largest, object);
        let gone = held.saturating_sub(cache.depot.held(1));
        assert!(
            gone <= (MOST_IN_THE_WAY + 1) * MOST,
            "{gone}: two in the way, one of the 64th flush"
        );
    }
    assert!(cache.depot.held(1) < before, "some were in the way");
    whole.end(cache).expect("live");
}

#[test]
fn each_64th_flush_gives_a_bundle_back_whatever_is_flushed() {
    let (whole, cache) = started();
    let large = (1..CLASSES).find(|&class| info(class).size as usize > PUT_AWAY).expect("one");
    let live: Vec<usize> =
        (0..FLUSHES_PER_RETURN * 64).map(|_| whole.malloc(cache, large)).collect();
    swing_twice(whole, cache, 2, 1000);
    let before = cache.depot.held(2);
    live.into_iter().for_each(|object| whole.free(cache, large, object));
    assert!(cache.depot.held(2) < before, "none of them puts anything away");
    whole.end(cache).expect("live");
}

#[test]
fn many_threads_share_what_is_put_away() {
    let (whole, cache) = started();
    let crowd = Backend { threads: 1000, ..whole.backend() };
    let class = 30;
    for _ in 0..3 {
        let live: Vec<usize> = (0..2000).map(|_| whole.malloc(cache, class)).collect();
        for object in live {
            whole.free_by(crowd, &whole.tls, cache, class, object);
            assert!(cache.depot.bytes() <= LEAST_DEPOT);
        }
    }
    assert!(cache.depot.bytes() > 0);
    whole.end(cache).expect("live");
}

#[test]
fn a_double_free_is_found_though_its_object_is_always_put_away_again() {
    let (whole, cache) = started();
    (0..20).for_each(|_| swing(whole, cache, 2, 1000));
    let twice = whole.malloc(cache, 2);
    whole.free(cache, 2, twice);
    whole.free(cache, 2, twice);
    let found = (0..20_000).find_map(|_| {
        let live: Vec<usize> = (0..1000).map(|_| whole.malloc(cache, 2)).collect();
        let free = |object: usize| {
            // SAFETY: one thread, one cache.
            let kept = unsafe { push(&whole.tls, 2, object) };
            if kept { None } else { cache.flush(whole.backend(), &whole.tls, 2, object).err() }
        };
        live.into_iter().filter_map(free).next()
    });
    assert!(matches!(found, Some(Fault::DoubleFree(_))), "{found:?}");
}

#[test]
fn a_double_free_is_found_in_the_depot() {
    let (whole, cache) = started();
    swing_twice(whole, cache, 2, 1000);
    let twice = cache.depot.objects().next().expect("one");
    whole.free(cache, 2, twice);
    assert!(cache.check(whole.backend(), &whole.tls).is_err(), "inspect-A5");
    assert_eq!(cache.empty_all(whole.backend(), &whole.tls), Err(Fault::DoubleFree(twice)));
}

#[test]
fn nulls_in_the_depot_are_dropped() {
    let (whole, cache) = started();
    swing_twice(whole, cache, 2, 1000);
    // More sized frees of null than a magazine holds, each between two objects, and more than a bundle at the end.
    let live: Vec<usize> = (0..500).map(|_| whole.malloc(cache, 2)).collect();
    for object in live {
        whole.free(cache, 2, object);
        whole.free(cache, 2, 0);
    }
    (0..200).for_each(|_| whole.free(cache, 2, 0));
    let mut live: Vec<usize> = (0..2000).map(|_| whole.malloc(cache, 2)).collect();
    live.sort_unstable();
    live.dedup();
    assert_eq!((live.len(), live.contains(&0)), (2000, false));
    live.into_iter().for_each(|object| whole.free(cache, 2, object));
    whole.end(cache).expect("live");
    assert_eq!(whole.taken(2), 0);
}

#[test]
fn nulls_in_a_magazine_are_dropped() {
    let (whole, cache) = started();
    let object = whole.malloc(cache, 4);
    for _ in 0..300 {
        whole.free(cache, 4, 0);
    }
    assert_ne!(whole.malloc(cache, 4), 0);
    whole.free(cache, 4, object);
    whole.free(cache, 4, 0);
    assert_eq!(whole.malloc(cache, 4), object);
    check_shelf(&whole.pages, 0, 4, whole.central.shelf(0, 4)).expect("intact");
}

#[test]
fn a_double_free_is_found_when_the_magazine_is_flushed() {
    let (whole, cache) = started();
    let object = whole.malloc(cache, 2);
    whole.free(cache, 2, object);
    whole.free(cache, 2, object);
    assert_eq!(cache.empty_all(whole.backend(), &whole.tls), Err(Fault::DoubleFree(object)));
}

#[test]
fn flushing_a_magazine_with_room_just_keeps_the_object() {
    let (whole, cache) = started();
    let live: Vec<usize> = (0..20).map(|_| whole.malloc(cache, 6)).collect();
    for &object in &live {
        cache.flush(whole.backend(), &whole.tls, 6, object).expect("live");
    }
    whole.end(cache).expect("each object is held once");
    assert_eq!(whole.taken(6), 0);
}

#[test]
fn what_a_lost_thread_kept_comes_back() {
    for is_there in [true, false] {
        let (whole, cache) = started();
        let live: Vec<usize> = (0..40).map(|_| whole.malloc(cache, 7)).collect();
        swing_twice(whole, cache, 2, 1000);
        let in_magazine = cache.held(&cache.look(&whole.tls), 2) - cache.depot.held(2);
        let look = if is_there { cache.look(&whole.tls) } else { SlotSnapshot::Gone };
        cache.reclaim(whole.backend(), &look);
        // Of a thread whose slots are gone, what its magazines held is lost.
        let lost = if is_there { (0, 0) } else { (whole.taken(7) - live.len(), in_magazine) };
        assert_eq!(whole.taken(7), live.len() + lost.0);
        assert_eq!(whole.taken(2), lost.1);
    }
}

#[test]
fn runs_are_kept_within_bounds() {
    let (whole, cache) = started();
    use crate::runs::Kept;
    const MOST: usize = 1 << 20;
    let region = &whole.pages.region;
    let run = |count: usize| {
        let at = whole.pages.allocate(count, 1).expect("memory").at;
        let granule = region.granule_of(at).expect("ours");
        region.enter_run(granule, count);
        (at, granule)
    };
    let (_, short) = run(4);
    assert_eq!(cache.runs.push(region, short, 4, MOST), Kept::No);
    let ((at, granule), (_, long)) = (run(6), run(17));
    assert_eq!(cache.runs.push(region, granule, 6, MOST), Kept::Yes);
    cache.check(whole.backend(), &whole.tls).expect("runs-K1");
    assert_eq!(cache.runs.push(region, granule, 6, MOST), Kept::Twice);
    assert_eq!(cache.runs.push(region, long, 17, MOST), Kept::No);
    assert_eq!(cache.runs.pop(region, 5), 0);
    assert_eq!(cache.runs.pop(region, 6), at);
    assert_eq!(cache.runs.bytes(), 0);
    assert!(region.end_run(granule, 6));
    assert!(!region.end_run(granule, 6), "of two that free it one is too late");
    let runs = [(); 4].map(|()| run(5));
    let kept = runs.map(|(_, granule)| cache.runs.push(region, granule, 5, MOST));
    assert_eq!(kept, [Kept::Yes, Kept::Yes, Kept::Yes, Kept::No], "three of a length");
    cache.check(whole.backend(), &whole.tls).expect("runs-K1");
    let again = [(); 4].map(|()| cache.runs.pop(region, 5));
    assert_eq!(again, [runs[2].0, runs[1].0, runs[0].0, 0], "last in, first out");
    let (at, granule) = run(16);
    assert_eq!(cache.runs.push(region, granule, 16, 15 * page::GRANULE), Kept::No);
    assert_eq!(cache.runs.push(region, granule, 16, 16 * page::GRANULE), Kept::Yes);
    let live = whole.pages.live_bytes();
    cache.give_back_runs(whole.backend());
    assert_eq!(live - whole.pages.live_bytes(), 16 * page::GRANULE, "any thread may give it back");
    cache.check(whole.backend(), &whole.tls).expect("runs-K1");
    assert_eq!((cache.runs.pop(region, 16), cache.runs.bytes()), (0, 0), "{at:#x} is gone");
    cache.check(whole.backend(), &whole.tls).expect("runs-K1");
}

#[test]
fn what_another_thread_gave_back_leaves_room_for_runs_of_other_lengths() {
    let (whole, cache) = started();
    use crate::runs::Kept;
    let region = &whole.pages.region;
    let push = |count: usize| {
        let at = whole.pages.allocate(count, 1).expect("memory").at;
        let granule = region.granule_of(at).expect("ours");
        region.enter_run(granule, count);
        cache.runs.push(region, granule, count, 32 * page::GRANULE)
    };
    assert_eq!([16, 16, 5].map(push), [Kept::Yes, Kept::Yes, Kept::No]);
    cache.give_back_runs(whole.backend());
    assert_eq!([5, 16, 6].map(push), [Kept::Yes; 3]);
    cache.check(whole.backend(), &whole.tls).expect("runs-K1");
}

#[test]
fn cells_that_were_got_ahead_go_back_too() {
    for (classes, lost) in [(1, false), (2, false), (9, false), (70, false), (9, true)] {
        let (whole, cache) = started();
        let mut objects: Vec<usize> =
            (1..=classes).map(|class| whole.malloc(cache, class)).collect();
        objects.sort_unstable();
        objects.dedup();
        assert_eq!(objects.len(), classes);
        // What is in use but for the slabs' descriptors: the cells, and the thread.
        let used = || {
            let slabs = (1..=classes).map(|class| {
                let shelf = whole.central.shelf(0, class);
                shelf.count(whole.pages.region.descriptors(), class).1 * Slab::pool(class).size()
            });
            whole.meta.used_bytes() - slabs.sum::<usize>()
        };
        let cells = (used() - Pool::Thread.size()) / Pool::Cell.size();
        assert!((classes..classes + cells::MOST).contains(&cells), "{cells} for {classes}");
        if lost {
            cache.reclaim(whole.backend(), &cache.look(&whole.tls));
        } else {
            whole.end(cache).expect("live");
        }
        assert_eq!(used(), 0, "{classes}");
    }
}

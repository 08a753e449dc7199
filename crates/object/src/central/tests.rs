use super::*;
use base::Check;
use base::sync::AtomicBool;
use page::Meta;
use source::os::Os;
use source::{Failing, Paged};

struct Whole<S> {
    pages: PageHeap<S>,
    meta: Meta<S>,
    central: Central<S>,
}

impl<S: System> Check for Whole<S> {
    fn check(&self) -> Result<(), Broken> {
        self.pages.check()?;
        self.central.check(&self.pages)
    }
}

fn whole() -> Whole<Os> {
    Whole::over(Os)
}

/// Those whose place is one of `first`, and the others.
fn parts(objects: &[usize], first: impl Fn(usize) -> bool) -> (Vec<usize>, Vec<usize>) {
    let mut at = 0..;
    objects.iter().copied().partition(|_| at.next().is_some_and(&first))
}

impl<S: System> Whole<S> {
    fn over(source: S) -> Self {
        Self { pages: PageHeap::new(source), meta: Meta::new(), central: Central::new() }
    }

    fn supply(&self) -> Supply<'_, S> {
        Supply { pages: &self.pages, meta: &self.meta }
    }

    fn claim_at(&self, place: Place, class: usize, share: Share, out: &mut [usize]) -> usize {
        self.central.claim(self.supply(), place, class, share, out)
    }

    fn count(&self, shard: u32, class: usize) -> (usize, usize) {
        self.central.shelf(shard, class).count(self.pages.region.descriptors(), class)
    }

    /// All slabs are retired.
    fn is_empty(&self) -> bool {
        let mut shelves = self.central.shelves();
        shelves.all(|(shard, class, _)| self.count(shard, class) == (0, 0))
    }

    fn claim(&self, class: usize, count: usize) -> Vec<usize> {
        let mut out = Vec::new();
        while out.len() < count {
            let mut batch = [0; 50];
            let want = batch.len().min(count - out.len());
            let got = self.claim_at(Place::ANY, class, Share::Lines, &mut batch[..want]);
            assert!(got > 0, "memory");
            out.extend(batch[want - got..want].iter().rev());
        }
        out
    }
}

#[test]
fn every_class_hands_out_distinct_aligned_objects() {
    let whole = whole();
    for class in 1..CLASSES {
        let size = info(class).size as usize;
        let objects = whole.claim(class, 3 * info(class).objects as usize);
        let mut sorted = objects.clone();
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            assert!(pair[1] - pair[0] >= size, "class {class} overlaps");
        }
        whole.check().expect("intact");
        whole.central.give_back(whole.supply(), &objects).answer().expect("live");
        whole.check().expect("intact");
    }
    whole.central.trim(whole.supply());
    whole.check().expect("intact");
    assert!(whole.is_empty());
}

#[test]
fn fresh_objects_ascend() {
    let whole = whole();
    let objects = whole.claim(5, 100);
    assert!(objects.is_sorted(), "popping ascends");
}

#[test]
fn a_full_slab_is_listed_again_by_the_first_free() {
    let whole = whole();
    let count = info(9).objects as usize;
    let objects = whole.claim(9, count + 1);
    assert!(!whole.central.shelf(0, 9).full.is_empty());
    whole.central.give_back(whole.supply(), &objects[7..8]).answer().expect("live");
    assert!(whole.central.shelf(0, 9).full.is_empty());
    whole.check().expect("intact");
}

/// More slabs than their memory goes back at a time, of two classes and in any order: whatever is
/// kept of a class, it is one slab at most.
#[test]
fn a_batch_empties_many_slabs() {
    let whole = whole();
    for classes in [[40, 40], [16, 50], [60, 33]] {
        let mut batch = Vec::new();
        for class in classes {
            let count = 2 * crate::shelf::MOST_ENDED + 1;
            batch.extend(whole.claim(class, count * info(class).objects as usize));
        }
        let half = batch.len() / 2;
        let (first, second) = batch.split_at(half);
        let mixed: Vec<usize> = first.iter().zip(second).flat_map(|(&a, &b)| [a, b]).collect();
        whole.central.give_back(whole.supply(), &mixed).answer().expect("live");
        whole.central.give_back(whole.supply(), &batch[2 * half..]).answer().expect("live");
        whole.check().expect("intact");
        let accounts = whole.central.accounts(&whole.pages);
        assert_eq!(accounts.claimed, 0);
        assert_eq!(whole.pages.slack.accounts(), Some(Accounts { claimed: 0, ..accounts }));
        for class in classes {
            let (taken, slabs) = whole.count(0, class);
            assert!(taken == 0 && slabs <= 1, "class {class}: {slabs} slabs");
        }
    }
}

/// Who wants exactly a slab's objects gets a slab that is full from the start.
#[test]
fn a_fresh_slab_may_be_full() {
    let whole = whole();
    for class in [20, 40, 70] {
        let count = info(class).objects as usize;
        for want in [count - 1, count, count + 1] {
            let mut out = vec![0; want];
            let got = whole.claim_at(Place::ANY, class, Share::Lines, &mut out);
            assert_eq!(got, want.min(count));
            assert_eq!(whole.central.shelf(0, class).full.len(), u32::from(got == count));
            let objects: Vec<usize> = out[want - got..].iter().rev().copied().collect();
            assert!(objects.is_sorted(), "popping ascends");
            whole.check().expect("intact");
            whole.central.give_back(whole.supply(), &objects).answer().expect("live");
            whole.central.trim(whole.supply());
            whole.check().expect("intact");
        }
    }
}

fn holes_go_back_in_pages_of<const PAGE: usize>(classes: &[usize]) {
    let whole = Whole::over(Paged::<Os, PAGE>::new(Os));
    for &class in classes {
        let size = info(class).size as usize;
        let objects = whole.claim(class, 4 * info(class).objects as usize);
        for &object in &objects {
            let at = core::ptr::with_exposed_provenance_mut::<u8>(object);
            // SAFETY: a live object.
            unsafe { at.write_bytes(0x77, size) };
        }
        let step = (4 * PAGE + 4000) / size + 2;
        let (kept, freed) = parts(&objects, |at| at.is_multiple_of(step));
        whole.central.give_back(whole.supply(), &freed).answer().expect("live");
        assert!(whole.central.purge_holes(whole.supply()) > 0, "class {class}");
        assert_eq!(whole.central.purge_holes(whole.supply()), 0, "class {class}: once only");
        for &object in &kept {
            let at = core::ptr::with_exposed_provenance::<u8>(object);
            // SAFETY: a live object.
            let bytes = unsafe { core::slice::from_raw_parts(at, size) };
            assert!(bytes.iter().all(|&byte| byte == 0x77), "class {class}");
        }
        let again = whole.claim(class, freed.len());
        whole.central.give_back(whole.supply(), &again).answer().expect("live");
        for &object in &kept {
            whole.central.give_back(whole.supply(), &[object]).answer().expect("live");
        }
        whole.check().expect("intact");
    }
    whole.central.trim(whole.supply());
    assert_eq!(whole.pages.hole_bytes(), 0, "no slab, no hole");
    assert_eq!(whole.pages.source.strays(), 0, "pages of {PAGE}");
}

#[test]
fn pages_that_only_free_objects_cover_go_back() {
    holes_go_back_in_pages_of::<4096>(&[1, 5, 16, 20, 40, 60, 72]);
    holes_go_back_in_pages_of::<16_384>(&[60, 68, 72]);
    // Slabs of up to 256 KiB begin anywhere: their first whole page lies behind their start.
    holes_go_back_in_pages_of::<65_536>(&[69, 70, 71, 72]);
}

#[test]
fn faults_are_named() {
    let whole = whole();
    let objects = whole.claim(3, 10);
    let give = |object: usize| whole.central.give_back(whole.supply(), &[object]).answer();
    assert_eq!(give(objects[0] + 8), Err(Fault::Misaligned(objects[0] + 8)));
    assert_eq!(give(1 << 46), Err(Fault::Foreign(1 << 46)));
    assert_eq!(give(whole.pages.region.base()), Err(Fault::Foreign(whole.pages.region.base())));
    give(objects[0]).expect("live");
    assert_eq!(give(objects[0]), Err(Fault::DoubleFree(objects[0])));
    let twice = [objects[1], objects[1]];
    let answer = whole.central.give_back(whole.supply(), &twice).answer();
    assert_eq!(answer, Err(Fault::DoubleFree(objects[1])));
}

/// The slab of the first ends with it, before the second's turn comes.
#[test]
fn the_last_object_of_a_slab_twice_in_a_batch_is_a_double_free() {
    let whole = whole();
    for class in [3, 40, 60, CLASSES - 1] {
        for between in [&[][..], &[0]] {
            let object = whole.claim(class, 1)[0];
            let batch = [&[object], between, &[object]].concat();
            let back = whole.central.give_back(whole.supply(), &batch);
            let bytes = info(class).size as usize;
            let fault = Some(Fault::DoubleFree(object));
            assert_eq!(back, GivenBack { bytes, fault }, "class {class}");
        }
        whole.check().expect("intact");
    }
}

/// As above, where the slab has been retired in between: so many others became empty that their shelf
/// has looked at them.
#[test]
fn an_object_of_a_slab_that_ended_within_the_batch_is_a_double_free() {
    let whole = whole();
    let class = 60;
    let count = info(class).objects as usize;
    let slabs = crate::shelf::MOST_ENDED + 3;
    let objects = whole.claim(class, slabs * count);
    let (mut batch, rest) = parts(&objects, |at| (at + 1).is_multiple_of(count));
    whole.central.give_back(whole.supply(), &rest).answer().expect("live");
    let first = batch[0];
    batch.push(first);
    assert!(batch.len() > crate::shelf::MOST_ENDED + 1 && batch.len() <= 64, "one look-ahead");
    let back = whole.central.give_back(whole.supply(), &batch);
    assert_eq!(back.fault, Some(Fault::DoubleFree(first)));
    assert_eq!(back.bytes, slabs * info(class).size as usize);
    whole.check().expect("intact");
}

/// Who would rather share no line shares them before there is no memory, and before there are slabs in
/// pieces without end.
#[test]
fn lines_are_shared_rather_than_nothing() {
    let whole = Whole::over(Failing::new(Os));
    let class = 1;
    let per_slab = info(class).objects as usize;
    for slabs in [2, 9] {
        let objects = whole.claim(class, slabs * per_slab);
        let (kept, freed) = parts(&objects, |at| at.is_multiple_of(4));
        whole.central.give_back(whole.supply(), &freed).answer().expect("live");
        if slabs == 2 {
            // Descriptors and granules are asked for when there is no slab with whole lines.
            whole.pages.source.fail_from(1);
            while whole.pages.allocate(1, 1).is_some() {}
        }
        let mut out = [0; 8];
        let place = Place { thread: 1, node: 0 };
        let got = whole.claim_at(place, class, Share::NoLine(4), &mut out);
        assert!(got > 0, "{slabs} slabs in pieces have objects");
        assert!(freed.contains(&out[8 - got]), "they are shared");
        whole.pages.source.fail_nth(0);
        whole.central.give_back(whole.supply(), &kept).answer().expect("live");
        whole.central.give_back(whole.supply(), &out[8 - got..]).answer().expect("live");
        whole.central.check(&whole.pages).expect("intact");
        whole.central.trim(whole.supply());
    }
}

#[test]
fn what_is_behind_a_fault_goes_back_all_the_same() {
    let whole = whole();
    let small = whole.claim(3, 4);
    let large = whole.claim(40, 2);
    let size = |class: usize| info(class).size as usize;
    // One twice, one misaligned, one foreign, and live ones of two classes between them.
    let mixed = [small[0], small[1], small[1], small[2] + 8, large[0], 1 << 46, small[3], large[1]];
    let back = whole.central.give_back(whole.supply(), &mixed);
    let fault = Some(Fault::DoubleFree(small[1]));
    assert_eq!(back, GivenBack { bytes: 3 * size(3) + 2 * size(40), fault }, "the first fault");
    assert_eq!(whole.count(0, 3).0, 1, "only the one that was named by a wrong address");
    let again = whole.central.give_back(whole.supply(), &[small[3], small[2]]);
    let fault = Some(Fault::DoubleFree(small[3]));
    assert_eq!(again, GivenBack { bytes: size(3), fault });
    whole.check().expect("intact");
}

/// A row is cut where slabs and words end, upward and downward.
#[test]
fn rows_through_several_slabs_go_back() {
    let whole = whole();
    // Slabs of 64 and of 8 objects without a rest behind them.
    for class in [16, 48] {
        let mut up = whole.claim(class, 150);
        up.sort_unstable();
        let crossing = |pair: &[usize]| {
            let slab = |at: usize| {
                whole.pages.region.span(whole.pages.region.granule_of(at).expect("ours"))
            };
            pair[1] - pair[0] == info(class).size as usize && slab(pair[0]) != slab(pair[1])
        };
        assert!(up.windows(2).any(crossing), "class {class}");
        let down: Vec<usize> = up.iter().rev().copied().collect();
        let halves = [&up[..70], &down[..80]].concat();
        let back = whole.central.give_back(whole.supply(), &halves);
        assert_eq!(back, GivenBack { bytes: 150 * info(class).size as usize, fault: None });
        let again = whole.central.give_back(whole.supply(), &up[3..5]);
        assert!(again.fault.is_some() && again.bytes == 0, "{again:?}");
        whole.check().expect("intact");
    }
}

/// Where a slab ends, objects of another size may go on in the steps of the first.
#[test]
fn a_row_goes_on_in_a_slab_of_another_class() {
    let whole = whole();
    let large = whole.claim(2, 512);
    let small = whole.claim(1, 1024);
    let end = large.iter().max().expect("some") + 32;
    assert!(small.contains(&end), "the slab of 16 bytes lies behind that of 32");
    let row: Vec<usize> = (0..6).map(|i| end + i * 32 - 3 * 32).collect();
    let back = whole.central.give_back(whole.supply(), &row);
    assert_eq!(back, GivenBack { bytes: 3 * 32 + 3 * 16, fault: None });
    for left in [large, small] {
        let left: Vec<usize> = left.into_iter().filter(|object| !row.contains(object)).collect();
        whole.central.give_back(whole.supply(), &left).answer().expect("live");
    }
    whole.check().expect("intact");
}

#[test]
fn zeroes_are_skipped_and_other_classes_found() {
    let whole = whole();
    let small = whole.claim(2, 2);
    let large = whole.claim(40, 2);
    let mixed = [0, small[0], 0, large[0], large[1], 0, 0, small[1], 0];
    whole.central.give_back(whole.supply(), &mixed).answer().expect("live");
    whole.check().expect("intact");
    assert_eq!(whole.count(0, 40).0, 0);
}

#[test]
fn threads_share_slabs() {
    let whole = whole();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let whole = &whole;
            scope.spawn(move || {
                let mut seed = thread + 1;
                let mut live: Vec<usize> = Vec::new();
                for _ in 0..20_000 {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    let class = 1 + (seed >> 33) as usize % 30;
                    if seed >> 60 < 8 || live.is_empty() {
                        let got = whole.claim(class, 3);
                        live.extend(got);
                    } else {
                        let object = live.swap_remove((seed >> 40) as usize % live.len());
                        let answer = whole.central.give_back(whole.supply(), &[object]).answer();
                        answer.expect("live");
                    }
                }
                for object in live {
                    whole.central.give_back(whole.supply(), &[object]).answer().expect("live");
                }
            });
        }
    });
    whole.check().expect("intact");
    whole.central.trim(whole.supply());
    assert!(whole.is_empty());
}

#[test]
fn threads_of_a_node_share_their_slabs_before_they_take_anothers() {
    let whole = whole();
    let class = 5;
    whole.central.fix_shards(4);
    let claim = |thread, node| {
        let mut out = [0; 4];
        let place = Place { thread, node };
        assert_eq!(whole.claim_at(place, class, Share::Lines, &mut out), 4);
    };
    let slabs = || [0, 1, 2, 3].map(|shard| whole.count(shard, class));
    claim(0, 0);
    assert_eq!(slabs(), [(4, 1), (0, 0), (0, 0), (0, 0)]);
    // The second node's threads find its slab rather than make their own.
    claim(2, 1);
    assert_eq!(slabs(), [(8, 1), (0, 0), (0, 0), (0, 0)]);
    let rest = info(class).objects - 8;
    // One more than there is room for.
    for _ in 0..=rest / 4 {
        claim(2, 1);
    }
    claim(3, 1);
    let [first, second, third, fourth] = slabs();
    assert_eq!(
        (first.1, second.1, fourth.1),
        (1, 0, 0),
        "the neighbour's slab serves thread 3 too"
    );
    assert!(third.1 == 1 && third.0 > 0, "made where it was wanted: {third:?}");
    whole.check().expect("intact");
}

/// Also where its own slab was drained to the last object, which nobody notices until it is tried again.
#[test]
fn a_drained_shard_takes_from_others() {
    let whole = whole();
    let class = 5;
    whole.central.fix_shards(2);
    let claim = |thread, count| {
        let mut out = vec![0; count];
        let place = Place { thread, node: 0 };
        assert_eq!(whole.claim_at(place, class, Share::Lines, &mut out), count);
    };
    claim(1, 1);
    let slab = info(class).objects as usize;
    // Thread 0 takes the rest of that slab first, but for one object, and then one of its own.
    claim(0, slab - 2);
    {
        let _busy = whole.central.shelf(1, class).lock.lock();
        claim(0, slab - 1);
        claim(0, 1);
    }
    claim(0, 1);
    assert_eq!([0, 1].map(|shard| whole.count(shard, class)), [(slab, 1), (slab, 1)]);
    whole.check().expect("intact");
}

#[test]
fn a_shelf_that_somebody_is_at_is_passed_by() {
    let whole = whole();
    let class = 5;
    whole.claim(class, 1);
    whole.central.fix_shards(2);
    let mut out = [0];
    let guard = whole.central.shelf(0, class).lock.lock();
    let place = Place { thread: 1, node: 0 };
    assert_eq!(whole.claim_at(place, class, Share::Lines, &mut out), 1);
    drop(guard);
    assert!(whole.central.shelf(1, class).has_partial(), "a slab of its own");
    whole.check().expect("intact");
}

/// Where there is no memory for a slab it is waited for, as its objects may be the only ones there are.
#[test]
fn a_shelf_that_somebody_is_at_is_waited_for_when_there_is_no_memory() {
    let whole = Whole::over(Failing::new(Os));
    let class = CLASSES - 1;
    whole.claim(class, 1);
    whole.pages.source.fail_from(1);
    while whole
        .pages
        .allocate_slab(info(class).granules as usize, info(class).size as usize, true)
        .is_some()
    {}
    whole.central.fix_shards(2);
    let (entered, leave) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _inside = whole.central.shelf(0, class).lock.lock();
            entered.store(true, Ordering::Release);
            while !leave.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
        });
        while !entered.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        scope.spawn(|| {
            std::thread::sleep(core::time::Duration::from_millis(20));
            leave.store(true, Ordering::Release);
        });
        let mut out = [0];
        let place = Place { thread: 1, node: 0 };
        assert_eq!(whole.claim_at(place, class, Share::Lines, &mut out), 1);
    });
}

#[test]
fn a_search_meets_no_slab_twice_when_others_have_taken_some_off_the_list() {
    let whole = whole();
    let class = 72;
    let objects = whole.claim(class, 2 * info(class).objects as usize);
    let (_, freed) = parts(&objects, |at| at.is_multiple_of(8));
    whole.central.give_back(whole.supply(), &freed).answer().expect("live");
    let order = whole.pages.purge.order();
    // Ten were on the list when the search began.
    let mut left = 10;
    let shelf = whole.central.shelf(0, class);
    shelf.purge_some_holes(whole.supply(), class, &order, &mut left, &mut 1);
    let holes = whole.central.accounts(&whole.pages).holes;
    assert_ne!(holes, 0);
    assert_eq!(whole.pages.hole_bytes(), holes);
}

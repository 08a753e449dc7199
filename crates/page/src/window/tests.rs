use base::Check;
use source::os::Os;
use source::{Failing, PageSource};

use super::*;
use crate::region::Hold;

fn fill(at: usize, granules: usize) {
    for granule in 0..granules {
        let byte = core::ptr::with_exposed_provenance_mut::<u8>(at + granule * GRANULE);
        // SAFETY: inside a run that was handed out.
        unsafe { byte.write(1) };
    }
}

fn limited(heap: &PageHeap<Failing<Os>>) -> usize {
    let run = heap.allocate(5, 1).expect("memory");
    fill(run.at, 5);
    heap.source.pretend_limit(1 << 30);
    heap.limit_changed();
    assert_eq!(heap.region.hold(), Hold::Window);
    heap.check().expect("intact");
    run.at
}

#[test]
fn a_heap_goes_on_behind_a_limit() {
    let heap = PageHeap::new(Failing::new(Os));
    let kept = limited(&heap);
    let mut runs = [0; 200];
    for (index, run) in runs.iter_mut().enumerate() {
        *run = heap.allocate(1 + index, 1).expect("memory").at;
        fill(*run, 1 + index);
        heap.check().expect("intact");
    }
    for (index, run) in runs.iter().enumerate() {
        heap.deallocate(*run, 1 + index);
    }
    assert!(heap.release_empty());
    heap.check().expect("intact");
    assert!(!heap.release_empty(), "nothing is left to release");
    assert!(heap.allocate(300, 1).is_some());
    assert!(heap.allocate(100, 1).is_some());
    heap.deallocate(kept, 5);
    heap.check().expect("intact");
}

#[test]
fn addresses_that_others_took_are_passed_over() {
    let heap = PageHeap::new(Failing::new(Os));
    limited(&heap);
    let frontier = heap.frontier();
    let theirs = heap.region.address_of_block(frontier);
    assert_eq!(Os.claim(theirs, 1000 * BLOCK), Claim::Ours);
    for _ in 0..10 {
        let run = heap.allocate(GRANULES_PER_BLOCK, 1).expect("memory");
        assert!(run.at >= theirs + 1000 * BLOCK);
    }
    heap.check().expect("intact");
    // SAFETY: taken above, unused.
    assert!(unsafe { Os.release(theirs, 1000 * BLOCK) });
}

#[test]
fn a_block_is_taken_in_parts_when_there_is_no_more() {
    let heap = PageHeap::new(Failing::new(Os));
    limited(&heap);
    while heap.state.lock().bins.first(crate::bins::EMPTY_CLEAN) != crate::bins::NIL {
        heap.allocate(GRANULES_PER_BLOCK, 1);
    }
    // The rest of the last block is used up, then whole blocks are refused.
    while heap.find_room(64) {
        heap.allocate(64, 1);
    }
    let frontier = heap.frontier();
    assert!(heap.claim_part(&mut heap.state.lock()));
    let info = heap.region.block(frontier);
    assert_eq!(usize::from(info.owned.load(Ordering::Relaxed)), PARTS[0]);
    heap.check().expect("intact");
    let run = heap.allocate(PARTS[0], 1).expect("memory");
    fill(run.at, PARTS[0]);
    heap.deallocate(run.at, PARTS[0]);
    heap.check().expect("intact");
    for part in 2..=GRANULES_PER_BLOCK / PARTS[0] {
        assert!(heap.claim_rest(&mut heap.state.lock()));
        assert_eq!(usize::from(info.owned.load(Ordering::Relaxed)), part * PARTS[0]);
        heap.check().expect("intact");
    }
    assert!(!heap.claim_rest(&mut heap.state.lock()), "the block is whole");
    heap.source.fail_from(1);
    assert!(!heap.claim_part(&mut heap.state.lock()));
    assert!(heap.allocate(GRANULES_PER_BLOCK + 1, 1).is_none());
    heap.check().expect("intact");
}

#[test]
fn a_limit_that_is_lifted_leaves_room_whatever_others_map_meanwhile() {
    for taken in [false, true] {
        let heap = PageHeap::new(Failing::new(Os));
        limited(&heap);
        let frontier = heap.frontier();
        let far = heap.region.address_of_block(frontier) + (20 << 30);
        if taken {
            assert_eq!(Os.reserve_at(far, BLOCK), Claim::Ours);
        }
        heap.source.pretend_limit(0);
        heap.limit_changed();
        assert!(!heap.region.is_bare());
        assert_eq!(Os.reserve_at(far, BLOCK), Claim::Taken, "nobody else gets it now");
        for count in [1, 100, 300, 5000] {
            fill(heap.allocate(count, 1).expect("memory").at, count);
            heap.check().expect("intact");
        }
    }
}

#[test]
fn limits_that_come_and_go_leave_others_mappings_alone() {
    let heap = PageHeap::new(Failing::new(Os));
    limited(&heap);
    // Another's mapping behind the last block, one in a block that was given up, and one far off.
    let (mut theirs, mut runs) = ([0; 3], [0; 3]);
    runs.fill_with(|| heap.allocate(GRANULES_PER_BLOCK, 1).expect("memory").at);
    heap.deallocate(runs[1], GRANULES_PER_BLOCK);
    heap.release_empty();
    theirs[0] = runs[1];
    let frontier = heap.frontier();
    theirs[1] = heap.region.address_of_block(frontier + 1);
    theirs[2] = heap.region.address_of_block(frontier) + (20 << 30);
    for at in theirs {
        assert_eq!(Os.claim(at, BLOCK), Claim::Ours);
        fill(at, GRANULES_PER_BLOCK);
    }
    for round in 0..4 {
        for limit in [0, 1 << 30] {
            heap.source.pretend_limit(limit);
            heap.limit_changed();
            for count in [1, GRANULES_PER_BLOCK, 3 * GRANULES_PER_BLOCK, 40] {
                let run = heap.allocate(count, 1).expect("memory").at;
                let end = run + count * GRANULE;
                assert!(theirs.iter().all(|&at| end <= at || at + BLOCK <= run), "round {round}");
                fill(run, count);
                if count != 40 {
                    heap.deallocate(run, count);
                }
                heap.check().expect("intact");
            }
        }
    }
    for at in theirs {
        let last = core::ptr::with_exposed_provenance::<u8>(at + BLOCK - GRANULE);
        // SAFETY: claimed above.
        assert_eq!(unsafe { last.read() }, 1, "it is still there");
        // SAFETY: as above, of no more use.
        assert!(unsafe { Os.release(at, BLOCK) });
    }
}

#[test]
fn limits_that_come_and_go_use_the_same_addresses_again() {
    for stays in [false, true] {
        let heap = PageHeap::new(Failing::new(Os));
        limited(&heap);
        let runs = |heap: &PageHeap<_>| {
            [700, 130, 3000].map(|count| (heap.allocate(count, 1).expect("memory").at, count))
        };
        // One run behind those that come and go, so that the frontier cannot sink (window-Z2).
        let mut first = runs(&heap);
        let last = stays.then(|| heap.allocate(300, 1).expect("memory").at);
        let mut frontier = 0;
        for round in 0..20 {
            for (at, count) in first {
                heap.deallocate(at, count);
            }
            heap.source.pretend_limit([1 << 30, 0][round % 2]);
            heap.limit_changed();
            heap.release_empty();
            heap.check().expect("intact");
            first = runs(&heap);
            if round == 1 {
                frontier = heap.frontier();
            }
        }
        assert!(heap.frontier() <= frontier, "one stays: {stays}");
        assert!(last.is_none_or(|at| heap.region.granule_of(at).is_some()));
    }
}

#[test]
fn a_row_that_was_given_up_is_found_between_others_mappings() {
    let heap = PageHeap::new(Failing::new(Os));
    limited(&heap);
    let row = heap.allocate(20 * GRANULES_PER_BLOCK, 1).expect("memory").at;
    let last = heap.allocate(2 * GRANULES_PER_BLOCK, 1).expect("memory").at;
    heap.deallocate(row, 20 * GRANULES_PER_BLOCK);
    heap.release_empty();
    let theirs = row + 4 * BLOCK;
    assert_eq!(Os.claim(theirs, BLOCK), Claim::Ours);
    let found = heap.allocate(8 * GRANULES_PER_BLOCK, 1).expect("memory").at;
    assert!(found > theirs && found < last, "{found:#x} {theirs:#x}");
    heap.check().expect("intact");
    // None of 8 is left; it is looked for once, and again when more was given up.
    assert!(heap.allocate(8 * GRANULES_PER_BLOCK, 1).expect("memory").at > last);
    assert_eq!(heap.state.lock().growth.longest_hole, 7);
    heap.deallocate(found, 8 * GRANULES_PER_BLOCK);
    heap.release_empty();
    assert_eq!(heap.state.lock().growth.longest_hole, u32::MAX);
    heap.check().expect("intact");
    // SAFETY: claimed above, of no more use.
    assert!(unsafe { Os.release(theirs, BLOCK) });
}

impl<S: System> PageHeap<S> {
    /// Whether a run of `count` granules is free.
    fn find_room(&self, count: u32) -> bool {
        (self.region.first_block()..self.frontier())
            .any(|block| base::bits::run_starts(self.region.block(block).free(), count) != 0)
    }
}

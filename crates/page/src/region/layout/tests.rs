use source::os::Os;
use source::{Failing, PageSource};

use super::*;
use crate::geometry::{GRANULE, GRANULES_PER_BLOCK};
use crate::region::Span;

/// A machine of so much memory, and a limit of its addresses; 0: none.
fn machine(memory: usize, limit: usize) -> Failing<Os> {
    let machine = Failing::new(Os);
    machine.pretend_physical_memory(memory);
    machine.pretend_limit(limit);
    machine
}

#[test]
fn parts_do_not_overlap_and_leave_room_for_guards() {
    for shift in 33..=40 {
        let layout = Layout::of(1 << shift);
        let granules = (1usize << shift) >> GRANULE_SHIFT;
        assert!(layout.span_map >= granules + GUARD);
        assert!(layout.block_map >= layout.span_map + granules * 4 + GUARD);
        let infos = (1usize << shift >> BLOCK_SHIFT) * size_of::<BlockInfo>();
        assert!(layout.blocks >= layout.block_map + infos + GUARD);
        assert!(layout.blocks.is_multiple_of(BLOCK));
        assert!(layout.blocks < layout.len / 100, "{shift}: maps take one per cent at most");
        assert!(layout.descriptors >= layout.len + GUARD);
    }
}

#[test]
fn the_last_granules_of_a_terabyte_are_told_apart() {
    let machine = machine(256 << 30, 0);
    let region = Region::new();
    assert!(region.init(&machine));
    assert_eq!(region.hold(), Hold::Reserved);
    assert_eq!(region.blocks() as usize, MAX / BLOCK);
    let last = region.blocks() as usize * GRANULES_PER_BLOCK - 1;
    assert!(region.cover(&machine, last + 1));
    let at = region.grow_descriptors(&machine, MAX / DESCRIPTORS).expect("descriptors");
    // The highest descriptor there can be, and the highest granule.
    let descriptor = at + MAX / DESCRIPTORS - 64;
    region.enter_slab(last, 1, descriptor, 7);
    assert_eq!(region.span(last), Span::Slab(descriptor));
    assert_eq!(region.class_at(region.address_of(last) + GRANULE - 1), Some(7));
    assert_eq!(region.granule_of(region.address_of(last)), Some(last));
    region.clear(last, 1);
    region.enter_run(last, 1);
    assert_eq!(region.span(last), Span::Run(1));
    assert_eq!(region.granule_of(region.address_of(last) + GRANULE), None, "the guard is not ours");
}

#[test]
fn every_guard_is_reserved_also_in_a_window() {
    for limit in [0, 1 << 40] {
        let machine = machine(16 << 30, limit);
        let region = Region::new();
        assert!(region.init(&machine));
        assert_eq!(region.hold() == Hold::Window, limit != 0);
        let len = region.blocks() as usize * BLOCK;
        for end in Layout::of(len).guarded() {
            let guard = region.base() + end - Os.page_size();
            assert_eq!(Os.reserve_at(guard, Os.page_size()), Claim::Taken);
        }
    }
}

#[test]
fn a_limit_leaves_a_share_for_maps_and_descriptors() {
    let machine = machine(16 << 30, 0);
    let region = Region::new();
    assert!(region.init(&machine));
    let frontier = region.first_block() + 3;
    region.limit(&machine, 2 << 30, frontier);
    assert_eq!(region.hold(), Hold::Window);
    // Somebody takes all that was given up.
    let at = region.address_of_block(frontier);
    let end = region.address_of_block(region.blocks());
    assert_eq!(Os.reserve_at(at, end - at), Claim::Ours);
    let covered = region.granules();
    assert!(region.cover(&machine, covered + (2 << 30) / GRANULE));
    assert!(region.grow_descriptors(&machine, (2 << 30) / DESCRIPTORS).is_some());
    // SAFETY: taken above, unused.
    assert!(unsafe { Os.release(at, end - at) });
}

#[test]
fn a_region_that_is_refused_leaves_nothing_behind() {
    let source = machine(16 << 30, 0);
    source.fail_from(1);
    let region = Region::new();
    assert!(!region.init(&source));
    assert_eq!(region.granules(), 0, "nothing is published");
    source.fail_from(0);
    assert!(region.init(&source));
    // The first call looks for a place at all.
    for nth in 2..12 {
        let source = machine(16 << 30, 1 << 40);
        source.fail_nth(nth);
        let region = Region::new();
        assert!(region.init(&source), "another place is found, call {nth}");
        source.fail_from(0);
        // What the refused places had is free again: a later window may lie there.
        let at = region.base() - Os.page_size();
        // SAFETY: the test's region ends here, and nothing of it was used.
        assert!(unsafe { Os.release(at, Os.page_size()) });
    }
}

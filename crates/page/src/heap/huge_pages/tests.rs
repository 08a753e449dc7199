use base::Check as _;
use source::os::Os;
use source::{Failing, HugePages as System};

use super::*;
use crate::geometry::BLOCK;

const MIB: usize = 1 << 20;

/// A heap of four blocks of large runs, from which on huge pages are asked for.
fn heap_of_8_mib() -> PageHeap<Failing<Os>> {
    let heap = PageHeap::new(Failing::new(Os));
    for _ in 0..4 {
        heap.allocate(GRANULES_PER_BLOCK, 1).expect("memory");
    }
    heap
}

/// A slab of small objects; the block it lies in.
fn slab(heap: &PageHeap<Failing<Os>>, granules: usize, size: usize) -> u32 {
    let granule = heap.allocate_slab(granules, size, true).expect("memory");
    heap.check().expect("intact");
    low32(granule / GRANULES_PER_BLOCK)
}

fn is_huge(heap: &PageHeap<Failing<Os>>, block: u32) -> bool {
    heap.region.block(block).is_huge()
}

fn block_of(heap: &PageHeap<Failing<Os>>, at: usize) -> u32 {
    low32((at - heap.region.base()) / BLOCK)
}

#[test]
fn slabs_of_small_objects_get_huge_pages_and_what_is_free_of_them_is_dirty() {
    let heap = heap_of_8_mib();
    let block = slab(&heap, 1, 64);
    assert!(is_huge(&heap, block));
    assert_eq!(heap.dirty_bytes(), BLOCK - GRANULE);
    assert_eq!(slab(&heap, 3, 8192), block, "small objects share it");
    assert_eq!(heap.dirty_bytes(), BLOCK - 4 * GRANULE);
}

#[test]
fn what_may_hardly_be_touched_gets_small_pages_of_its_own() {
    let heap = heap_of_8_mib();
    let small = slab(&heap, 1, 64);
    let dirty = heap.dirty_bytes();
    let others = [
        slab(&heap, 4, 9216),
        block_of(&heap, heap.allocate(5, 1).expect("memory").at),
        block_of(&heap, heap.allocate(1, GRANULES_PER_BLOCK).expect("memory").at),
        block_of(&heap, heap.allocate(300, 1).expect("memory").at),
    ];
    heap.check().expect("intact");
    assert!(others.iter().all(|&block| block != small && !is_huge(&heap, block)));
    assert_eq!(heap.dirty_bytes(), dirty, "what is free beside them costs nothing");
    heap.allocate(124, 1).expect("memory");
    assert_eq!(slab(&heap, 1, 64), small, "small objects' own blocks come first");
}

#[test]
fn small_objects_leave_clean_rests_to_large_blocks_and_use_dirty_ones() {
    let heap = heap_of_8_mib();
    let small = slab(&heap, 1, 64);
    let rest = block_of(&heap, heap.allocate(5, 1).expect("memory").at);
    let old = heap.allocate(3, 1).expect("memory").at;
    heap.deallocate(old, 3);
    while slab(&heap, 1, 64) == small {}
    let dirty = heap.region.block(rest).free() & heap.region.block(rest).dirty();
    assert_eq!(dirty.count_ones(), 2, "the first that did not fit is in what is resident");
    for _ in 0..2 {
        assert_eq!(slab(&heap, 1, 64), rest);
    }
    let opened = slab(&heap, 1, 64);
    assert!(opened != rest && is_huge(&heap, opened), "then a block is opened");
    heap.source.fail_from(1);
    while slab(&heap, 1, 64) == opened {}
    assert_eq!(slab(&heap, 1, 64), rest, "when memory is refused the rest serves too");
}

#[test]
fn when_memory_is_refused_every_block_may_serve() {
    let heap = heap_of_8_mib();
    let small = slab(&heap, 1, 64);
    heap.source.fail_from(1);
    assert_eq!(heap.allocate(100, 1).map(|run| block_of(&heap, run.at)), Some(small));
    heap.check().expect("intact");
}

#[test]
fn a_block_that_gives_back_a_part_is_of_small_pages_until_it_is_opened_anew() {
    let heap = heap_of_8_mib();
    let block = slab(&heap, 1, 64);
    assert_eq!(heap.purge_all(), BLOCK - GRANULE);
    heap.check().expect("intact");
    assert!(!is_huge(&heap, block));
    let at = heap.region.address_of_block(block);
    heap.deallocate_slabs(1, &[at], true);
    assert_eq!(heap.purge_all(), GRANULE);
    assert_eq!((slab(&heap, 1, 64), is_huge(&heap, block)), (block, true));
}

#[test]
fn an_empty_block_is_advised_anew_for_whoever_opens_it() {
    let heap = heap_of_8_mib();
    let block = slab(&heap, 1, 64);
    let at = heap.region.address_of_block(block);
    heap.deallocate_slabs(1, &[at], true);
    let run = heap.allocate(100, 1).expect("memory");
    heap.check().expect("intact");
    assert_eq!(
        (block_of(&heap, run.at), is_huge(&heap, block)),
        (block, false),
        "resident already"
    );
    heap.deallocate(run.at, 100);
    assert_eq!(
        (slab(&heap, 1, 64), is_huge(&heap, block)),
        (block, false),
        "what is resident stays"
    );
}

#[test]
fn a_block_that_is_opened_again_was_purged_too_early_as_a_whole() {
    let heap = heap_of_8_mib();
    for _ in 0..2 {
        let block = slab(&heap, 1, 64);
        heap.deallocate_slabs(1, &[heap.region.address_of_block(block)], true);
        assert_eq!(heap.purge_all(), BLOCK);
    }
    slab(&heap, 1, 64);
    let reused = heap.state.lock().keep.reused;
    assert_eq!(reused, 2 * GRANULES_PER_BLOCK);
}

#[test]
fn a_small_heap_has_none() {
    let heap = PageHeap::new(Failing::new(Os));
    assert!(!is_huge(&heap, slab(&heap, 1, 64)));
}

#[test]
fn nobody_counts_on_huge_pages_where_the_system_makes_none() {
    let heap = heap_of_8_mib();
    heap.source.pretend_huge_pages(System::Never);
    heap.look_at_memory_limit();
    assert!(!is_huge(&heap, slab(&heap, 1, 64)));
    assert_eq!(heap.dirty_bytes(), 0);
}

#[test]
fn where_the_system_makes_huge_pages_unasked_rests_cost_at_once() {
    let heap = heap_of_8_mib();
    heap.source.pretend_huge_pages(System::Always);
    heap.look_at_memory_limit();
    heap.allocate(70, 1).expect("memory");
    heap.check().expect("intact");
    assert_eq!(heap.dirty_bytes(), 58 * GRANULE);
    let run = heap.allocate(70, 1).expect("memory");
    assert!(run.zero, "resident, and zero");
    heap.deallocate_zero(run.at, 70);
    assert_eq!(heap.dirty_bytes(), 2 * 58 * GRANULE, "nobody touched what was handed out");
    heap.allocate_aligned(3, 256).expect("memory");
    heap.check().expect("intact");
    assert!(heap.dirty_bytes() >= (58 + 125) * GRANULE, "beside what is kept of an aligned run");
}

#[test]
fn the_user_may_ask_for_them_for_everything() {
    let heap = PageHeap::new(Failing::new(Os));
    heap.set_huge_from(0);
    let run = heap.allocate(300, 1).expect("memory");
    heap.check().expect("intact");
    assert!(is_huge(&heap, block_of(&heap, run.at)) && heap.wants_huge_for_all());
    assert_eq!(heap.dirty_bytes(), 84 * GRANULE);
    assert_eq!(slab(&heap, 1, 64), block_of(&heap, run.at) + 2, "the tail serves others");
    let none = heap_of_8_mib();
    none.set_huge_from(usize::MAX);
    assert!(!is_huge(&none, slab(&none, 1, 64)) && !none.wants_huge_for_all());
}

#[test]
fn a_memory_limit_has_room_for_a_whole_page() {
    let heap = heap_of_8_mib();
    heap.source.pretend_memory_limit(13 * MIB);
    heap.look_at_memory_limit();
    assert!(
        !is_huge(&heap, slab(&heap, 1, 64)),
        "11/16 of the limit leave less than 2 MiB beside 8"
    );
}

#[test]
fn seams_are_bounded() {
    let heap = heap_of_8_mib();
    heap.set_floor(usize::MAX);
    let mut huge = 0;
    let first = slab(&heap, GRANULES_PER_BLOCK, 64);
    for _ in 0..MOST_SEAMS {
        heap.allocate(GRANULES_PER_BLOCK, 1).expect("memory");
        // A block of each kind in turn, each full.
        huge += u32::from(is_huge(&heap, slab(&heap, GRANULES_PER_BLOCK, 64)));
    }
    heap.check().expect("intact");
    let seams = heap.state.lock().growth.seams;
    assert!(
        seams == MOST_SEAMS && huge < MOST_SEAMS,
        "{seams} seams, {huge} blocks with huge pages"
    );
    assert!(is_huge(&heap, first));
    heap.deallocate_slabs(GRANULES_PER_BLOCK, &[heap.region.address_of_block(first)], true);
    let run = heap.allocate(GRANULES_PER_BLOCK, 1).expect("memory");
    heap.check().expect("intact");
    assert!(
        block_of(&heap, run.at) == first && !is_huge(&heap, first),
        "small ones are still to be had"
    );
}

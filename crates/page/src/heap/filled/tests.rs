use base::Check as _;
use base::bits::low32;
use source::Failing;
use source::os::Os;

use super::*;
use crate::geometry::{BLOCK, GRANULES_PER_BLOCK};
use crate::heap::Run;

/// A heap of four blocks that keeps nothing, and may ask.
fn heap() -> PageHeap<Failing<Os>> {
    let heap = PageHeap::new(Failing::new(Os));
    heap.hears_of_confinement();
    heap.look_at_memory_limit();
    heap.allocate(4 * GRANULES_PER_BLOCK, 1).expect("memory");
    heap
}

/// A run of `blocks`, of which each `step`-th page is written.
fn run(heap: &PageHeap<Failing<Os>>, blocks: usize, step: usize) -> Run {
    let run = heap.allocate(blocks * GRANULES_PER_BLOCK, 1).expect("memory");
    heap.check().expect("intact");
    for page in (0..blocks * BLOCK).step_by(step << 12) {
        // SAFETY: handed out to this test.
        unsafe { core::ptr::with_exposed_provenance_mut::<u8>(run.at + page).write(1) };
    }
    run
}

/// How many of its blocks have huge pages.
fn huge(heap: &PageHeap<Failing<Os>>, run: Run, blocks: usize) -> usize {
    let first = (run.at - heap.region.base()) / BLOCK;
    (first..first + blocks).filter(|&block| heap.region.block(low32(block)).is_huge()).count()
}

fn free(heap: &PageHeap<Failing<Os>>, run: Run, blocks: usize) {
    heap.deallocate(run.at, blocks * GRANULES_PER_BLOCK);
    heap.purge_all();
    heap.check().expect("intact");
}

#[test]
fn each_block_that_was_full_grants_four_and_one_that_was_not_takes_them_back() {
    let heap = heap();
    let first = run(&heap, 2, 1);
    assert_eq!(huge(&heap, first, 2), 0, "nothing is known yet");
    free(&heap, first, 2);
    let second = run(&heap, 5, 1);
    assert_eq!(huge(&heap, second, 5), 5, "of eight");
    let sparse = run(&heap, 4, 2);
    assert_eq!(huge(&heap, sparse, 4), 3);
    free(&heap, second, 5);
    let none = run(&heap, 1, 1);
    assert_eq!(huge(&heap, none, 1), 0, "what lay in huge pages shows nothing");
    free(&heap, none, 1);
    free(&heap, sparse, 4);
    let last = run(&heap, 1, 1);
    assert_eq!(huge(&heap, last, 1), 0);
}

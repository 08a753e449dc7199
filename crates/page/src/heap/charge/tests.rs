use base::Check as _;
use source::os::Os;
use source::os::imp::peek::{Peek, peek};
use source::{Claim, Failing, PageSource as _};

use super::*;
use crate::geometry::{GRANULE, GRANULES_PER_BLOCK};

/// A heap on a system that counts what is committed, with some blocks in use: up to 15 lie one after the other.
fn heap_of<const BLOCKS: usize>() -> (PageHeap<Failing<Os>>, [usize; BLOCKS]) {
    let heap = PageHeap::new(Failing::new(Os));
    heap.source.pretend_charges();
    heap.look_at_memory_limit();
    let mut runs = [(); BLOCKS].map(|()| block(&heap));
    runs.sort_unstable();
    heap.check().expect("intact");
    (heap, runs)
}

fn block(heap: &PageHeap<Failing<Os>>) -> usize {
    let run = heap.allocate(GRANULES_PER_BLOCK, 1).expect("memory");
    write(run.at, run.zero);
    run.at
}

/// Fills one byte of each granule; where the run was said to be zero, after a look.
fn write(at: usize, zero: bool) {
    for granule in 0..GRANULES_PER_BLOCK {
        let byte = core::ptr::with_exposed_provenance_mut::<u8>(at + granule * GRANULE);
        // SAFETY: inside a run that was handed out.
        let before = unsafe { byte.read() };
        assert!(!zero || before == 0, "said to be zero");
        // SAFETY: as above.
        unsafe { byte.write(7) };
    }
}

fn free(heap: &PageHeap<Failing<Os>>, runs: impl IntoIterator<Item = usize>) {
    for run in runs {
        heap.deallocate(run, GRANULES_PER_BLOCK);
        heap.check().expect("intact");
    }
}

fn is_reserved(at: usize) -> bool {
    !can_be_read(at) && !is_foreign(at)
}

fn is_foreign(at: usize) -> bool {
    // SAFETY: claimed just now, unused.
    Os.claim(at, BLOCK) == Claim::Ours && unsafe { Os.release(at, BLOCK) }
}

fn can_be_read(at: usize) -> bool {
    let mut word = [0];
    peek(at, &mut word) == Peek::Copied
}

fn rows(heap: &PageHeap<Failing<Os>>) -> (u32, usize) {
    (heap.state.lock().growth.rows, heap.given_up())
}

#[test]
fn what_is_free_is_reserved_again_and_comes_back_zero() {
    let (heap, runs) = heap_of::<6>();
    free(&heap, [runs[1], runs[2], runs[4]]);
    assert_eq!(heap.purge_all(), 3 * BLOCK);
    assert_eq!(rows(&heap), (2, 3));
    assert!([1, 2, 4].iter().all(|&at| is_reserved(runs[at])));
    assert!([0, 3, 5].iter().all(|&at| can_be_read(runs[at])), "in use");
    // The lowest come first.
    assert_eq!([(); 3].map(|()| block(&heap)), [runs[1], runs[2], runs[4]]);
    assert_eq!(rows(&heap), (0, 0));
    heap.check().expect("intact");
}

#[test]
fn where_nothing_is_counted_blocks_stay_committed() {
    let heap = PageHeap::new(Failing::new(Os));
    heap.look_at_memory_limit();
    let runs = [(); 3].map(|()| block(&heap));
    free(&heap, [runs[1]]);
    heap.purge_all();
    heap.release_empty();
    assert_eq!(rows(&heap), (0, 0));
    assert!(can_be_read(runs[1]));
}

#[test]
fn blocks_at_the_end_and_those_committed_ahead_go_too() {
    let (heap, runs) = heap_of::<40>();
    let first = heap.region.first_block();
    free(&heap, runs[2..].iter().copied());
    heap.purge_all();
    heap.release_empty();
    assert_eq!((rows(&heap), heap.frontier()), ((0, 0), first + 2), "behind the frontier again");
    assert_eq!(heap.committed_bytes(), 2 * BLOCK);
    free(&heap, runs[..2].iter().copied());
    heap.release_empty();
    assert_eq!((rows(&heap), heap.frontier()), ((0, 0), first));
    assert_eq!(block(&heap), runs[0]);
}

#[test]
fn rows_are_few() {
    let (heap, runs) = heap_of::<9>();
    free(&heap, [runs[1], runs[3], runs[5]]);
    heap.state.lock().growth.rows = MOST_ROWS;
    assert_eq!(heap.purge_all(), 3 * BLOCK, "they are purged");
    assert_eq!(heap.given_up(), 0, "and stay committed");
    heap.state.lock().growth.rows = 0;
    heap.check().expect("intact");
    assert!(heap.release_empty());
    assert_eq!(rows(&heap), (3, 3));
    heap.state.lock().growth.rows = MOST_ROWS;
    // One beside a row, and one between two, add none.
    for run in [runs[6], runs[2]] {
        heap.deallocate(run, GRANULES_PER_BLOCK);
    }
    assert!(heap.release_empty());
    assert_eq!(rows(&heap), (MOST_ROWS - 1, 5));
    heap.state.lock().growth.rows = 2;
    heap.check().expect("intact");
}

#[test]
fn a_refused_commit_is_no_memory() {
    let (heap, runs) = heap_of::<4>();
    free(&heap, [runs[1], runs[2]]);
    heap.purge_all();
    heap.source.fail_from(1);
    assert!(heap.allocate(GRANULES_PER_BLOCK, 1).is_none());
    assert!(heap.allocate(2 * GRANULES_PER_BLOCK, 1).is_none());
    assert!(heap.allocate_slab(1, 16, true).is_none());
    assert!(!heap.extend(runs[0], GRANULES_PER_BLOCK, 2 * GRANULES_PER_BLOCK));
    heap.check().expect("intact");
    assert_eq!(rows(&heap), (1, 2));
    heap.source.fail_nth(0);
    assert_eq!(heap.allocate(2 * GRANULES_PER_BLOCK, 1).expect("memory").at, runs[1]);
    heap.check().expect("intact");
}

#[test]
fn a_refused_decommit_purges() {
    let (heap, runs) = heap_of::<4>();
    free(&heap, [runs[1]]);
    heap.source.fail_nth(1);
    assert_eq!(heap.purge_all(), BLOCK);
    assert_eq!(rows(&heap), (0, 0));
    heap.check().expect("intact");
    assert_eq!(block(&heap), runs[1]);
}

#[test]
fn a_block_grows_into_what_was_given_up() {
    let (heap, runs) = heap_of::<5>();
    free(&heap, runs[1..4].iter().copied());
    heap.purge_all();
    assert!(heap.extend(runs[0], GRANULES_PER_BLOCK, 2 * GRANULES_PER_BLOCK + 1));
    heap.check().expect("intact");
    write(runs[1], true);
    assert_eq!(rows(&heap), (1, 1));
    assert!(!heap.extend(runs[0], 2 * GRANULES_PER_BLOCK + 1, 4 * GRANULES_PER_BLOCK + 1));
    heap.check().expect("intact");
}

#[test]
fn lost_addresses_are_taken_for_ever() {
    let (heap, runs) = heap_of::<4>();
    free(&heap, [runs[1]]);
    heap.source.lose_moves(true);
    heap.purge_all();
    heap.source.lose_moves(false);
    heap.check().expect("intact");
    assert_eq!((rows(&heap), heap.dirty_bytes()), ((0, 0), 0));
    let more = [(); 20].map(|()| block(&heap));
    assert!(!more.contains(&runs[1]), "somebody else's");
}

#[test]
fn a_window_takes_up_what_was_given_up() {
    let (heap, runs) = heap_of::<6>();
    free(&heap, [runs[1], runs[3]]);
    heap.purge_all();
    assert_eq!(rows(&heap), (2, 2));
    heap.source.pretend_limit(1 << 40 >> 4);
    heap.limit_changed();
    assert_eq!(heap.region.hold(), Hold::Window);
    assert_eq!(rows(&heap), (0, 0));
    heap.check().expect("intact");
    assert!(is_foreign(runs[3]), "not even reserved");
    assert_eq!([(); 2].map(|()| block(&heap)), [runs[1], runs[3]]);
    heap.source.pretend_limit(0);
    heap.limit_changed();
    free(&heap, [runs[3]]);
    heap.purge_all();
    assert!(is_foreign(runs[3]), "given up where a limit was lifted");
    assert_eq!(block(&heap), runs[3]);
    heap.check().expect("intact");
    // The last block is given up, and then addresses are limited again: the frontier lies before it.
    free(&heap, [runs[5]]);
    heap.purge_all();
    heap.source.pretend_limit(1 << 40 >> 4);
    heap.limit_changed();
    heap.check().expect("intact");
}

#[test]
fn before_a_fork_that_would_be_refused_what_is_free_goes() {
    let (heap, runs) = heap_of::<4>();
    free(&heap, [runs[1]]);
    heap.make_way_for_fork(0);
    assert_eq!(rows(&heap), (0, 0), "there is room");
    heap.source.fail_nth(1);
    heap.make_way_for_fork(0);
    assert_eq!(rows(&heap), (1, 1));
    heap.check().expect("intact");
}

#[test]
fn any_order_of_going_and_coming_keeps_the_rows() {
    let (heap, runs) = heap_of::<24>();
    let (mut live, mut state): (Vec<usize>, u64) = (runs.to_vec(), 1);
    for _ in 0..2000 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = base::bits::index(state >> 33);
        if number % 5 < 2 && !live.is_empty() {
            let run = live.swap_remove(number / 5 % live.len());
            heap.deallocate(run, GRANULES_PER_BLOCK);
        } else if live.len() < 24 {
            live.push(block(&heap));
        }
        if number.is_multiple_of(7) {
            heap.purge_all();
        }
        if number.is_multiple_of(11) {
            heap.release_empty();
        }
        heap.check().expect("intact");
    }
}

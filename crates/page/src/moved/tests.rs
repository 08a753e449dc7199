use super::*;
use crate::geometry::{GRANULE, GRANULES_PER_BLOCK};
use base::Check;
use policy::table::{KEEP_MOVED, MOST_MOVED};
use source::Failing;
use source::os::Os;

const LEN: usize = BLOCK / 2;
const COUNT: usize = LEN / GRANULE;

fn touch(at: usize, value: u8) {
    let first = core::ptr::with_exposed_provenance_mut::<u8>(at);
    // SAFETY: inside a run that was handed out.
    unsafe { first.write(value) };
}

fn first_byte(at: usize) -> u8 {
    let first = core::ptr::with_exposed_provenance::<u8>(at);
    // SAFETY: inside a run that was handed out.
    unsafe { first.read() }
}

fn sum<S: System>(heap: &PageHeap<S>) -> u32 {
    heap.state.lock().growth.moved
}

/// Moves a fresh run into a new one, which is returned; the old one is free then.
fn moved<S: System>(heap: &PageHeap<S>, value: u8) -> Option<usize> {
    let from = heap.allocate(GRANULES_PER_BLOCK, 1)?.at;
    touch(from, value);
    let Some(to) = heap.allocate(COUNT, 1) else {
        heap.deallocate(from, GRANULES_PER_BLOCK);
        return None;
    };
    let to = to.at;
    // SAFETY: the front of one live run, and another.
    let done = unsafe { heap.move_pages(from, to, LEN) } == Move::Done;
    assert_eq!(first_byte(from), if done { 0 } else { value });
    heap.deallocate(from, GRANULES_PER_BLOCK);
    if done {
        assert_eq!(first_byte(to), value);
        return Some(to);
    }
    heap.deallocate(to, COUNT);
    None
}

#[test]
fn moves_end_at_their_bound_and_begin_again_when_blocks_are_fresh() {
    let heap = PageHeap::new(Os);
    let mut runs = [0; MOST_MOVED as usize];
    for (number, run) in runs.iter_mut().enumerate() {
        *run = moved(&heap, 7).unwrap_or_else(|| panic!("move {number} is refused"));
    }
    heap.check().expect("intact");
    assert_eq!(sum(&heap), MOST_MOVED);
    assert_eq!(moved(&heap, 8), None, "there are too many");
    for run in runs {
        heap.deallocate(run, COUNT);
    }
    heap.check().expect("intact");
    assert!(sum(&heap) <= KEEP_MOVED, "{} moves are left", sum(&heap));
    heap.purge_all();
    assert_eq!(sum(&heap), 0, "what is purged is fresh");
    assert!(moved(&heap, 9).is_some());
    heap.check().expect("intact");
}

#[test]
fn what_was_moved_is_not_moved_again_until_its_block_is_fresh() {
    let heap = PageHeap::new(Os);
    let first = moved(&heap, 1).expect("the first move");
    let second = heap.allocate(COUNT, 1).expect("memory").at;
    // SAFETY: two live runs.
    let answer = unsafe { heap.move_pages(first, second, LEN) };
    assert_eq!(answer, Move::Refused, "it is a mapping of its own");
    assert_eq!(first_byte(first), 1);
    heap.check().expect("intact");
}

#[test]
fn a_run_of_several_blocks_counts_in_each() {
    let heap = PageHeap::new(Os);
    let from = heap.allocate(3 * GRANULES_PER_BLOCK, 1).expect("memory").at;
    let to = heap.allocate(3 * GRANULES_PER_BLOCK, 1).expect("memory").at;
    touch(from + 2 * BLOCK, 3);
    // The very first block of a heap stays in small pages.
    let from = from + BLOCK;
    // SAFETY: two live runs.
    assert_eq!(unsafe { heap.move_pages(from, to, 2 * BLOCK) }, Move::Done);
    assert_eq!(first_byte(to + BLOCK), 3);
    assert_eq!(sum(&heap), 2);
    heap.deallocate(to, 3 * GRANULES_PER_BLOCK);
    heap.purge_all();
    assert_eq!(sum(&heap), 0);
    heap.check().expect("intact");
}

#[test]
fn nothing_is_moved_in_a_child() {
    let heap = PageHeap::new(Os);
    heap.note_child();
    assert_eq!(moved(&heap, 1), None);
}

#[test]
fn a_child_keeps_blocks_that_become_no_fresher() {
    let heap = PageHeap::new(Os);
    heap.set_floor(256 << 20);
    let runs: [usize; KEEP_MOVED as usize + 2] =
        core::array::from_fn(|_| moved(&heap, 1).expect("a move"));
    heap.note_child();
    let before = heap.purge.total_bytes();
    runs.iter().for_each(|&run| heap.deallocate(run, COUNT));
    assert_eq!(heap.purge.total_bytes(), before);
    heap.check().expect("intact");
}

#[test]
fn a_refused_move_or_fresh_mapping_loses_nothing() {
    for n in 1..12 {
        let heap = PageHeap::new(Failing::new(Os));
        heap.allocate(1, 1).expect("memory");
        heap.source.fail_nth(n);
        for value in 1..4 {
            if let Some(run) = moved(&heap, value) {
                heap.deallocate(run, COUNT);
            }
            heap.purge_all();
            heap.check().expect("intact");
        }
    }
}

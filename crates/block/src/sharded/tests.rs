use super::*;
use base::{AddMemory, Check, Stats};

use crate::shapes::{Memory, over};

const KIB: usize = 1 << 10;

/// A memory of slices of 4 KiB, and one of 64 KiB.
const SMALL: usize = 256 * KIB;
const LARGE: usize = 8 << 20;

fn take(heap: &mut Sharded, size: usize, align: usize) -> NonNull<u8> {
    let block = heap.allocate(Layout::from_size_align(size, align).unwrap());
    heap.check().unwrap();
    block.expect("there is room")
}

fn give(heap: &mut Sharded, block: NonNull<u8>) {
    // SAFETY: the tests free live blocks.
    unsafe { heap.free(block) };
    heap.check().unwrap();
}

fn at(block: NonNull<u8>) -> usize {
    block.addr().get()
}

/// Bytes of slices that are in no page.
fn free_slices(heap: &Sharded) -> usize {
    heap.spans.iter().map(|(span, _)| span.len()).sum()
}

#[test]
fn blocks_follow_each_other_and_what_was_freed_waits() {
    let mut memory = Memory::new(LARGE);
    let mut heap: Sharded = over(&mut memory);
    let blocks = [(); 4].map(|()| take(&mut heap, 100, 8));
    for pair in blocks.windows(2) {
        assert_eq!(at(pair[1]) - at(pair[0]), 112);
    }
    give(&mut heap, blocks[0]);
    give(&mut heap, blocks[1]);
    assert_eq!(at(take(&mut heap, 100, 8)), at(blocks[3]) + 112, "the page is used up first");
    // 36 blocks of 112 bytes are linked at a time.
    for _ in 5..36 {
        take(&mut heap, 100, 8);
    }
    assert_eq!(take(&mut heap, 112, 1), blocks[1], "then what came back, last in, first out");
    assert_eq!(take(&mut heap, 97, 1), blocks[0]);
}

#[test]
fn a_page_that_is_used_up_leaves_its_queue_and_comes_back() {
    let mut memory = Memory::new(LARGE);
    let mut heap: Sharded = over(&mut memory);
    let queue = Class::within(Layout::from_size_align(8 * KIB, 1).unwrap(), LARGEST).unwrap();
    let blocks = [(); 8].map(|()| take(&mut heap, 8 * KIB, 8));
    let first = heap.queues[queue.index()].first().unwrap();
    let ninth = take(&mut heap, 8 * KIB, 8);
    let second = heap.queues[queue.index()].first().unwrap();
    assert!(first != second && first.state() == State::Full);
    give(&mut heap, blocks[3]);
    assert!(first.state() == State::Queued && !heap.queues[queue.index()].is_only(first));
    give(&mut heap, ninth);
    assert!(heap.queues[queue.index()].is_only(first), "of several none stays empty");
    for block in [0, 1, 2, 4, 5, 6, 7] {
        give(&mut heap, blocks[block]);
    }
    assert!(heap.queues[queue.index()].is_only(first), "the only one stays");
    assert_eq!(heap.stats().used, 0);
    let kept = free_slices(&heap);
    heap.reclaim();
    heap.check().unwrap();
    assert_eq!(free_slices(&heap), kept + 64 * KIB);
    assert_eq!(heap.stats().largest_free, heap.stats().total, "one span again");
}

#[test]
fn large_blocks_are_slices_and_are_joined_again() {
    let mut memory = Memory::new(LARGE);
    let mut heap: Sharded = over(&mut memory);
    let blocks = [1 << 20, 65 * KIB, 200 * KIB].map(|size| take(&mut heap, size, 16));
    assert_eq!(at(blocks[1]) - at(blocks[0]), 1 << 20);
    assert_eq!(at(blocks[2]) - at(blocks[1]), 128 * KIB);
    // SAFETY: live.
    assert_eq!(unsafe { heap.usable_size(blocks[2]) }, 256 * KIB);
    for block in blocks {
        give(&mut heap, block);
    }
    assert_eq!(heap.stats().largest_free, heap.stats().total);
    assert_eq!(heap.stats().peak, (1 << 20) + 384 * KIB);
}

#[test]
fn every_alignment_is_kept_in_small_memories_too() {
    for len in [SMALL, LARGE] {
        let mut memory = Memory::new(len);
        let mut heap: Sharded = over(&mut memory);
        for align in (0..=15).map(|shift| 1 << shift) {
            for size in [1, 24, 100, 3 * KIB, 9 * KIB] {
                let block = take(&mut heap, size, align);
                assert_eq!(at(block) % align, 0, "{size} at {align}");
                give(&mut heap, block);
            }
        }
    }
}

#[test]
fn where_no_page_fits_a_block_is_alone_and_refusals_change_nothing() {
    let mut memory = Memory::new(SMALL);
    let mut heap: Sharded = over(&mut memory);
    let most = heap.stats().largest_free;
    let all = take(&mut heap, most, 8);
    assert!(heap.allocate(Layout::new::<u64>()).is_none());
    assert!(heap.allocate(Layout::from_size_align(5 * KIB, 8).unwrap()).is_none());
    assert_eq!((heap.stats().failures, heap.stats().used), (2, most));
    give(&mut heap, all);
    // 60 KiB would be of a class of 64; all but 60 KiB is taken.
    take(&mut heap, most - 60 * KIB, 8);
    let rest = take(&mut heap, 60 * KIB, 8);
    // SAFETY: live.
    assert_eq!(unsafe { heap.usable_size(rest) }, 60 * KIB);
}

#[test]
fn an_empty_page_is_given_up_before_a_request_is_refused() {
    let mut memory = Memory::new(SMALL);
    let mut heap: Sharded = over(&mut memory);
    let most = heap.stats().largest_free;
    let block = take(&mut heap, 16, 8);
    give(&mut heap, block);
    assert!(free_slices(&heap) < most);
    take(&mut heap, most, 8);
}

#[test]
fn several_memories_serve_and_are_given_back() {
    let (mut one, mut other) = (Memory::new(SMALL), Memory::new(LARGE));
    let start = one.start();
    let mut heap: Sharded = over(&mut one);
    let small = take(&mut heap, 100, 8);
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(other.start(), LARGE) }.unwrap();
    heap.check().unwrap();
    let large = take(&mut heap, 3 << 20, 8);
    assert_eq!(base::RemoveMemory::remove_memory(&mut heap, start), Err(base::RemoveError::InUse));
    give(&mut heap, small);
    assert_eq!(base::RemoveMemory::remove_memory(&mut heap, start).unwrap().len(), SMALL);
    heap.check().unwrap();
    take(&mut heap, 100, 8);
    give(&mut heap, large);
}

#[test]
fn realloc_stays_while_half_is_used() {
    let mut memory = Memory::new(LARGE);
    let mut heap: Sharded = over(&mut memory);
    let mut block = take(&mut heap, 90, 8);
    let mut size = 90;
    // SAFETY: the block has `size` bytes.
    unsafe { block.write_bytes(0x5a, size) };
    for (new_size, stays) in [(96, true), (48, true), (47, false), (3000, false), (1600, true)] {
        let layout = Layout::from_size_align(size, 8).unwrap();
        // SAFETY: live.
        let new = unsafe { heap.reallocate(block, layout, new_size) }.unwrap();
        heap.check().unwrap();
        assert_eq!(new == block, stays, "{size} → {new_size}");
        // SAFETY: 47 bytes were written and kept, the least of all sizes.
        let bytes = unsafe { core::slice::from_raw_parts(new.as_ptr(), 47) };
        assert!(bytes.iter().all(|byte| *byte == 0x5a));
        (block, size) = (new, new_size);
    }
}

#[test]
fn check_names_what_a_stray_write_broke() {
    let mut memory = Memory::new(SMALL);
    let mut heap: Sharded = over(&mut memory);
    let block = take(&mut heap, 64, 8);
    let next = block.as_ptr().wrapping_add(64).cast::<usize>();
    // SAFETY: the free block behind it, put back below.
    let old = unsafe { next.replace(at(block) + 8) };
    let broken = heap.check().unwrap_err();
    assert!(broken.invariant.starts_with("sharded-P2"), "{broken}");
    // SAFETY: as above.
    unsafe { next.write(old) };
    heap.check().unwrap();
    heap.used += 1;
    assert!(heap.check().unwrap_err().invariant.starts_with("sharded-P4"));
}

use super::*;
use crate::shapes::{Memory, broken_by, over};
use base::{Check, Stats};

const PAGE: usize = 4096;
const PAGES: usize = 64;

const LEN: usize = (PAGES + 1) * PAGE;

type Slabs = SizeSlabs<PAGE>;

/// 64 pages behind one with the state, so that they are one block of the buddy system.
fn memory() -> Memory {
    Memory::new(LEN, PAGES * PAGE, (PAGES - 1) * PAGE)
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

fn take(heap: &mut Slabs, size: usize) -> NonNull<u8> {
    let block = heap.allocate(layout(size, 1)).expect("there is room");
    heap.check().unwrap();
    block
}

fn give(heap: &mut Slabs, block: NonNull<u8>, size: usize) {
    // SAFETY: the tests free live blocks with their sizes.
    unsafe { heap.deallocate(block, layout(size, 1)) };
    heap.check().unwrap();
}

/// Pages that are not the buddy system's free ones.
fn pages_used(heap: &Slabs) -> usize {
    heap.pages.stats().used / PAGE
}

#[test]
fn objects_of_a_class_share_a_slab_and_leave_in_order() {
    let memory = memory();
    let mut heap: Slabs = over(&memory);
    let first = take(&mut heap, 100);
    let second = take(&mut heap, 112);
    assert_eq!(second.addr().get() - first.addr().get(), 112);
    assert_eq!(pages_used(&heap), 1);
    assert_eq!(heap.stats().used, 224);
    take(&mut heap, 113);
    assert_eq!(pages_used(&heap), 2, "another class, another slab");
    give(&mut heap, first, 100);
    assert_eq!(take(&mut heap, 97), first, "last in, first out");
    give(&mut heap, first, 97);
    give(&mut heap, second, 112);
    assert_eq!(heap.stats().used, 128);
    assert_eq!(heap.stats().peak, 352);
}

#[test]
fn a_full_slab_leaves_the_list_and_comes_back() {
    let memory = memory();
    let mut heap: Slabs = over(&memory);
    let index = Class::of(layout(512, 1)).unwrap().index();
    let blocks = [(); 7].map(|()| take(&mut heap, 512));
    assert_eq!(heap.partial[index], None, "full");
    let other = take(&mut heap, 512);
    assert_eq!(pages_used(&heap), 2);
    give(&mut heap, blocks[3], 512);
    assert_eq!(take(&mut heap, 512), blocks[3], "the slab that came back is first");
    for block in blocks {
        give(&mut heap, block, 512);
    }
    assert_eq!(pages_used(&heap), 1, "an empty slab goes back when there is another");
    give(&mut heap, other, 512);
    assert_eq!(pages_used(&heap), 1, "the only one is kept");
    heap.reclaim();
    heap.check().unwrap();
    assert_eq!(pages_used(&heap), 0);
    assert_eq!(heap.stats().largest_free, PAGES * PAGE, "joined to one block again");
}

#[test]
fn an_empty_slab_is_given_back_from_behind_one_that_came_back() {
    let memory = memory();
    let mut heap: Slabs = over(&memory);
    let full = [(); 7].map(|()| take(&mut heap, 512));
    let other = take(&mut heap, 512);
    give(&mut heap, other, 512);
    give(&mut heap, full[0], 512);
    assert_eq!(pages_used(&heap), 2, "the empty one is behind the one that was full");
    heap.reclaim();
    heap.check().unwrap();
    assert_eq!(pages_used(&heap), 1);
    assert_eq!(take(&mut heap, 512), full[0]);
}

#[test]
fn larger_blocks_are_pages() {
    let memory = memory();
    let mut heap: Slabs = over(&memory);
    let block = take(&mut heap, 2049);
    assert_eq!(block.addr().get() % PAGE, 0);
    assert_eq!(heap.stats().used, PAGE);
    let five = take(&mut heap, 4 * PAGE + 1);
    assert_eq!(pages_used(&heap), 6, "5 pages, not 8");
    give(&mut heap, block, 2049);
    give(&mut heap, five, 4 * PAGE + 1);
    assert_eq!(pages_used(&heap), 0);
    let aligned = heap.allocate(layout(1, 4 * PAGE)).unwrap();
    assert_eq!(aligned.addr().get() % (4 * PAGE), 0);
    assert_eq!(heap.stats().used, PAGE);
    // SAFETY: live.
    unsafe { heap.deallocate(aligned, layout(1, 4 * PAGE)) };
    assert_eq!(pages_used(&heap), 0);
}

#[test]
fn empty_slabs_are_given_back_before_a_request_is_refused() {
    let memory = memory();
    let mut heap: Slabs = over(&memory);
    let block = take(&mut heap, 16);
    give(&mut heap, block, 16);
    assert_eq!(pages_used(&heap), 1);
    let all = take(&mut heap, PAGES * PAGE);
    assert_eq!(heap.allocate(layout(16, 1)), None);
    assert_eq!(heap.allocate(layout(5000, 1)), None);
    assert_eq!(heap.stats().failures, 2);
    give(&mut heap, all, PAGES * PAGE);
    take(&mut heap, 16);
}

#[test]
fn realloc_stays_within_a_class_and_moves_between() {
    let memory = memory();
    let mut heap: Slabs = over(&memory);
    let mut block = take(&mut heap, 90);
    let mut size = 90;
    // SAFETY: the block has `size` bytes.
    unsafe { block.write_bytes(0x5a, size) };
    for (new_size, stays) in [(81, true), (96, true), (97, false), (3000, false), (4096, true)] {
        // SAFETY: live.
        let new = unsafe { heap.reallocate(block, layout(size, 1), new_size) }.unwrap();
        heap.check().unwrap();
        assert_eq!(new == block, stays, "{size} → {new_size}");
        // SAFETY: 81 bytes were written and kept, the least of all sizes.
        let bytes = unsafe { core::slice::from_raw_parts(new.as_ptr(), 81) };
        assert!(bytes.iter().all(|byte| *byte == 0x5a));
        (block, size) = (new, new_size);
    }
    // SAFETY: live.
    let refused = unsafe { heap.reallocate(block, layout(size, 1), 2 * PAGES * PAGE) };
    assert_eq!(refused, None);
    give(&mut heap, block, size);
    assert_eq!(heap.stats().used, 0);
}

#[test]
fn check_names_what_a_stray_write_broke() {
    let memory = memory();
    let mut heap: Slabs = over(&memory);
    let block = take(&mut heap, 64);
    let slab = block.as_ptr().map_addr(|at| at & !(PAGE - 1)).cast::<usize>();
    let broken_at = |word, value| broken_by(&heap, slab.wrapping_add(word), |_| value);
    assert_eq!(broken_at(1, slab.addr()), "size-slabs-Z1", "a link back");
    assert_eq!(broken_at(2, slab.addr() + PAGE), "size-slabs-Z2", "the chain leaves the slab");
    assert_eq!(broken_at(3, 0), "size-slabs-Z2", "a live object less");
    assert_eq!(broken_at(4, PAGE + 8), "size-slabs-Z2", "fresh beyond the end");
}

#[test]
fn the_largest_free_block_can_be_had_also_out_of_small_pages() {
    // One to three pages are less than a slab of the largest class.
    for pages in 1..4 {
        let memory = Memory::new((pages + 1) * 1024, 8192, 3 * 1024);
        let mut heap: SizeSlabs<1024> = over(&memory);
        let most = heap.stats().largest_free;
        assert!(most >= 128, "{most}");
        assert!(heap.allocate(layout(most, 1)).is_some(), "{pages} pages, {most} bytes");
    }
}

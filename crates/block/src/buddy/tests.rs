use super::Buddy;
use base::{AddMemory, BlockAllocator, Check, Stats};
use core::alloc::Layout;
use core::ptr::NonNull;

extern crate std;
use std::vec::Vec;

const WORD: usize = size_of::<usize>();

#[repr(align(4096))]
struct Memory([usize; 4096]);

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 1).unwrap()
}

fn over(memory: &mut Memory) -> Buddy {
    let mut heap = Buddy::new();
    // SAFETY: the tests keep the memory as long as the heap.
    unsafe { heap.add_memory(memory.0.as_mut_ptr().cast(), size_of::<Memory>()) }.unwrap();
    heap
}

#[test]
fn a_block_is_the_next_power_of_two_and_aligned_to_it() {
    let mut memory = Memory([0; 4096]);
    let mut heap = over(&mut memory);
    let mut used = 0;
    for size in 0..600 {
        let block = heap.allocate(layout(size)).unwrap();
        let whole = size.next_power_of_two().max(2 * WORD);
        assert_eq!(block.addr().get() % whole, 0);
        assert_eq!(heap.stats().used - used, whole, "{size}");
        // SAFETY: live.
        unsafe { heap.deallocate(block, layout(size)) };
        used = heap.stats().used;
    }
    heap.check().unwrap();
}

#[test]
fn the_state_takes_a_sixty_fourth() {
    let mut memory = Memory([0; 4096]);
    let heap = over(&mut memory);
    let lost = size_of::<Memory>() - heap.stats().total;
    assert!(lost <= 5 * WORD + size_of::<Memory>() / (8 * WORD) + 4 * WORD, "{lost}");
}

#[test]
fn every_other_unit_free_and_then_all() {
    let mut memory = Memory([0; 4096]);
    let mut heap = over(&mut memory);
    let units: Vec<NonNull<u8>> = core::iter::from_fn(|| heap.allocate(layout(1))).collect();
    assert_eq!(units.len() * 2 * WORD, heap.stats().total);
    for odd in [0, 1] {
        // SAFETY: live.
        units
            .iter()
            .skip(odd)
            .step_by(2)
            .for_each(|unit| unsafe { heap.deallocate(*unit, layout(1)) });
        heap.check().unwrap();
    }
    assert_eq!(heap.stats().used, 0);
    assert_eq!(heap.stats().largest_free, size_of::<Memory>() / 2);
}

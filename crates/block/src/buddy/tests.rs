use super::Buddy;
use base::{BlockAllocator, Check, Stats};
use core::alloc::Layout;

use crate::shapes::{Memory, over};

const WORD: usize = size_of::<usize>();
const LEN: usize = 4096 * WORD;

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 1).unwrap()
}

#[test]
fn a_block_is_the_next_power_of_two_and_aligned_to_it() {
    let mut memory = Memory::new(LEN);
    let mut heap: Buddy = over(&mut memory);
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
    let mut memory = Memory::new(LEN);
    let heap: Buddy = over(&mut memory);
    let lost = LEN - heap.stats().total;
    assert!(lost <= 5 * WORD + LEN / (8 * WORD) + 4 * WORD, "{lost}");
}

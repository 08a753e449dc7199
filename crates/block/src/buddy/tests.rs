use super::Buddy;
use base::{AddMemory, BlockAllocator, Check, Stats};
use core::alloc::Layout;

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

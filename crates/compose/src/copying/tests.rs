use super::*;
use crate::peek::byte;
use base::AddMemory;
use block::fit::FirstFit;

extern crate std;
use std::vec;

#[test]
fn a_block_that_is_resized_moves() {
    let mut memory = vec![0u8; 4096];
    let mut copying = Copying::new(FirstFit::new());
    // SAFETY: the memory outlives the allocator.
    unsafe { copying.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
    let layout = Layout::from_size_align(100, 16).unwrap();
    let block = copying.allocate(layout).unwrap();
    // SAFETY: ours.
    unsafe { block.write_bytes(3, 100) };
    // SAFETY: live, of this layout.
    let moved = unsafe { copying.reallocate(block, layout, 50) }.unwrap();
    assert_ne!(moved, block, "the inner allocator would shrink it where it is");
    assert_eq!(byte(moved, 49), 3);
}

use super::*;
use crate::toy::{Toy, byte};
use base::AddMemory;

extern crate std;
use std::vec;

#[test]
fn a_block_that_is_resized_moves() {
    let mut memory = vec![0u8; 4096];
    let mut copying = Copying::new(Toy::new());
    // SAFETY: the memory outlives the allocator.
    unsafe { copying.add_memory(memory.as_mut_ptr(), memory.len()) }.unwrap();
    let layout = Layout::from_size_align(100, 16).unwrap();
    let block = copying.allocate(layout).unwrap();
    // SAFETY: ours.
    unsafe { block.write_bytes(3, 100) };
    // SAFETY: live, of this layout.
    let moved = unsafe { copying.reallocate(block, layout, 50) }.unwrap();
    assert_ne!(moved, block);
    assert_eq!(byte(moved, 49), 3);
    assert!(!copying.inner().resized, "the inner allocator's own way is not used");
}

//! Worst fit: the largest hole, so that what remains of it is still useful.
//!
//! `cargo run -p heapwright-block --example worst_fit`

mod common;

use base::{AddMemory, BlockAllocator};
use core::alloc::Layout;
use heapwright_block::fit::WorstFit;

fn main() {
    let mut memory = vec![0u64; 64];
    let mut heap = WorstFit::new();
    // SAFETY: the vector is not touched until the heap is done with it.
    unsafe { heap.add_memory(memory.as_mut_ptr().cast(), 64 * 8) }.expect("512 bytes are enough");

    let sizes = [100, 20, 60, 20, 40, 20].map(|size| Layout::from_size_align(size, 8).unwrap());
    let blocks = sizes.map(|layout| heap.allocate(layout).expect("there is room"));
    common::show("six blocks", &heap);
    // SAFETY: live, of this layout.
    [0, 2, 4].into_iter().for_each(|at| unsafe { heap.deallocate(blocks[at], sizes[at]) });
    common::show("every other one freed", &heap);

    let forty = Layout::from_size_align(40, 8).unwrap();
    heap.allocate(forty).expect("there is room");
    common::show("40 bytes: from the largest hole, the rest of the memory", &heap);
    let hundred = Layout::from_size_align(100, 8).unwrap();
    heap.allocate(hundred).expect("there is room");
    common::show("100 bytes: from what is the largest now", &heap);
}

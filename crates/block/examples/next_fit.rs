//! Next fit: the search goes on where the last one ended, so it wanders through the memory.
//!
//! `cargo run -p heapwright-block --example next_fit`

mod common;

use base::{AddMemory, BlockAllocator};
use core::alloc::Layout;
use heapwright_block::fit::NextFit;

fn main() {
    let mut memory = vec![0u64; 64];
    let mut heap = NextFit::new();
    // SAFETY: the vector is not touched until the heap is done with it.
    unsafe { heap.add_memory(memory.as_mut_ptr().cast(), 64 * 8) }.expect("512 bytes are enough");

    let sizes = [100, 20, 60, 20, 40, 20].map(|size| Layout::from_size_align(size, 8).unwrap());
    let blocks = sizes.map(|layout| heap.allocate(layout).expect("there is room"));
    common::show("six blocks", &heap);
    // SAFETY: live, of this layout.
    [0, 2, 4].into_iter().for_each(|at| unsafe { heap.deallocate(blocks[at], sizes[at]) });
    common::show("every other one freed", &heap);

    let eight = Layout::from_size_align(8, 8).unwrap();
    heap.allocate(eight).expect("there is room");
    common::show("8 bytes: behind the last block", &heap);
    let much = Layout::from_size_align(90, 8).unwrap();
    heap.allocate(much).expect("there is room");
    common::show("90 bytes: not behind it, so round to the beginning", &heap);
    heap.allocate(eight).expect("there is room");
    common::show("8 bytes: from there on", &heap);
}

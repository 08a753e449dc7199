//! First fit: the lowest hole that is large enough, so the high end of the memory stays whole.
//!
//! `cargo run -p heapwright-block --example first_fit`

mod common;

use base::{AddMemory, BlockAllocator};
use core::alloc::Layout;
use heapwright_block::fit::FirstFit;

fn main() {
    let mut memory = vec![0u64; 64];
    let mut heap = FirstFit::new();
    // SAFETY: the vector is not touched until the heap is done with it.
    unsafe { heap.add_memory(memory.as_mut_ptr().cast(), 64 * 8) }.expect("512 bytes are enough");
    common::show("one hole", &heap);

    let sixty = Layout::from_size_align(60, 8).expect("a valid layout");
    let blocks = [(); 5].map(|()| heap.allocate(sixty).expect("there is room"));
    common::show("five blocks of 60 bytes", &heap);
    // SAFETY: live, of this layout.
    [0, 2, 3].into_iter().for_each(|at| unsafe { heap.deallocate(blocks[at], sixty) });
    common::show("the first, third and fourth freed: two holes and the rest", &heap);

    let ten = Layout::from_size_align(10, 2).expect("a valid layout");
    heap.allocate(ten).expect("there is room");
    common::show("10 bytes: from the first hole, though all fit", &heap);
}

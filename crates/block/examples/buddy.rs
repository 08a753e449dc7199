//! Buddy: powers of two, split in halves and joined again.
//!
//! `cargo run -p heapwright-block --example buddy`

mod common;

use base::{AddMemory, BlockAllocator};
use core::alloc::Layout;
use heapwright_block::buddy::Buddy;

fn main() {
    let mut memory = vec![0u64; 128];
    let mut heap = Buddy::new();
    // SAFETY: the vector is not touched until the heap is done with it.
    unsafe { heap.add_memory(memory.as_mut_ptr().cast(), 128 * 8) }.expect("1 KiB is enough");
    common::show("as the addresses allow", &heap);

    let forty = Layout::from_size_align(40, 8).unwrap();
    let blocks = [(); 3].map(|()| heap.allocate(forty).expect("there is room"));
    common::show("three times 40 bytes, which are 64", &heap);
    for block in blocks {
        // SAFETY: live, of this layout.
        unsafe { heap.deallocate(block, forty) };
        common::show("one given back", &heap);
    }
}

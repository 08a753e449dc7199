//! TLSF: constant time, one word a block; aligned, resized, walked and checked.
//!
//! `cargo run -p heapwright-block --example tlsf`

mod common;

use base::{AddMemory, BlockAllocator, Check};
use core::alloc::Layout;
use heapwright_block::tlsf::SmallTlsf;

fn main() {
    let mut memory = vec![0u64; 512];
    // In a kernel: `static HEAP: … = SmallTlsf::new()`, with a lock of compose around it.
    let mut heap: SmallTlsf = SmallTlsf::new();
    // SAFETY: the vector is not touched until the heap is done with it.
    unsafe { heap.add_memory(memory.as_mut_ptr().cast(), 512 * 8) }.expect("4 KiB are enough");

    let small = Layout::new::<[u8; 8]>();
    let large = Layout::from_size_align(1000, 256).unwrap();
    let a = heap.allocate(small).expect("there is room");
    let b = heap.allocate(large).expect("there is room");
    common::show("8 bytes, and 1,000 aligned to 256", &heap);

    // SAFETY: live, of this layout.
    let b = unsafe { heap.reallocate(b, large, 2000) }.expect("there is room behind it");
    common::show("the second grown to 2,000, where it is", &heap);

    // SAFETY: live, of this layout.
    unsafe { heap.deallocate(a, small) };
    let large = Layout::from_size_align(2000, 256).unwrap();
    // SAFETY: as above.
    unsafe { heap.deallocate(b, large) };
    common::show("both freed: one block again", &heap);
    heap.check().expect("every invariant holds");
}

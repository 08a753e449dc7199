//! The slab allocator of small kernels: objects of a class side by side, larger blocks as pages.
//!
//! `cargo run -p heapwright-kernel-allocators --example size_slabs`
#![expect(clippy::disallowed_macros, reason = "an example: the heap shown is not the program's")]

use base::{AddMemory, BlockAllocator, Stats};
use core::alloc::Layout;
use heapwright_kernel_allocators::size_slabs::SizeSlabs;

const PAGE: usize = 4096;

fn show(title: &str, heap: &SizeSlabs<PAGE>) {
    let stats = heap.stats();
    println!(
        "{title:45} used {:6}, peak {:6}, of {}, pages in a row {}",
        stats.used,
        stats.peak,
        stats.total,
        stats.largest_free / PAGE
    );
}

fn main() {
    let mut memory = vec![0u8; 66 * PAGE];
    let mut heap = SizeSlabs::<PAGE>::new();
    // SAFETY: the vector is not touched until the heap is done with it.
    unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }.expect("66 pages are enough");
    show("as added", &heap);

    let small = Layout::from_size_align(100, 8).expect("a valid layout");
    let blocks: Vec<_> = (0..50).map(|_| heap.allocate(small).expect("there is room")).collect();
    let apart = blocks[1].addr().get() - blocks[0].addr().get();
    println!("two blocks of 100 bytes lie {apart} bytes apart");
    show("50 blocks of 100 bytes: two slabs", &heap);

    let large = Layout::from_size_align(3 * PAGE, PAGE).expect("a valid layout");
    let pages = heap.allocate(large).expect("there is room");
    show("3 pages", &heap);
    // SAFETY: live, of this layout.
    unsafe { heap.deallocate(pages, large) };
    // SAFETY: live, of this layout.
    blocks.into_iter().for_each(|block| unsafe { heap.deallocate(block, small) });
    show("all given back; one slab is kept", &heap);
    heap.reclaim();
    show("and that one too", &heap);
}

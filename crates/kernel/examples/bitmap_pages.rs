//! Pages by a bitmap: the lowest run that fits, certain pages, and parts of a run given back.
//!
//! `cargo run -p heapwright-kernel-allocators --example bitmap_pages`

mod common;

use base::{AddMemory, AllocatePagesAt, PageAllocator};
use common::show;
use heapwright_kernel_allocators::bitmap::BitmapPages;

const PAGE: usize = 4096;

fn main() {
    let mut memory = vec![0u8; 34 * PAGE];
    let mut pages = BitmapPages::<PAGE>::new();
    // SAFETY: the vector is not touched until the allocator is done with it.
    unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.expect("34 pages are enough");
    show("as added", PAGE, &pages);
    let ten = pages.allocate_pages(10, PAGE).expect("there is room");
    show("10 pages", PAGE, &pages);
    let there = ten.as_ptr().wrapping_add(20 * PAGE);
    assert!(pages.allocate_pages_at(there, 2));
    show("2 pages at a chosen address", PAGE, &pages);
    assert!(!pages.allocate_pages_at(there, 1), "they are in use");
    // SAFETY: within the ten.
    let fourth = unsafe { ten.byte_add(3 * PAGE) };
    // SAFETY: 4 live pages.
    unsafe { pages.deallocate_pages(fourth, 4) };
    show("4 of the 10 given back", PAGE, &pages);
    pages.allocate_pages(5, PAGE).expect("there is room");
    show("5 pages do not fit there", PAGE, &pages);
}

//! Pages from the buddy system: runs of any length, joined again when they are given back.
//!
//! `cargo run -p heapwright-kernel-allocators --example buddy_pages`

mod common;

use base::{AddMemory, PageAllocator};
use common::show;
use heapwright_kernel_allocators::buddy::BuddyPages;

const PAGE: usize = 4096;

fn main() {
    // One page goes to the state: two bits for each page.
    let mut memory = vec![0u8; 33 * PAGE];
    let mut pages = BuddyPages::<PAGE>::new();
    // SAFETY: the vector is not touched until the allocator is done with it.
    unsafe { pages.add_memory(memory.as_mut_ptr(), memory.len()) }.expect("33 pages are enough");
    show("as added", PAGE, &pages);
    let three = pages.allocate_pages(3, PAGE).expect("there is room");
    show("3 pages, cut out of 4", PAGE, &pages);
    let four = pages.allocate_pages(4, 4 * PAGE).expect("there is room");
    show("4 pages at a multiple of 16 KiB", PAGE, &pages);
    // SAFETY: live, 3 pages.
    unsafe { pages.deallocate_pages(three, 3) };
    show("the 3 given back", PAGE, &pages);
    // SAFETY: live, 4 pages.
    unsafe { pages.deallocate_pages(four, 4) };
    show("the 4 given back: all halves joined", PAGE, &pages);
}

//! What a small kernel has: pages by buddy and by bitmap, slabs over a buddy:
//! `cargo run --example pages_and_slabs`.
#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that prints")]

use core::alloc::Layout;
use heapwright::block::{AddMemory, BlockAllocator, Stats, size_slabs::SizeSlabs};
use heapwright::pages::{AllocatePagesAt, PageAllocator, bitmap::BitmapPages, buddy::BuddyPages};

const PAGE: usize = 4096;

fn main() {
    let mut memory = vec![0u8; 1 << 20];
    let (start, len) = (memory.as_mut_ptr(), memory.len());

    let mut buddy = BuddyPages::<PAGE>::new();
    // SAFETY: the memory outlives each allocator, and they have it one after the other.
    unsafe { buddy.add_memory(start, len) }.expect("a megabyte is enough");
    let run = buddy.allocate_pages(5, 4 * PAGE).expect("there is room");
    println!("buddy: five pages at {run:p}, {} bytes in use", buddy.stats().used);
    // SAFETY: live, allocated together.
    unsafe { buddy.deallocate_pages(run, 5) };

    let mut bitmap = BitmapPages::<PAGE>::new();
    // SAFETY: as above.
    unsafe { bitmap.add_memory(start, len) }.expect("a megabyte is enough");
    let page = bitmap.allocate_pages(1, PAGE).expect("there is room").as_ptr();
    assert!(!bitmap.allocate_pages_at(page, 1), "it is taken");
    assert!(bitmap.allocate_pages_at(page.wrapping_add(PAGE), 2), "its neighbours are not");
    println!("bitmap: a page of one's choice at {:p}", page.wrapping_add(PAGE));

    let mut slabs: SizeSlabs = SizeSlabs::new();
    // SAFETY: as above.
    unsafe { slabs.add_memory(start, len) }.expect("a megabyte is enough");
    let layout = Layout::new::<[u64; 12]>();
    let objects: Vec<_> = (0..100).filter_map(|_| slabs.allocate(layout)).collect();
    println!("slabs: {} objects of 96 bytes, {} bytes in use", objects.len(), slabs.stats().used);
}

//! The four fits on the same requests: `cargo run --example fits`.
//!
//! Prints each heap's shape, `#` for 32 bytes in use and `.` for 32 that are free, and how large the
//! largest hole is.
#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that prints")]

use core::alloc::Layout;
use core::ops::ControlFlow;
use heapwright::block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use heapwright::block::{AddMemory, BlockAllocator, Stats, Walk};

fn main() {
    show("first fit", FirstFit::new());
    show("next fit", NextFit::new());
    show("best fit", BestFit::new());
    show("worst fit", WorstFit::new());
}

fn show<A: BlockAllocator + AddMemory + Stats + Walk>(name: &str, mut heap: A) {
    let mut memory = vec![0u8; 2048];
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }.expect("2 KiB are enough");
    let mut live = Vec::new();
    // Holes of several sizes, then requests that fit some of them.
    for size in [100, 40, 300, 40, 60, 40, 200, 40, 500, 40] {
        let layout = Layout::from_size_align(size, 8).expect("a size and a power of two");
        live.push((heap.allocate(layout).expect("there is room"), layout));
    }
    for index in [8, 6, 4, 2, 0] {
        let (block, layout) = live.remove(index);
        // SAFETY: live, of this layout.
        unsafe { heap.deallocate(block, layout) };
    }
    for size in [50, 90, 180] {
        let layout = Layout::from_size_align(size, 8).expect("a size and a power of two");
        live.push((heap.allocate(layout).expect("there is room"), layout));
    }
    let mut shape = String::new();
    heap.walk(&mut |piece| {
        let mark = if piece.used { "#" } else { "." };
        shape += &mark.repeat(piece.len.div_ceil(32));
        ControlFlow::Continue(())
    });
    println!("{name:10} {shape}  largest hole {}", heap.stats().largest_free);
    assert!(shape.contains('#') && shape.contains('.'));
}

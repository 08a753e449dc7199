//! The arena: TLSF whose memory grows when it is full, and goes back when it is not.
//!
//! `cargo run -p heapwright-block --example arena`

mod common;

use base::BlockAllocator;
use core::alloc::Layout;
use heapwright_block::tlsf::{Arena, Tail, Tlsf};

/// The rest of a board's memory, of which as much is ours as we asked for.
struct Ram(Vec<u64>);

// SAFETY: the vector is never resized, and all of it is ours.
unsafe impl Tail for Ram {
    fn base(&self) -> *mut u8 {
        self.0.as_ptr().cast_mut().cast()
    }
    fn step(&self) -> usize {
        4096
    }
    fn resize(&mut self, len: usize) -> bool {
        len <= self.0.len() * 8
    }
}

fn main() {
    let mut arena: Arena<Tlsf, Ram> = Arena::new(Tlsf::new(), Ram(vec![0; 32 << 10]));
    let layout = Layout::from_size_align(100_000, 8).unwrap();
    let block = arena.allocate(layout).expect("there is room");
    common::show("100,000 bytes: the arena has grown", &arena);
    // SAFETY: live, of this layout.
    unsafe { arena.deallocate(block, layout) };
    common::show("freed: all but two pages went back", &arena);
}

//! A heap that cannot run out: `cargo run --example cannot_run_out`.
//!
//! Half-fit with as much memory as `required_heap` proves to be enough for a program that never has
//! more than `MAX_LIVE` bytes in use, in requests of certain sizes: whatever their order, none fails.
#![expect(clippy::disallowed_macros, reason = "here the allocator serves a program that prints")]

use core::alloc::Layout;
use heapwright::block::tlsf::{Bound, HalfFit, required_heap};
use heapwright::block::{AddMemory, BlockAllocator, Stats};

const MAX_LIVE: usize = 16 << 10;
const MAX_REQUEST: usize = 512;
const MIN_REQUEST: usize = 16;
const HEAP: usize = required_heap(Bound::HalfFit, MAX_LIVE, MAX_REQUEST, MIN_REQUEST);

fn main() {
    let mut memory = vec![0u8; HEAP];
    let mut heap: HalfFit = HalfFit::new();
    // SAFETY: the memory outlives the heap.
    unsafe { heap.add_memory(memory.as_mut_ptr(), memory.len()) }.expect("as large as it needs");
    let mut live: Vec<(core::ptr::NonNull<u8>, Layout)> = Vec::new();
    let mut bytes = 0;
    let mut random = 1u32;
    for _ in 0..200_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let size = MIN_REQUEST + random as usize / 7 % (MAX_REQUEST - MIN_REQUEST + 1);
        while bytes + size > MAX_LIVE {
            let (block, layout) = live.swap_remove(random as usize % live.len());
            // SAFETY: live, of this layout.
            unsafe { heap.deallocate(block, layout) };
            bytes -= layout.size();
        }
        let layout = Layout::from_size_align(size, 8).expect("a size and a power of two");
        live.push((heap.allocate(layout).expect("proved to be enough"), layout));
        bytes += size;
    }
    let stats = heap.stats();
    println!(
        "{HEAP} bytes are enough for {MAX_LIVE} live ones; {} were in use at most",
        stats.peak
    );
    assert_eq!(stats.failures, 0);
}

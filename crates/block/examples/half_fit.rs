//! Half-fit: powers of two, and a bound on the memory that is ever needed.
//!
//! `cargo run -p heapwright-block --example half_fit`

mod common;

use base::AddMemory;
use heapwright_block::tlsf::{Bound, HalfFit, required_heap};

/// Never more than 2,000 bytes live, in requests of 24 to 200: this is surely enough.
const ENOUGH: usize = required_heap(Bound::HalfFit, 2000, 200, 24);

fn main() {
    let mut memory = vec![0u64; ENOUGH / 8];
    let mut heap: HalfFit = HalfFit::new();
    // SAFETY: the vector is not touched until the heap is done with it.
    unsafe { heap.add_memory(memory.as_mut_ptr().cast(), ENOUGH / 8 * 8) }.expect("it is enough");
    common::show("empty", &heap);
    for size in [24, 56, 57, 200] {
        heap.allocate_bytes(size).expect("it is within the bound");
    }
    common::show("24, 56, 57 and 200 bytes, with a header each", &heap);
}

//! A kernel that counts, exactly, the instructions of every allocator's malloc and free, and prints one line for each
//! allocator and situation:
//!
//! ```text
//! count <allocator> <situation> <malloc or free> <min> <mean> <max> <calls>
//! fill <allocator> <sizes> <part of the pool that became payload, in 1/1000>
//! ```
//!
//! What is called are C functions `wcet_ALLOCATOR_malloc(heap, size)` and `wcet_ALLOCATOR_free(heap, block, size)`
//! ([`subjects`]); their symbols stay in the kernel, so that the longest path can be searched in the same code. A
//! count begins with the function's first instruction and ends with its return.
#![no_std]
#![no_main]

mod exhaustive;
mod fill;
mod heap;
mod live;
mod random;
mod situations;
mod subjects;
mod tally;

use heap::Heap;
use machine::say;
use subjects::{OURS, PEERS};

machine::kernel!(main);

const POOL: usize = 1 << 20;

fn main() -> u8 {
    if !machine::counts_exactly() {
        say!("fail: a function of one instruction does not count as one; QEMU needs -icount");
        return 1;
    }
    let memory = machine::memory();
    if memory.len() < POOL {
        say!("fail: the machine has less than {POOL} bytes of memory");
        return 1;
    }
    for subject in OURS.iter().chain(PEERS) {
        let mut heap = Heap::new(subject, memory);
        if !heap.restart(POOL) {
            say!("fail: {} does not take a pool of {POOL} bytes", subject.name);
            return 1;
        }
        situations::run(&mut heap);
        random::run(&mut heap);
        fill::run(&mut heap);
        exhaustive::run(&mut heap);
        for (what, broken) in [("refused", heap.refused), ("overlapped", heap.overlapped)] {
            if broken != 0 {
                say!("fail: {} {what} {broken} times where it should not", subject.name);
                return 1;
            }
        }
    }
    say!("counted {} allocators", OURS.len() + PEERS.len());
    0
}

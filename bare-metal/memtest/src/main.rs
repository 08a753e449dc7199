//! A kernel that tries every allocator, one after another, as the whole machine's malloc: Rust's own collections run
//! on it. It prints a line for each allocator and test, and ends with status 0 when all passed:
//!
//! ```text
//! tlsf basic ok 17046512 instructions
//! ```
//!
//! The tests are those of [`bodies`] and one that takes all memory there is ([`exhaustion`]).
#![no_std]
#![no_main]

extern crate alloc;

mod exhaustion;
mod switch;
mod trial;

use block::buddy::Buddy;
use block::fit::{BestFit, FirstFit, NextFit, WorstFit};
use block::tlsf::{GRAIN, HalfFit, Tlsf};
use kernel::size_slabs::SizeSlabs;
use machine::say;
use trial::trial;

machine::kernel!(main);

/// Bitmap words for the largest machine here, of 128 MiB: a word is eight doublings on 64 bit and four on 32 bit.
const WORDS: usize = if cfg!(target_pointer_width = "64") { 4 } else { 6 };

fn main() -> u8 {
    let memory = machine::memory();
    say!("{} MiB of memory", memory.len() >> 20);
    let failed = trial("tlsf", memory, Tlsf::<WORDS>::new)
        + trial("half-fit", memory, HalfFit::<GRAIN>::new)
        + trial("first-fit", memory, FirstFit::new)
        + trial("next-fit", memory, NextFit::new)
        + trial("best-fit", memory, BestFit::new)
        + trial("worst-fit", memory, WorstFit::new)
        + trial("buddy", memory, Buddy::new)
        + trial("size-slabs", memory, SizeSlabs::<4096>::new);
    say!("{failed} failed");
    u8::from(failed != 0)
}

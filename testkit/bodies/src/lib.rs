//! The test bodies that the component OS's allocators are compared by, written anew: five of the seven, those that need no
//! threads.
//!
//! | body | what it does | through |
//! |---|---|---|
//! | `basic` | long vectors, vectors of vectors, a map | Rust's collections |
//! | `align` | sizes 2^0 to 2^16 at alignments 1 to 128 | [`Memory`] |
//! | `mi` | each function of an allocator, then 2 MiB a thousand times | [`Memory`] |
//! | `malloc_large` | ten blocks of 2 to 5 MiB, one replaced at a time | [`Memory`] |
//! | `glibc_bench` | 16, 32, 64 bytes; 25 to 1,600 live; first or last in, first out | [`Memory`] |
//!
//! In a kernel memory is Rust's global allocator ([`Global`]); the test kit tries C's functions with them. Every block is
//! filled, and read again before it is freed.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]
#![no_std]

extern crate alloc;

mod align;
mod basic;
mod block;
mod glibc_bench;
mod malloc_large;
mod memory;
mod mi;
mod numbers;
mod scale;

pub use block::Block;
pub use memory::{Global, Memory};
pub use scale::{FULL, Scale};

pub type Outcome = Result<(), &'static str>;

pub type Run = fn(&dyn Memory, Scale) -> Outcome;

pub const BODIES: [(&str, Run); 5] = [
    ("basic", basic::run),
    ("align", align::run),
    ("mi", mi::run),
    ("glibc_bench", glibc_bench::run),
    ("malloc_large", malloc_large::run),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_allocator_passes_all() {
        for (name, run) in BODIES {
            assert_eq!(run(&Global, Scale::part(200)), Ok(()), "{name}");
        }
    }
}

//! The tests. All memory comes from the global allocator; every block is filled, and read again before it is freed.

mod align;
mod basic;
mod block;
mod exhaustion;
mod glibc;
mod large;
mod mi;

use crate::scale::Scale;
use block::Block;

/// A test: how it went.
pub(crate) type Body = fn(Scale) -> Result<(), &'static str>;

/// The tests' names and bodies.
pub(crate) const BODIES: &[(&str, Body)] = &[
    ("basic", basic::run),
    ("align", align::run),
    ("mi", mi::run),
    ("malloc_large", large::run),
    ("glibc_bench", glibc::run),
    ("exhaustion", exhaustion::run),
];

/// The size of the largest block that can be had, which is freed again.
pub(crate) fn largest() -> usize {
    let (mut fits, mut too_large) = (0, isize::MAX as usize / 2);
    while too_large - fits > 1 {
        let size = fits + (too_large - fits) / 2;
        match Block::new(size, 1) {
            Some(block) => {
                fits = size;
                block.forget();
            }
            None => too_large = size,
        }
    }
    fits
}

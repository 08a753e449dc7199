//! The process's malloc for Rust programs.
use base::{Broken, Check};
use malloc::HEAP;

mod at_exit;
mod global;
mod heap;

pub use global::Heapwright;
pub use heap::Heap;
pub use malloc::heapwright::Stats;

/// Figures of the process's heap. Walks all slabs; exact while no other thread allocates.
#[must_use]
pub fn stats() -> Stats {
    HEAP.stats()
}

/// Gives free memory back to the system now; returns the bytes given back. O(size of the heap).
pub fn purge() -> usize {
    HEAP.purge()
}

/// Walks every structure. O(size of the heap), takes its locks.
/// Errors: the first broken invariant, by number and words.
pub fn check() -> Result<(), Broken> {
    HEAP.check()
}

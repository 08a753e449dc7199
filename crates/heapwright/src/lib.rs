//! heapwright: a malloc that is fast, stays small, and gives memory back.
//!
//! ```
//! #[global_allocator]
//! static A: heapwright::Heapwright = heapwright::Heapwright;
//!
//! # fn main() {
//! let words: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
//! assert_eq!(words.len(), 1000);
//! assert!(heapwright::stats().live_bytes > 0);
//! # }
//! ```
//!
//! ```text
//! base   source   page   object   thread   malloc ─► ► heapwright   abi   tools
//! ```
//!
//! - [`Heapwright`]: the global allocator, and with the feature `allocator-api2` (on by
//!   default) an `allocator_api2::alloc::Allocator`. Freeing needs no look-up: Rust knows sizes.
//! - [`Heap`]: a heap of its own whose blocks can all be freed at once.
//! - [`stats`], [`purge`], [`check`]: what the allocator knows of itself, and memory back now.
//!
//! The variable `HEAPWRIGHT` is read as by the drop-in library (docs/tuning.md). Linux on
//! x86-64 and aarch64. `no_std`.
#![no_std]

mod global;
mod heap;

pub use global::Heapwright;
pub use heap::Heap;
pub use malloc::heapwright::Stats;

use base::{Broken, Check};
use malloc::HEAP;

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
///
/// # Errors
///
/// The first broken invariant, by number and words.
pub fn check() -> Result<(), Broken> {
    HEAP.check()
}

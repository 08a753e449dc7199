//! heapwright: a malloc that is fast, stays small, and gives memory back; and the allocators that
//! kernels and firmware take.
//!
#![cfg_attr(feature = "flagship", doc = "```")]
#![cfg_attr(not(feature = "flagship"), doc = "```ignore")]
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
//! base   policy   source   page, kernel   block, object   thread   compose   malloc ─► ► heapwright   abi   tools
//! ```
//!
//! With the feature `flagship` (on by default; Linux on x86-64 and aarch64), the process's malloc:
//!
//! - `Heapwright`: the global allocator, and with the feature `allocator-api2` (on by default) an
//!   `allocator_api2::alloc::Allocator`. Freeing needs no look-up: Rust knows sizes.
//! - `Heap`: a heap of its own whose blocks can all be freed at once.
//! - `stats`, `purge`, `check`: what the allocator knows of itself, and memory back now.
//! - `Profiled` and `profile`, with the feature `profile` (Linux on x86-64): where the program's memory comes from, as a file that
//!   `heapwright export` reads.
//! - the variable `HEAPWRIGHT` is read as by the drop-in library (docs/tuning.md).
//!
//! For any machine, 32 or 64 bit, with or without atomics, with `default-features = false`:
//!
//! - [`block`]: TLSF and half-fit, the fits, buddy, slabs: one owner, memory that is given.
//! - [`pages`]: whole pages, by buddy or bitmap.
//! - [`compose`]: locks, static pools, growth; `GlobalAlloc`.
//! - [`DefaultBlock`]: the one that the feature `alloc-NAME` chooses.
//!
//! The folder `examples` has a program for each: a pool in a `static` as the global allocator, the
//! fits side by side, half-fit with its bound, pages and slabs, a malloc composed.
//!
//! `no_std`.
#![no_std]

pub mod block;
#[cfg(feature = "flagship")]
mod flagship;

pub use block::DefaultBlock;
pub use compose;
#[cfg(feature = "flagship")]
pub use flagship::{Heap, Heapwright, Stats, check, purge, stats};
#[cfg(feature = "profile")]
pub use recorder::{Profiled, profile};
pub use source;

/// The project's own lock, where there are 64-bit atomics.
#[cfg(target_has_atomic = "64")]
pub mod sync {
    pub use base::lock::{Lock, Park};
}

/// Whole pages, with one owner.
pub mod pages {
    pub use base::{AllocatePagesAt, PageAllocator};
    pub use kernel::{bitmap, buddy};
}

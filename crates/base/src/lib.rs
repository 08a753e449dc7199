//! Words every layer uses: bits, layout, synchronisation and the traits.
//!
//! ```text
//! ► base   source   page   object   thread   malloc   heapwright   abi   tools
//! ```
//!
//! Depends on nothing. `no_std`, never allocates.
#![no_std]

pub mod bits;
pub mod check;
pub mod lock;
pub mod malloc;
pub mod sync;

pub use check::{Broken, Check};
pub use malloc::Malloc;

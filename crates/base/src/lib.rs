//! Words every layer uses: bits, layout, synchronisation and the traits.
//!
//! ```text
//! ► base   policy   source   page, kernel   block, object   thread   compose   malloc   heapwright   abi   tools
//! ```
//!
//! Depends on nothing. `no_std`, never allocates. The traits, bits and checks are for every
//! target, the smallest included; locks and atomics need a machine with 64-bit atomics.
#![cfg_attr(not(test), no_std)]

pub mod ability;
pub mod bits;
pub mod block;
pub mod check;
#[cfg(target_has_atomic = "64")]
pub mod guarded;
pub mod handles;
pub mod live;
#[cfg(target_has_atomic = "64")]
pub mod lock;
pub mod malloc;
pub mod pages;
pub mod prefetch;
#[cfg(target_has_atomic = "64")]
pub mod sync;

pub use ability::{
    AddError, AddMemory, BlockStats, Free, Owns, Piece, RemoveError, RemoveMemory, Reset,
    ResizeInPlace, Stats, UsableSize, Walk,
};
pub use block::{BlockAllocator, moved};
pub use check::{Broken, Check};
pub use handles::{Compact, HandleAllocator, HandleError, HandleUsage, Map, Pin};
pub use malloc::Malloc;
pub use pages::{AllocatePagesAt, PageAllocator};

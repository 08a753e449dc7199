#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(feature = "allocator_api", feature(allocator_api))]

#[cfg(any(feature = "tlsf", feature = "slab", feature = "buddy"))]
mod bytes;
mod error;
mod traits;

#[cfg(feature = "bitmap")]
mod bitmap;
#[cfg(feature = "allocator_api")]
mod rc;

#[cfg(feature = "bitmap")]
pub use bitmap::BitmapPageAllocator;
#[cfg(feature = "buddy")]
pub use bytes::BuddyByteAllocator;
pub use error::{AllocError, AllocResult};
#[cfg(feature = "allocator_api")]
pub use rc::AllocatorRc;
#[cfg(feature = "slab")]
pub use bytes::SlabByteAllocator;
#[cfg(feature = "tlsf")]
pub use bytes::TlsfByteAllocator;
pub use traits::{BaseAllocator, ByteAllocator, IdAllocator, PageAllocator};

#[cfg(test)]
extern crate std;

#[cfg(test)]
mod tests;

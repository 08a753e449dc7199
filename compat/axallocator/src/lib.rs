#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(feature = "allocator_api", feature(allocator_api))]

#[cfg(any(feature = "tlsf", feature = "slab", feature = "buddy"))]
#[macro_use]
mod bytes;
mod error;
mod traits;

#[cfg(feature = "bitmap")]
mod bitmap;
#[cfg(feature = "other")]
mod other;
#[cfg(feature = "allocator_api")]
mod rc;

#[cfg(feature = "bitmap")]
pub use bitmap::BitmapPageAllocator;
#[cfg(feature = "buddy")]
pub use bytes::BuddyByteAllocator;
#[cfg(feature = "slab")]
pub use bytes::SlabByteAllocator;
#[cfg(all(feature = "tlsf", not(feature = "other")))]
pub use bytes::TlsfByteAllocator;
pub use error::{AllocError, AllocResult};
#[cfg(feature = "other")]
pub use other::TlsfByteAllocator;
#[cfg(feature = "allocator_api")]
pub use rc::AllocatorRc;
pub use traits::{BaseAllocator, ByteAllocator, IdAllocator, PageAllocator};

#[cfg(test)]
extern crate std;

#[cfg(test)]
mod tests;

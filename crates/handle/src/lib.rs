//! Objects behind handles: they lie where they pack best, and some of them move.
//!
//! ```text
//! base   policy   source   page, kernel ─► block, object, ► handle   thread   malloc   heapwright   abi   tools
//!
//! zsmalloc   chains of 1 to 16 pages cut into objects of one class; can be compacted
//! xvmalloc   best fit within a page, 4 bytes in front of an object; cannot
//! zbud       at most two objects in a page
//!
//! store      pages by number, compressed, in any of them
//! ```
//!
//! All take pages from a [`PageAllocator`](base::PageAllocator), keep their tables in such pages too, and are a
//! [`HandleAllocator`](base::HandleAllocator). They are what compressed memory is kept in: objects of any size to a
//! page, far fewer accesses than objects, and memory that counts. `no_std`, never allocates elsewhere.
#![cfg_attr(not(test), no_std)]

mod frames;
mod pins;
mod placed;
pub mod store;
mod table;
pub mod xvmalloc;
pub mod zbud;
pub mod zsmalloc;

pub use self::{store::CompressedStore, xvmalloc::XvMalloc, zbud::Zbud, zsmalloc::ZsMalloc};

/// Bytes of a page, whatever the machine's is: all that is said of these allocators is said of this one.
pub const PAGE: usize = 4096;

#[cfg(test)]
mod shapes;

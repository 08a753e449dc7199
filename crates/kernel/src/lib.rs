//! The kernel's allocators: pages, caches of objects, kmalloc, vmalloc. The malloc uses none of them.
//!
//! ```text
//! base   source ─► ► kernel   block   handle   compose   heapwright   abi   tools
//!
//! objects   kmem_cache   kmalloc       size_slabs
//!               └─ any pages ─┘            │
//! pages     buddy   bitmap   SourcePages   buddy        vmalloc: addresses in a row over frames of a source
//! ```
//!
//! For machines without threads, 32 or 64 bit, there are two [`PageAllocator`](base::PageAllocator)s
//! with one owner: [`buddy`], whose blocks are powers of two, and [`bitmap`], which can be asked
//! for certain pages; [`SourcePages`] asks a source for pages and gives them back to it. [`size_slabs`] has
//! objects of any size for one owner, over the buddy system. [`kmem_cache`] and [`kmalloc`] are the Linux kernel's
//! caches, over any pages, for one owner. `no_std`, never allocates.
#![cfg_attr(not(test), no_std)]
#![expect(
    clippy::result_large_err,
    reason = "a cache in use goes back to its owner, and there is no heap"
)]

pub mod bitmap;
pub mod buddy;
pub mod kmalloc;
pub mod kmem_cache;
mod marked;
#[cfg(test)]
mod shapes;
pub mod size_slabs;
pub mod source_pages;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod vmalloc;

pub use self::source_pages::SourcePages;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub use self::vmalloc::Vmalloc;

//! Objects of one size at a time: size classes, slabs, central lists.
//!
//! ```text
//! base   policy   source   page ─► ► object   thread   malloc   heapwright   abi   tools
//!
//! Central   one shelf per class and shard:  partial slabs ⇄ full slabs
//! Slab      granules cut into objects; its only free state is a bitmap beside them
//! ```
//!
//! Objects are claimed in batches under a shelf's lock and given back without one.
//! [`size_slabs`] is for machines without threads: one owner, pages from a buddy system. [`kmem_cache`] and [`kmalloc`] are the
//! Linux kernel's caches, over any pages, for one owner and for threads.
//! `no_std`, never allocates.
#![no_std]

#[cfg(all(not(loom), target_pointer_width = "64", target_has_atomic = "64"))]
pub mod central;
#[cfg(all(not(loom), target_pointer_width = "64", target_has_atomic = "64"))]
pub mod holes;
#[cfg(not(loom))]
pub mod kmalloc;
#[cfg(not(loom))]
pub mod kmem_cache;
#[cfg(all(not(loom), target_pointer_width = "64", target_has_atomic = "64"))]
pub mod list;
#[cfg(target_has_atomic = "64")]
pub mod protocol;
#[cfg(all(not(loom), target_pointer_width = "64", target_has_atomic = "64"))]
pub mod shelf;
#[cfg(all(not(loom), target_pointer_width = "64", target_has_atomic = "64"))]
pub mod size_class;
#[cfg(not(loom))]
pub mod size_slabs;
#[cfg(all(not(loom), target_pointer_width = "64", target_has_atomic = "64"))]
pub mod slab;

#[cfg(all(not(loom), target_pointer_width = "64", target_has_atomic = "64"))]
pub use self::{
    central::{Central, Fault},
    shelf::Shelf,
    slab::Slab,
};

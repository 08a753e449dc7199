//! Objects of one size at a time: size classes, slabs, central lists.
//!
//! ```text
//! base   policy   source   page ─► ► object   thread   malloc   heapwright   abi   tools
//!
//! Central   one shelf per class and shard:  partial slabs ⇄ full slabs
//! Slab      granules cut into objects; its only free state is a bitmap beside them
//! ```
//!
//! Objects are claimed in batches under a shelf's lock and given back without one. `no_std`, never allocates.
#![cfg_attr(not(test), no_std)]

#[cfg(not(loom))]
pub mod central;
#[cfg(not(loom))]
pub mod holes;
#[cfg(not(loom))]
pub mod list;
pub mod protocol;
#[cfg(not(loom))]
pub mod shelf;
#[cfg(not(loom))]
pub mod size_class;
#[cfg(not(loom))]
pub mod slab;

#[cfg(not(loom))]
pub use self::{
    central::{Central, Fault},
    shelf::Shelf,
    slab::Slab,
};

//! Pages: one region of address space, cut into 2 MiB blocks, cut into 16 KiB granules.
//!
//! ```text
//! base   policy   source ─► ► page   object   thread   malloc   heapwright   abi   tools
//!
//! region  [ maps ░ block │ block │ block │ …        reserved ░ descriptors … ]
//! block   [ granule │ granule │ … 128 of them ]        free bits, dirty bits
//! ```
//!
//! [`PageHeap`] hands out runs of granules, [`Huge`] mappings of their own, [`Meta`] the
//! memory that descriptors live in.
//!
//! For machines without threads, 32 or 64 bit, there are two [`PageAllocator`](base::PageAllocator)s
//! with one owner: [`buddy`], whose blocks are powers of two, and [`bitmap`], which can be asked
//! for certain pages; [`SourcePages`] asks a source for pages and gives them back to it. `no_std`, never allocates.
#![no_std]

#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod allowance;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
mod area;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod arena;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod bins;
pub mod bitmap;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod block;
pub mod buddy;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod chunk_map;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
mod dirty_blocks;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod geometry;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod heap;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod huge;
mod marked;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod meta;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
mod moved;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod pieces;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod purge;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod radix;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
mod refusals;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod region;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod slack;
pub mod source_pages;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
mod span_runs;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod spare;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod system;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub mod vmalloc;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
mod window;

pub use self::source_pages::SourcePages;
#[cfg(all(target_pointer_width = "64", target_has_atomic = "64"))]
pub use self::{
    allowance::Allowance,
    arena::Arena,
    chunk_map::ChunkMap,
    geometry::{BLOCK, GRANULE},
    heap::{PageHeap, Run},
    huge::Huge,
    meta::{Meta, Pool},
    pieces::Pieces,
    radix::RadixMap,
    refusals::{Attempt, Refusals},
    region::{Region, Span},
    spare::Spare,
    system::{System, try_purging},
    vmalloc::Vmalloc,
};

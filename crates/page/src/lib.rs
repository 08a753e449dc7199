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
//! memory that descriptors live in. `no_std`, never allocates.
#![cfg_attr(not(test), no_std)]

pub mod allowance;
mod area;
pub mod arena;
pub mod bins;
pub mod block;
pub mod chunk_map;
mod dirty_blocks;
pub mod geometry;
pub mod heap;
pub mod huge;
pub mod meta;
mod moved;
pub mod pieces;
pub mod purge;
pub mod radix;
mod refusals;
pub mod region;
pub mod slack;
mod span_runs;
pub mod spare;
pub mod system;
mod window;

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
};

//! Pages: one region of address space, cut into 2 MiB blocks, cut into 16 KiB granules.
//!
//! ```text
//! base   source ─► ► page   object   thread   malloc   heapwright   abi   tools
//!
//! region  [ maps │ block │ block │ block │ …                      reserved ]
//! block   [ granule │ granule │ … 128 of them ]        free bits, dirty bits
//! ```
//!
//! [`PageHeap`] hands out runs of granules, [`Huge`] mappings of their own, [`Meta`] the
//! memory that descriptors live in. `no_std`, never allocates.
#![no_std]

pub mod bins;
pub mod block;
pub mod geometry;
pub mod heap;
pub mod huge;
pub mod meta;
pub mod purge;
pub mod region;
pub mod slack;
mod span_runs;

pub use geometry::{BLOCK, GRANULE};
pub use heap::{PageHeap, Run};
pub use huge::Huge;
pub use meta::{Meta, Pool};
pub use region::{Region, Span};

use base::lock::Park;
use source::{PageSource, Report};

/// All that the layers above need of a system: pages, parking, a console.
pub trait System: PageSource + Park + Report + Sync + 'static {}

impl<S: PageSource + Park + Report + Sync + 'static> System for S {}

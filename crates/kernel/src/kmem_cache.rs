//! Caches of objects, as the kernel has them: named, of one size, with constructors, magazines and checks.
//!
//! ```text
//! allocate ◄─┬─ magazine ◄──────┐                        pages of the slabs    descriptors, magazines, map
//! free ──────┴─────────────► slabs: current, partial, full    ├ objects          ├ free links, u16 each
//!                                │                            └ nothing else      └ apart from the objects
//!                             any PageAllocator
//! ```
//!
//! What is known of free objects lies beside the slabs. So a constructed object keeps its state while it is free, a slab of 4 KiB
//! has 102 objects of 40 bytes, and what is freed twice, or was never allocated, is seen. Slabs and magazines have the kernel's
//! sizes (`order`), objects go out in the kernel's order ([`Policy`]).
//!
//! For several threads put a lock around it, as [`base::guarded::Guarded`]. `no_std`, 32 and 64 bit.
//! Bonwick, "The Slab Allocator", 1994; Bonwick and Adams, "Magazines and Vmem", 2001.

mod cache;
mod debug;
pub(crate) mod front;
mod misuse;
pub(crate) mod order;
pub(crate) mod page_map;
mod pieces;
#[cfg(target_has_atomic = "ptr")]
mod reserve;
mod settings;
mod shape;
mod sheaf;
mod shuffle;
mod slab;
pub(crate) mod slabs;
mod statistics;

#[cfg(test)]
pub(crate) mod toy;

pub use self::{
    cache::{InUse, KmemCache},
    misuse::{Finding, Misuse, Users},
    settings::{DebugFlags, Hook, Name, Policy, Refused, Settings},
    statistics::{Info, SLABINFO_HEADER},
};

#[cfg(target_has_atomic = "ptr")]
pub use self::reserve::Reserve;

#[cfg(test)]
mod tests;

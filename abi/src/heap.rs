//! The heap this library is made around: the only module that knows which.
//!
//! ```text
//! family, cplusplus, glibc, lifetime ─► heap ─┬─ heap = "flagship"     libheapwright
//!                                             └─ any other name        libheapwright-NAME
//! ```
//!
//! The same sources make every drop-in library; `abi/build.rs` names the heap after the package
//! that is built. Each heap has a `HEAP` with a fast and a slow half of each function, figures
//! for glibc's questions, and what is to happen when the process begins and ends.
use core::fmt;

use malloc::heapwright::Stats;
use malloc::heapwright::stats::class_size;

#[cfg(heap = "flagship")]
mod flagship;
#[cfg(heap = "flagship")]
use flagship as imp;

#[cfg(not(heap = "flagship"))]
mod whole;
#[cfg(not(heap = "flagship"))]
use whole as imp;

pub(crate) use imp::{HEAP, MAX_LINEAR, global, info};

/// What a heap can say of itself, in bytes.
#[derive(Debug)]
pub(crate) struct Info {
    /// Memory that costs, free or in use: what went back is not there any more.
    pub(crate) held: usize,
    /// In blocks that the program holds.
    pub(crate) live: usize,
    pub(crate) cached: usize,
    /// Free, but costing.
    pub(crate) dirty: usize,
    /// Blocks that are mappings of their own: bytes and number.
    pub(crate) huge: (usize, usize),
    /// What it knows of each size class.
    pub(crate) sizes: Option<Stats>,
}

impl Info {
    /// Writes what is known of each size class, as `malloc_info` has it.
    pub(crate) fn write_sizes(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let Some(stats) = &self.sizes else { return Ok(()) };
        for (class, &slabs) in stats.slabs.iter().enumerate().filter(|(_, slabs)| **slabs > 0) {
            let size = class_size(class);
            let count = stats.live_objects[class];
            writeln!(
                out,
                "  <size from=\"{size}\" to=\"{size}\" total=\"{}\" count=\"{count}\" slabs=\"{slabs}\"/>",
                count * size,
            )?;
        }
        Ok(())
    }
}

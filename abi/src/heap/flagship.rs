//! The flagship: magazines in front of slabs, a fast and a slow half of each function.
use core::fmt::{self, Write};

use malloc::heapwright::Stats;
use malloc::heapwright::stats::class_size;

pub(crate) use malloc::heapwright::global;
pub(crate) use malloc::{HEAP, MAX_LINEAR};

use super::Info;

#[derive(Debug)]
pub(crate) struct Sizes(Stats);

pub(crate) fn info() -> Info {
    let stats = HEAP.stats();
    Info {
        held: stats.held_bytes,
        live: stats.live_bytes,
        cached: stats.cached_bytes,
        dirty: stats.dirty_bytes,
        huge: stats.huge,
        sizes: Sizes(stats),
    }
}

impl Sizes {
    pub(super) fn write(&self, out: &mut impl Write) -> fmt::Result {
        let stats = &self.0;
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

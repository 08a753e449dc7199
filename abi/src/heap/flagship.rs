//! The flagship: magazines in front of slabs, a fast and a slow half of each function.
pub(crate) use malloc::heapwright::global;
pub(crate) use malloc::{HEAP, MAX_LINEAR};

use super::Info;

pub(crate) fn info() -> Info {
    let stats = HEAP.stats();
    Info {
        held: stats.held_bytes,
        live: stats.live_bytes,
        cached: stats.cached_bytes,
        dirty: stats.dirty_bytes,
        huge: stats.huge,
        sizes: Some(stats),
    }
}

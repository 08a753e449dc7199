//! Who allocates and who frees: facts by thread.

use serde::Serialize;

/// Who allocates and who frees.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Threads {
    pub count: u64,
    pub at_once: u64,
    /// Those that allocated most, at most 64.
    pub list: Vec<ByThread>,
    /// Blocks freed by another thread than the one that allocated them.
    pub freed_elsewhere: u64,
    pub freed: u64,
    /// The most that was live of each thread's blocks, added up.
    pub sum_of_peaks: u64,
    /// Allocating thread, freeing thread, blocks; the most first, at most 256.
    pub pairs: Vec<(u32, u32, u64)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ByThread {
    pub thread: u32,
    pub name: String,
    /// Blocks it allocated.
    pub blocks: u64,
    /// Bytes it allocated.
    pub bytes: u64,
    /// Blocks of its own that others freed.
    pub freed_elsewhere: u64,
    /// The most that was live of its blocks.
    pub peak: u64,
    /// Whether it had ended at the moment of the most free memory.
    pub has_ended: bool,
}

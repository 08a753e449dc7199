//! How much of everything a vmalloc may take.
use source::FrameSource;

use super::error::MAPPINGS;

/// Addresses that are reserved unless told otherwise: they cost nothing, and are never short then.
const ADDRESSES: usize = 64 << 30;

/// Of the mappings that a process may have, the part that is left to the rest of the program: an eighth.
const OTHERS: usize = 8;

/// Addresses that wait for a purge, for each bit of the number of processors: Linux's figure. There it is
/// what makes up for one flush of all processors' address caches; here for one pass over all areas.
const LAZY: usize = 32 << 20;

/// Limits, in bytes but for the mappings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VmallocLimits {
    /// Of addresses, guard pages included.
    pub addresses: usize,
    /// Of memory: all frames together.
    pub memory: usize,
    /// How many mappings there may be.
    pub mappings: usize,
    /// Of addresses in areas that are free and not purged.
    pub lazy: usize,
}

impl VmallocLimits {
    /// 64 GiB of addresses, all of the machine's memory, seven eighths of the mappings that a process may have, and as
    /// many bytes unpurged as Linux has. Two system calls for files of /proc.
    pub fn of(source: &impl FrameSource) -> Self {
        let mappings = source.most_mappings().unwrap_or(MAPPINGS);
        Self {
            addresses: ADDRESSES,
            memory: source.physical_memory(),
            mappings: mappings - mappings / OTHERS,
            lazy: lazy_for(source.processors()),
        }
    }
}

/// What Linux leaves unpurged on that many processors: the number of bits of it, times 32 MiB.
#[must_use]
pub const fn lazy_for(processors: usize) -> usize {
    (usize::BITS - processors.leading_zeros()) as usize * LAZY
}

//! How large a body is.

/// Bytes of memory that every body fits in at its full size.
pub const FULL: usize = 512 << 20;

/// How large the blocks of a body are, and how many.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// Sizes are the part of the full ones that this is of [`FULL`].
    sizes: usize,
    counts: usize,
    /// Pairs of allocate and free for each size, number and order of `glibc_bench`.
    pairs: usize,
    /// Blocks of so many bits of size, and more, are more than there is.
    refused_from: u32,
}

impl Scale {
    /// Blocks of the full size, of which one in `parts` is made, from a system of any memory.
    pub const fn part(parts: usize) -> Self {
        let refused_from = if usize::BITS == 64 { 48 } else { 28 };
        Self { sizes: FULL, counts: FULL / parts, pairs: 1_000_000 / parts, refused_from }
    }

    /// What fits a machine of `memory` bytes, 128 MiB at most, in the time of an emulator.
    pub const fn machine(memory: usize) -> Self {
        Self { sizes: memory, counts: memory, pairs: 5_000, refused_from: 28 }
    }

    /// The size for `full`; at least one byte.
    pub fn size(self, full: u32) -> usize {
        part_of(full, self.sizes)
    }

    /// How many for `full`; at least one.
    pub(crate) fn count(self, full: u32) -> usize {
        part_of(full, self.counts)
    }

    /// How often `live` blocks are taken and freed.
    pub(crate) fn rounds(self, live: usize) -> usize {
        self.pairs.div_ceil(live)
    }

    /// From how many bits of size on every block is refused.
    pub(crate) fn refused_from(self) -> u32 {
        self.refused_from
    }
}

fn part_of(full: u32, share: usize) -> usize {
    let scaled = u64::from(full) * share as u64 / FULL as u64;
    usize::try_from(scaled).unwrap_or(usize::MAX).max(1)
}

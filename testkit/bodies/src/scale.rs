//! How large a body is.

/// Bytes of memory that every body fits in at its full size.
pub const FULL: usize = 512 << 20;

/// A part of the full size.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    /// Of [`FULL`].
    memory: usize,
    /// Pairs of allocate and free for each size, number and order of `glibc_bench`.
    pairs: usize,
}

impl Scale {
    /// One part in `parts`.
    #[must_use]
    pub const fn part(parts: usize) -> Self {
        Self { memory: FULL / parts, pairs: 1_000_000 / parts }
    }

    /// What fits a machine of `memory` bytes, in the time of an emulator.
    #[must_use]
    pub const fn machine(memory: usize) -> Self {
        Self { memory, pairs: 5_000 }
    }

    /// The part of `full`; at least one.
    #[must_use]
    pub fn of(self, full: u32) -> usize {
        let scaled = u64::from(full) * self.memory as u64 / FULL as u64;
        usize::try_from(scaled).unwrap_or(usize::MAX).max(1)
    }

    /// How often `live` blocks are taken and freed.
    pub(crate) fn rounds(self, live: usize) -> usize {
        self.pairs.div_ceil(live)
    }
}

//! What a heap counts as it goes.
use crate::BlockStats;

/// Bytes in use, now and at most, and requests that were refused.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// Bytes in use.
    pub used: usize,
    /// The most bytes ever in use.
    pub peak: usize,
    /// Requests that were refused.
    pub failures: usize,
}

impl Counts {
    /// Of a heap that nobody has used.
    pub const NONE: Self = Self { used: 0, peak: 0, failures: 0 };

    /// So many bytes more are in use.
    #[inline]
    pub fn take(&mut self, bytes: usize) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }

    /// Counts a request that is refused.
    #[cold]
    pub fn refuse<T>(&mut self) -> Option<T> {
        self.failures += 1;
        None
    }

    /// With what the heap itself knows.
    #[must_use]
    pub const fn stats(&self, total: usize, largest_free: usize) -> BlockStats {
        let Self { used, peak, failures } = *self;
        BlockStats { total, used, peak, largest_free, failures }
    }
}

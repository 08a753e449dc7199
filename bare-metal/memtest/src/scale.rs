//! How large a test is on this machine.

/// The memory that the tests' full numbers are for: 512 MiB.
const FULL: u64 = 512 << 20;

/// The tests' numbers are scaled as this machine's memory is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    memory: u64,
}

impl Scale {
    pub(crate) fn new(memory: usize) -> Self {
        Self { memory: memory as u64 }
    }

    /// So many of `full` as there is memory of the full memory; at least one.
    pub(crate) fn of(self, full: u32) -> usize {
        let scaled = (u64::from(full) * self.memory / FULL) as usize;
        scaled.max(1)
    }
}

//! Counts of one situation, taken together.

use machine::say;

/// Smallest, mean and largest of the counts so far.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tally {
    min: u32,
    max: u32,
    sum: u64,
    calls: u32,
}

impl Tally {
    pub(crate) const fn new() -> Self {
        Self { min: u32::MAX, max: 0, sum: 0, calls: 0 }
    }

    pub(crate) fn add(&mut self, count: u32) {
        self.min = self.min.min(count);
        self.max = self.max.max(count);
        self.sum += u64::from(count);
        self.calls += 1;
    }

    /// The line of this situation; none where nothing was counted.
    pub(crate) fn say(&self, allocator: &str, situation: &str, entry: &str) {
        let Self { min, max, sum, calls } = *self;
        if calls != 0 {
            let mean = (sum + u64::from(calls) / 2) / u64::from(calls);
            say!("count {allocator} {situation} {entry} {min} {mean} {max} {calls}");
        }
    }
}

//! What the recording knew of the program's memory, by the number of the event.

/// More points than this no picture shows.
const MOST: usize = 4096;

/// The recorded program's own memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// What it had when the recording began.
    pub start: u64,
    /// The most that it had.
    pub peak: u64,
    /// What it had at the last look.
    pub end: u64,
    /// The number of calls before each look, and what it had then; of many looks some.
    pub points: Vec<(u64, u64)>,
    looks: u64,
    every: u64,
}

impl Recorded {
    /// Whether anything is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.looks > 0
    }

    /// The most that it had above what it had at the start.
    #[must_use]
    pub fn growth(&self) -> Option<u64> {
        self.is_known().then(|| self.peak - self.start)
    }

    /// One look.
    pub(crate) fn look(&mut self, events: u64, anon: u64) {
        if self.looks == 0 {
            (self.start, self.every) = (anon, 1);
        }
        self.peak = self.peak.max(anon);
        self.end = anon;
        if self.looks.is_multiple_of(self.every) {
            self.points.push((events, anon));
        }
        self.looks += 1;
        if self.points.len() >= MOST {
            let mut nth = 0_u64;
            self.points.retain(|_| {
                nth += 1;
                !nth.is_multiple_of(2)
            });
            self.every *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_looks_some_are_kept_and_the_peak_always() {
        let mut recorded = Recorded::default();
        assert_eq!(recorded.growth(), None);
        for n in 0..100_000 {
            recorded.look(n, if n == 12_345 { 900 } else { 100 + n % 7 });
        }
        assert!(recorded.points.len() < MOST && recorded.points.is_sorted());
        assert_eq!((recorded.start, recorded.growth()), (100, Some(800)));
    }
}

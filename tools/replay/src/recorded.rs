//! What the recording knew of the program's memory, by the number of the event.

use trace::{Above, Op};

/// More points than this no picture shows.
const MOST: usize = 4096;

/// Mappings of the program's own, so small against what malloc has, do not hide that.
const SMALL_PART: u64 = 10;

/// The recorded program's own memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recorded {
    /// The most that it had.
    pub peak: u64,
    /// The most that it had above the start, without what the program had mapped itself.
    pub growth: u64,
    /// Of that, what it had at the last look.
    pub end: u64,
    /// The number of calls before each look, and how much of that it had then; of many looks some.
    pub points: Vec<(u64, u64)>,
    /// The calls before the last look, and bytes times calls until then.
    calls: u64,
    area: f64,
    above: Above,
    looks: u64,
    every: u64,
}

impl Recorded {
    /// Whether anything is known.
    pub fn is_known(&self) -> bool {
        self.looks > 0
    }

    /// The most that malloc had of it. Where the program itself mapped much, how much of that it touched is not known, and so
    /// this is not.
    pub fn mallocs(&self) -> Option<u64> {
        let is_seen = self.own_mapped() <= self.growth / SMALL_PART;
        (self.is_known() && is_seen).then_some(self.growth)
    }

    /// The mean of what malloc had, over all calls.
    pub fn mean(&self) -> f64 {
        if self.calls == 0 { self.end as f64 } else { self.area / self.calls as f64 }
    }

    /// The most that the program itself had mapped.
    pub fn own_mapped(&self) -> u64 {
        self.above.own_mapped()
    }

    /// The next step, behind so many calls.
    pub(crate) fn step(&mut self, events: u64, op: &Op) {
        if let (Some(held), &Op::Memory { anon, .. }) = (self.above.step(op), op) {
            self.look(events, anon, held);
        }
    }

    fn look(&mut self, events: u64, anon: u64, held: u64) {
        self.every = self.every.max(1);
        self.area += (events - self.calls) as f64 * f64::midpoint(self.end as f64, held as f64);
        (self.calls, self.end) = (events, held);
        self.growth = self.growth.max(held);
        self.peak = self.peak.max(anon);
        if self.looks.is_multiple_of(self.every) {
            self.points.push((events, held));
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

    fn look(anon: u64) -> Op {
        Op::Memory { anon, file: 0, shmem: 0 }
    }

    #[test]
    fn of_many_looks_some_are_kept_and_the_peak_always() {
        let mut recorded = Recorded::default();
        assert!(!recorded.is_known());
        for n in 0..100_000 {
            recorded.step(n, &look(if n == 12_345 { 900 } else { 100 + n % 7 }));
        }
        assert!(recorded.points.len() < MOST && recorded.points.is_sorted());
        assert_eq!(recorded.mallocs(), Some(800));
        assert!((2.9..3.1).contains(&recorded.mean()), "{}", recorded.mean());
        assert_eq!((recorded.points[0], recorded.end), ((0, 0), 99_999 % 7));
        recorded.step(100_000, &Op::Map { address: 0, len: 4000 });
        recorded.step(100_001, &look(5000));
        assert_eq!((recorded.growth, recorded.mallocs()), (900, None));
    }
}

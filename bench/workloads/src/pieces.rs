//! Time in pieces of equally much work, of which the middle one counts: a thread that loses its processor for a moment makes one
//! piece long, and no spike of a curve.
//!
//! ```text
//! pieces   ▁▁▁▁▁█▁▁▁▁      middle ▁     mean ▂
//! ```

const MOST: u64 = 10_000;

use timing::thread_cpu;

#[derive(Debug)]
pub(crate) struct Pieces {
    /// Nanoseconds that reading the processor's time takes.
    reading: u64,
    work: u64,
    /// How long whole pieces took. Its room is made before: no call of malloc is among the measured ones.
    whole: Vec<u64>,
    /// Work and time of all pieces.
    pub(crate) all: (u64, u64),
}

impl Pieces {
    pub(crate) fn new(work: u64, most: u64) -> Self {
        let most = usize::try_from(most.min(MOST)).unwrap_or(0);
        let reading = (0..100).map(|_| thread_cpu().abs_diff(thread_cpu())).min().unwrap_or(0);
        Self { reading, work: work.max(1), whole: Vec::with_capacity(most), all: (0, 0) }
    }

    /// A piece that was begun then, and ends now, by [`thread_cpu`]: it stands still while another thread computes.
    #[inline(always)]
    pub(crate) fn end(&mut self, work: u64, begun: u64, now: u64) {
        self.add(work, (now - begun).saturating_sub(self.reading));
    }

    /// One that took so long; nothing if no work was done.
    #[inline(always)]
    pub(crate) fn add(&mut self, work: u64, time: u64) {
        self.all = (self.all.0 + work, self.all.1 + if work > 0 { time } else { 0 });
        if work == self.work && self.whole.len() < self.whole.capacity() {
            self.whole.push(time);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.whole.clear();
        self.all = (0, 0);
    }

    /// The time of a unit of work in the middle piece; where none is whole, the mean. `None`: nothing was done.
    pub(crate) fn each(&mut self) -> Option<f64> {
        self.whole.sort_unstable();
        match (self.whole.get(self.whole.len() / 2), self.all) {
            (_, (0, _)) => None,
            (Some(middle), _) => Some(*middle as f64 / self.work as f64),
            (None, (work, time)) => Some(time as f64 / work as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_preemption_is_no_spike() {
        let mut pieces = Pieces::new(250, 10);
        for piece in 0..9 {
            pieces.add(250, if piece == 4 { 4_000_000 } else { 2_500 });
        }
        pieces.add(17, 9_000);
        assert_eq!((pieces.each(), pieces.all), (Some(10.0), (2267, 4_029_000)));
        pieces.clear();
        pieces.add(0, 500);
        assert_eq!((pieces.each(), pieces.all), (None, (0, 0)));
        pieces.add(20, 100);
        assert_eq!(pieces.each(), Some(5.0));
    }
}

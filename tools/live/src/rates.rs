//! What changed between two looks, by the second.

use crate::look::Figures;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Rates {
    pub faults: f64,
    pub disk_faults: f64,
    /// Processor time of the process, of one processor.
    pub cpu: f64,
    /// Refills and flushes of magazines: each moves dozens of blocks.
    pub refills: f64,
    pub flushes: f64,
    pub given_back: f64,
    /// Bytes by which what is live grew; below 0 it shrank.
    pub grown: f64,
}

impl Rates {
    pub fn between(before: &Figures, now: &Figures) -> Self {
        let seconds = now.when.duration_since(before.when).as_secs_f64().max(1e-3);
        // Counters of threads that end come to their sum a moment later.
        let rate = |before: u64, now: u64| now.saturating_sub(before) as f64 / seconds;
        let process = (&before.process, &now.process);
        let hertz = rustix::param::clock_ticks_per_second().max(1) as f64;
        let mut rates = Self {
            faults: rate(process.0.faults[0], process.1.faults[0]),
            disk_faults: rate(process.0.faults[1], process.1.faults[1]),
            cpu: rate(process.0.ticks, process.1.ticks) / hertz,
            ..Self::default()
        };
        if let (Some(before), Some(now)) = (&before.heap, &now.heap) {
            rates.refills = rate(before.refills, now.refills);
            rates.flushes = rate(before.flushes, now.flushes);
            rates.given_back = rate(before.given_back, now.given_back);
            rates.grown = (now.live as f64 - before.live as f64) / seconds;
        }
        rates
    }
}

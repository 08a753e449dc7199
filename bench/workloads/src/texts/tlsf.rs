//! The TLSF text's bench: a table full of blocks, a random one freed and another allocated in its place, timed for one
//! range of sizes after the other.
//!
//! Only pairs of a free and an allocation that was granted are timed. In the text a curve falls where its pool is
//! exhausted, because refusing is quick; and where a thread lost its processor it has a spike. Here a point is the middle of many
//! pieces, what is refused is outside of the time, and a point where nothing was
//! granted is missing.

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all, table};
use crate::list::Workload;
use crate::pieces::Pieces;
use crate::results::Results;
use crate::rng::Rng;
use timing::{overhead, ticks, ticks_per_second};

/// Narrow ranges of sizes, one beside the other.
pub(crate) const SWEEP: Workload = Workload {
    name: "tlsf-sweep",
    about: "random blocks of a full table are replaced, for sizes of 0 to 63, 64 to 127 … 16,383",
    parameters: &[
        fixed("slots", 1000, "blocks of the table; the text has 10,000"),
        fixed("last", 16_320, "bytes of the smallest block of the last range"),
        fixed("step", 64, "bytes from a range to the next, and of a range"),
        scaled("pairs", 60_000, "blocks that are replaced for each range; the text has 10 million"),
    ],
    run: run_sweep,
};

/// Wide ranges, the same again and again.
pub(crate) const WIDE: Workload = Workload {
    name: "tlsf-wide",
    about: "random blocks of a full table are replaced, for six wide ranges of sizes, fifty times each",
    parameters: &[
        fixed("slots", 1000, "blocks of the table; the text has 10,000"),
        fixed("runs", 50, "runs of each range, as in the text"),
        scaled("pairs", 50_000, "blocks that are replaced in each run"),
    ],
    run: run_wide,
};

/// From, and to, excluded.
const WIDE_RANGES: [(usize, usize); 6] =
    [(0, 512), (0, 2048), (0, 4096), (2048, 4096), (0, 16_384), (0, 65_536)];

fn run_sweep(arguments: &Arguments, results: &mut Results) {
    let (last, step) = (arguments.size("last"), arguments.size("step").max(1));
    let mut bench = Bench::new(arguments);
    for low in (0..=last).step_by(step) {
        bench.range(low, low + step);
        if let Some(ns) = bench.ns_per_pair() {
            results.point("pair", low as f64, ns);
        }
    }
    bench.end(results, last + step / 2);
}

fn run_wide(arguments: &Arguments, results: &mut Results) {
    let mut bench = Bench::new(arguments);
    for (low, high) in WIDE_RANGES {
        for run in 1..=arguments.get("runs") {
            bench.range(low, high);
            if let Some(ns) = bench.ns_per_pair() {
                results.point(format_args!("{low}-{high}"), run as f64, ns);
            }
        }
    }
    bench.end(results, WIDE_RANGES[5].1 / 2);
}

/// Pairs of a piece, between two readings of the counter: what is lost at most when one is refused.
const RUN: u64 = 250;

struct Bench {
    rng: Rng,
    slots: usize,
    pairs: u64,
    /// Pairs timed, and their ticks: of the last range, and of all before it.
    last: Pieces,
    before: (u64, u64),
    overhead: u64,
    ns_per_tick: f64,
}

impl Bench {
    fn new(arguments: &Arguments) -> Self {
        let pairs = arguments.get("pairs");
        Self {
            rng: Rng::new(arguments.seed()),
            slots: arguments.size("slots").max(1),
            pairs,
            last: Pieces::new(RUN, pairs / RUN),
            before: (0, 0),
            overhead: overhead(),
            ns_per_tick: 1e9 / ticks_per_second(),
        }
    }

    /// Fills a table with blocks of at least `low` and less than `high` bytes, replaces random ones, empties it.
    #[inline(never)]
    fn range(&mut self, low: usize, high: usize) {
        self.before = self.sums();
        self.last.clear();
        let (slots, width) = (self.slots as u64, (high - low) as u64);
        // No block of no bytes: some allocators have none.
        let size = |random: u64| (low + (((random >> 32) * width) >> 32) as usize).max(1);
        let mut table = table(self.slots);
        // Where a register can hold it.
        let mut rng = self.rng.clone();
        for (i, block) in table.iter_mut().enumerate() {
            *block = Block::new(size(rng.next()), i as u64);
        }
        let (mut run, mut since) = (0, ticks());
        for _ in 0..self.pairs {
            let random = rng.next();
            let at = (((random & 0xffff_ffff) * slots) >> 32) as usize;
            let slot = &mut table[at];
            if slot.is_none() {
                // It was refused earlier: this is half a pair.
                self.count(run, since);
                *slot = Block::new(size(random), at as u64);
                (run, since) = (0, ticks());
                continue;
            }
            slot.replace(|| Block::new(size(random), at as u64));
            run += 1;
            if slot.is_none() {
                (run, since) = (0, ticks());
            } else if run == RUN {
                self.count(run, since);
                (run, since) = (0, ticks());
            }
        }
        self.count(run, since);
        self.rng = rng;
        free_all(&mut table);
    }

    fn count(&mut self, pairs: u64, since: u64) {
        self.last.add(pairs, (ticks() - since).saturating_sub(self.overhead));
    }

    /// Of the last range; nothing if nothing was granted.
    fn ns_per_pair(&mut self) -> Option<f64> {
        Some(self.last.each()? * self.ns_per_tick)
    }

    /// Pairs and ticks of all ranges so far.
    fn sums(&self) -> (u64, u64) {
        let (pairs, ticks) = self.last.all();
        (self.before.0 + pairs, self.before.1 + ticks)
    }

    fn end(self, results: &mut Results, mean: usize) {
        let (pairs, ticks) = self.sums();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "seconds, in nanoseconds"
        )]
        let ns = (ticks as f64 * self.ns_per_tick) as u64;
        results.work(2 * pairs, ns);
        results.peak_live(self.slots * mean);
    }
}

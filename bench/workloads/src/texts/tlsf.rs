//! The TLSF text's bench: a table full of blocks, a random one freed and another allocated in its place, timed for one
//! range of sizes after the other.
//!
//! A point is the middle of many pieces of processor time: who loses the processor for a moment makes no spike. Curves:
//!
//! ```text
//! pair         pairs of a free and an allocation that was granted; a point is missing where nothing was
//! as-timed     as in the text, whatever came of a request: falls where the pool is exhausted, because refusing is quick
//! refused      per cent of the requests; only where there are some, and so are the points of `as-timed` that differ
//! ```

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all, table};
use crate::heap;
use crate::list::Workload;
use crate::pieces::Pieces;
use crate::results::Results;
use crate::rng::Rng;
use timing::thread_cpu;

/// Narrow ranges of sizes, one beside the other.
pub(crate) const SWEEP: Workload = Workload {
    name: "tlsf-sweep",
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
    parameters: &[
        fixed("slots", 1000, "blocks of the table; the text has 10,000"),
        fixed("runs", 50, "runs of each range, as in the text"),
        scaled("pairs", 50_000, "blocks that are replaced in each run"),
    ],
    run: run_wide,
};

/// From, and to, excluded.
pub(crate) const WIDE_RANGES: [(usize, usize); 6] =
    [(0, 512), (0, 2048), (0, 4096), (2048, 4096), (0, 16_384), (0, 65_536)];

fn run_sweep(arguments: &Arguments, results: &mut Results) {
    let (last, step) = (arguments.size("last"), arguments.size("step").max(1));
    let mut bench = Bench::new(arguments);
    let ranges = (0..=last).step_by(step);
    let seen: Vec<(f64, Seen)> =
        ranges.map(|low| (low as f64, bench.range(low, low + step))).collect();
    let some_refused = seen.iter().any(|(_, seen)| seen.refused > 0.0);
    for (low, Seen { granted, all, refused }) in seen {
        if let Some(ns) = granted {
            results.point("pair", low, ns);
        }
        if some_refused && let Some(ns) = all {
            results.point("as-timed", low, ns);
        }
        if refused > 0.0 {
            results.point("refused", low, refused);
        }
    }
    bench.end(results, last + step / 2);
}

fn run_wide(arguments: &Arguments, results: &mut Results) {
    let mut bench = Bench::new(arguments);
    for (low, high) in WIDE_RANGES {
        for run in 1..=arguments.get("runs") {
            if let Some(ns) = bench.range(low, high).granted {
                results.point(format_args!("{low}-{high}"), run as f64, ns);
            }
        }
    }
    bench.end(results, WIDE_RANGES[5].1 / 2);
}

/// Pairs of a piece, between two readings of the clock: what is lost at most when one is refused.
const RUN: u64 = 250;

struct Seen {
    /// Nanoseconds of a pair that was granted; none if none was.
    granted: Option<f64>,
    /// The same of all, granted or not.
    all: Option<f64>,
    /// Per cent of the requests.
    refused: f64,
}

/// Which slot of a table.
#[inline(always)]
fn place(random: u64, slots: usize) -> usize {
    (((random & 0xffff_ffff) * slots as u64) >> 32) as usize
}

struct Bench {
    rng: Rng,
    slots: usize,
    pairs: u64,
    /// Of the present range: pairs that were granted, and all.
    granted: Pieces,
    all: Pieces,
    /// Pairs that were granted, and their nanoseconds, of all ranges.
    sums: (u64, u64),
}

impl Bench {
    fn new(arguments: &Arguments) -> Self {
        let pairs = arguments.get("pairs");
        Self {
            rng: Rng::new(arguments.seed),
            slots: arguments.size("slots").max(1),
            pairs,
            granted: Pieces::new(RUN, pairs / RUN),
            all: Pieces::new(RUN, pairs / RUN),
            sums: (0, 0),
        }
    }

    /// Fills a table with blocks of at least `low` and less than `high` bytes, replaces random ones, empties it.
    fn range(&mut self, low: usize, high: usize) -> Seen {
        let width = (high - low) as u64;
        // No block of no bytes: some allocators have none.
        let size = |random: u64| (low + (((random >> 32) * width) >> 32) as usize).max(1);
        let mut table = table(self.slots);
        for (i, block) in table.iter_mut().enumerate() {
            *block = Block::new(size(self.rng.next()), i as u64);
        }
        let before = heap::refused();
        self.replace(&mut table, size);
        let refused = heap::refused() - before;
        let all = self.all.each();
        let granted = if refused == 0 {
            let (pairs, ns) = self.all.all;
            self.sums = (self.sums.0 + pairs, self.sums.1 + ns);
            all
        } else {
            self.replace_granted(&mut table, size);
            let (pairs, ns) = self.granted.all;
            self.sums = (self.sums.0 + pairs, self.sums.1 + ns);
            self.granted.each()
        };
        free_all(&mut table);
        self.all.clear();
        self.granted.clear();
        Seen { granted, all, refused: 100.0 * refused as f64 / self.pairs.max(1) as f64 }
    }

    /// As the text does it: whatever comes of a request is timed.
    #[inline(never)]
    fn replace(&mut self, table: &mut [Block], size: impl Fn(u64) -> usize) {
        // Where a register can hold it.
        let mut rng = self.rng.clone();
        let (mut run, mut begun) = (0, thread_cpu());
        for _ in 0..self.pairs {
            let random = rng.next();
            let at = place(random, table.len());
            table[at].replace(|| Block::new(size(random), at as u64));
            run += 1;
            if run == RUN {
                let now = thread_cpu();
                self.all.end(run, begun, now);
                (run, begun) = (0, now);
            }
        }
        self.all.end(run, begun, thread_cpu());
        self.rng = rng;
    }

    /// Only pairs of which both were granted are timed.
    #[inline(never)]
    fn replace_granted(&mut self, table: &mut [Block], size: impl Fn(u64) -> usize) {
        let mut rng = self.rng.clone();
        let (mut run, mut begun) = (0, thread_cpu());
        for _ in 0..self.pairs {
            let random = rng.next();
            let at = place(random, table.len());
            let slot = &mut table[at];
            let was_there = !slot.is_none();
            if !was_there {
                // It was refused earlier: this is half a pair.
                self.granted.end(run, begun, thread_cpu());
            }
            slot.replace(|| Block::new(size(random), at as u64));
            if !was_there || slot.is_none() {
                (run, begun) = (0, thread_cpu());
                continue;
            }
            run += 1;
            if run == RUN {
                let now = thread_cpu();
                self.granted.end(run, begun, now);
                (run, begun) = (0, now);
            }
        }
        self.granted.end(run, begun, thread_cpu());
        self.rng = rng;
    }

    fn end(self, results: &mut Results, mean: usize) {
        results.work(2 * self.sums.0, self.sums.1);
        results.peak_live(self.slots * mean);
    }
}

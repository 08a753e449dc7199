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

/// What was seen of a range.
struct Seen {
    /// Nanoseconds of a pair that was granted; none if none was.
    granted: Option<f64>,
    /// The same of all, granted or not.
    all: Option<f64>,
    /// Per cent of the requests.
    refused: f64,
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
            rng: Rng::new(arguments.seed()),
            slots: arguments.size("slots").max(1),
            pairs,
            granted: Pieces::new(RUN, pairs / RUN),
            all: Pieces::new(RUN, pairs / RUN),
            sums: (0, 0),
        }
    }

    /// Fills a table with blocks of at least `low` and less than `high` bytes, replaces random ones, empties it.
    #[inline(never)]
    fn range(&mut self, low: usize, high: usize) -> Seen {
        let before = heap::refused();
        let (slots, width) = (self.slots as u64, (high - low) as u64);
        // No block of no bytes: some allocators have none.
        let size = |random: u64| (low + (((random >> 32) * width) >> 32) as usize).max(1);
        let mut table = table(self.slots);
        // Where a register can hold it.
        let mut rng = self.rng.clone();
        for (i, block) in table.iter_mut().enumerate() {
            *block = Block::new(size(rng.next()), i as u64);
        }
        let (mut run, mut begun) = (0, Pieces::now());
        let (mut tried, mut since) = (0, begun);
        for _ in 0..self.pairs {
            let random = rng.next();
            let at = (((random & 0xffff_ffff) * slots) >> 32) as usize;
            let slot = &mut table[at];
            if slot.is_none() {
                // It was refused earlier: this is half a pair.
                self.granted.end(run, begun, Pieces::now());
                *slot = Block::new(size(random), at as u64);
                (run, begun) = (0, Pieces::now());
            } else {
                slot.replace(|| Block::new(size(random), at as u64));
                run += 1;
                if slot.is_none() {
                    (run, begun) = (0, Pieces::now());
                }
            }
            tried += 1;
            if tried == RUN || run == RUN {
                // One reading ends both, where nothing was refused.
                let now = Pieces::now();
                if tried == RUN {
                    self.all.end(tried, since, now);
                    (tried, since) = (0, now);
                }
                if run == RUN {
                    self.granted.end(run, begun, now);
                    (run, begun) = (0, now);
                }
            }
        }
        self.granted.end(run, begun, Pieces::now());
        self.rng = rng;
        free_all(&mut table);
        let (pairs, ns) = self.granted.all();
        self.sums = (self.sums.0 + pairs, self.sums.1 + ns);
        let requests = self.slots as u64 + self.pairs;
        let refused = 100.0 * (heap::refused() - before) as f64 / requests.max(1) as f64;
        let seen = Seen { granted: self.granted.each(), all: self.all.each(), refused };
        self.granted.clear();
        self.all.clear();
        seen
    }

    fn end(self, results: &mut Results, mean: usize) {
        results.work(2 * self.sums.0, self.sums.1);
        results.peak_live(self.slots * mean);
    }
}

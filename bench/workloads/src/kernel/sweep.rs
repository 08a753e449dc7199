//! The sweep of the report on TLSF, xvmalloc and zsmalloc: a table full of objects, a random one freed and another allocated in its
//! place, timed for one range of sizes after the other; and what each range costs in memory, which the report could not show.
//!
//! Where each request is a system call there are fewer of them ([`Serve::SLOWER`]).
//!
//! As there, an object is not touched, only allocated and freed, and pages and what is around a call cost what
//! they do in a kernel, unless they are to be bare.
//! Before each range many pairs are not timed, until the holes between objects are as many as they will ever be; in some of them
//! objects are marked, and the marks checked. A point is the middle of many pieces of processor time. What is refused is counted
//! and never timed, and a range in which most were refused has no point.

use core::ptr::NonNull;
use std::collections::BTreeSet;

use blocks::kernel::{PageCost, Serve, Visit};

use crate::arguments::{Arguments, Parameter, choice, fixed, scaled};
use crate::list::Workload;
use crate::pieces::Pieces;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use crate::texts::tlsf::WIDE_RANGES;
use timing::thread_cpu;

/// Narrow ranges of sizes, one beside the other.
pub(crate) const SWEEP: Workload = Workload {
    name: "kernel-sweep",
    parameters: &[
        SLOTS,
        fixed("first", 0, "bytes of the smallest object of the first range").least(0),
        fixed("last", 16_320, "bytes of the smallest object of the last range").least(0),
        fixed("step", 64, "bytes from a range to the next, and of a range"),
        scaled(
            "pairs",
            10_000,
            "objects that are replaced for each range; the text has 10 million",
        ),
        SETTLE,
        PAGES,
        PAGE_NS,
        CALLS,
    ],
    run: run_sweep,
};

/// Wide ranges, the same again and again.
pub(crate) const WIDE: Workload = Workload {
    name: "kernel-wide",
    parameters: &[
        SLOTS,
        fixed("runs", 50, "runs of each range, as in the text"),
        scaled("pairs", 5000, "objects that are replaced in each run; the text has 10 million"),
        SETTLE,
        PAGES,
        PAGE_NS,
        CALLS,
    ],
    run: run_wide,
};

const SLOTS: Parameter = fixed("slots", 2000, "objects of the table; the text has 10,000");
const SETTLE: Parameter =
    fixed("settle", 4, "times that the whole table is replaced before, untimed").least(0);
const PAGES: Parameter = choice(
    "pages",
    &["kernel", "bare"],
    "what a page costs: as in Linux 5.4, or nothing but the buddy system's own work",
);
const CALLS: Parameter = choice(
    "calls",
    &["kernel", "bare"],
    "what is around a call of xvmalloc and zsmalloc: locks and a handle as in Linux 5.4, or nothing",
);
const PAGE_NS: Parameter = fixed(
    "page-ns",
    PageCost::KERNEL_NS,
    "nanoseconds for a page taken and given back, beside setting it to 0, where pages are a kernel's",
)
.least(0);

/// Pairs of a piece, between two readings of the counter.
const RUN: u64 = 250;
const PAGE: usize = 4096;

fn run_sweep(arguments: &Arguments, results: &mut Results) {
    let (last, step) = (arguments.size("last"), arguments.size("step").max(1));
    let ranges =
        (arguments.size("first")..=last).step_by(step).map(|low| (low, low + step)).collect();
    run(arguments, results, ranges, 1, |results, (low, _), _, seen| {
        if let Some(ns) = seen.ns {
            let series = if seen.is_slower { "areas" } else { "pair" };
            results.point(series, low as f64, ns);
        }
        if seen.refused > 0.0 {
            results.point("refused", low as f64, seen.refused);
        }
        if let Some(waste) = seen.waste {
            results.point("waste", low as f64, waste);
        }
    });
}

fn run_wide(arguments: &Arguments, results: &mut Results) {
    let (ranges, runs) = (WIDE_RANGES.to_vec(), arguments.get("runs"));
    run(arguments, results, ranges, runs, |results, (low, high), run, seen| {
        if let Some(ns) = seen.ns {
            let apart = if seen.is_slower { "areas/" } else { "" };
            results.point(format_args!("{apart}{low}-{high}"), run as f64, ns);
        }
        if run == 1
            && let Some(waste) = seen.waste
        {
            results.value(&format!("waste_{low}_{high}"), format_args!("{waste:.1}"), "bytes");
        }
    });
}

fn run(
    arguments: &Arguments,
    results: &mut Results,
    ranges: Vec<(usize, usize)>,
    runs: u64,
    say: fn(&mut Results, (usize, usize), u64, &Seen),
) {
    let slots = arguments.size("slots").max(1);
    let bench = Bench {
        rng: Rng::new(arguments.seed),
        slots,
        pairs: arguments.get("pairs"),
        settle: arguments.get("settle"),
        ranges,
        runs,
        say,
        results,
    };
    let cost = match arguments.get("pages") {
        0 => PageCost::of(arguments.get("page-ns"), true),
        _ => PageCost::BARE,
    };
    let kernels = (cost, arguments.get("calls") == 0);
    let visited = super::visit(&arguments.allocator, kernels, arguments.region_bytes, bench);
    if let Err(why) = visited {
        wrong(why);
    }
}

struct Seen {
    /// Of a pair; nothing if most requests were refused.
    ns: Option<f64>,
    /// Bytes that an object holds beyond those that were asked for.
    waste: Option<f64>,
    /// Per cent of the requests.
    refused: f64,
    /// Whether each request is a system call: its nanoseconds are no scale for the others'.
    is_slower: bool,
}

struct Bench<'a> {
    rng: Rng,
    slots: usize,
    pairs: u64,
    /// Times that the table is replaced before.
    settle: u64,
    ranges: Vec<(usize, usize)>,
    runs: u64,
    say: fn(&mut Results, (usize, usize), u64, &Seen),
    results: &'a mut Results,
}

type Slot<T> = Option<(T, usize)>;

impl Visit for Bench<'_> {
    fn visit<A: Serve>(mut self, mut heap: A) {
        let wanted = self.pairs.div_ceil(A::SLOWER.1);
        let mut pieces = Pieces::new(RUN, wanted / RUN);
        let (mut pairs, mut ns, mut refused) = (0, 0, 0);
        let mut peak = 0;
        for (low, high) in self.ranges {
            for run in 1..=self.runs {
                let mut range = Range {
                    heap: &mut heap,
                    rng: self.rng.clone(),
                    table: (0..self.slots.div_ceil(A::SLOWER.0)).map(|_| None).collect(),
                    low,
                    width: (high - low) as u64,
                    timed: &mut pieces,
                    requests: 0,
                    refused: 0,
                };
                range.heap.begin(high - 1);
                range.fill();
                if range.is_served() {
                    let settle = self.settle * range.table.len() as u64;
                    range.replace_marked(wanted / 4);
                    range.replace(settle / A::SLOWER.1);
                    range.timed.clear();
                    range.replace(wanted);
                }
                let waste = range.waste();
                peak = peak.max(range.empty());
                let Range { requests, refused: here, rng, .. } = range;
                self.rng = rng;
                let timed = pieces.all;
                // Of the few sizes of a range that were granted nothing is said.
                let is_granted = 2 * here < requests;
                let seen = Seen {
                    ns: pieces.each().filter(|_| is_granted),
                    waste,
                    refused: 100.0 * here as f64 / requests.max(1) as f64,
                    is_slower: A::SLOWER.1 > 1,
                };
                pieces.clear();
                (self.say)(self.results, (low, high), run, &seen);
                (pairs, ns, refused) = (pairs + timed.0, ns + timed.1, refused + here);
            }
        }
        self.results.work(2 * pairs, ns);
        self.results.peak_live(peak);
        self.results.refused(refused);
    }
}

struct Range<'a, A: Serve> {
    heap: &'a mut A,
    rng: Rng,
    table: Vec<Slot<A::Token>>,
    low: usize,
    width: u64,
    /// Pairs, and the nanoseconds that they took.
    timed: &'a mut Pieces,
    requests: u64,
    refused: u64,
}

impl<A: Serve> Range<'_, A> {
    /// No object of no bytes: some allocators have none.
    #[inline(always)]
    fn size(&self, random: u64) -> usize {
        (self.low + (((random >> 32) * self.width) >> 32) as usize).max(1)
    }

    #[inline(always)]
    fn place(&self, random: u64) -> usize {
        (((random & 0xffff_ffff) * self.table.len() as u64) >> 32) as usize
    }

    #[inline(always)]
    fn make(&mut self, size: usize) -> Slot<A::Token> {
        let made = self.heap.allocate(size);
        self.requests += 1;
        self.refused += u64::from(made.is_none());
        Some((made?, size))
    }

    fn fill(&mut self) {
        for at in 0..self.table.len() {
            let random = self.rng.next();
            let size = self.size(random);
            self.table[at] = self.make(size);
            self.mark(at);
        }
    }

    /// Whether anything was granted: else nothing of this range will be.
    fn is_served(&self) -> bool {
        self.table.iter().any(Option::is_some)
    }

    /// The first byte of an object and its last, and its size.
    fn ends(&mut self, at: usize, each: impl Fn(NonNull<u8>, usize)) {
        if size_of::<A::Token>() == 0 {
            return;
        }
        if let Some((token, size)) = self.table[at] {
            for offset in [0, size - 1] {
                // SAFETY: a live object of the table.
                let start = unsafe { self.heap.address(token) };
                // SAFETY: less than its size.
                each(unsafe { start.add(offset) }, size);
            }
        }
    }

    fn mark(&mut self, at: usize) {
        // SAFETY: the object's own.
        self.ends(at, |byte, _| unsafe { byte.write(low8(at)) });
    }

    /// Ends the program unless the bytes are as they were written.
    fn verify(&mut self, at: usize) {
        self.ends(at, |byte, size| {
            // SAFETY: `mark` wrote it.
            if unsafe { byte.read() } != low8(at) {
                wrong(format_args!("an object of {size} bytes was changed"));
            }
        });
    }

    /// Pairs that are not timed, of objects that are written to and checked.
    fn replace_marked(&mut self, pairs: u64) {
        for _ in 0..pairs {
            let random = self.rng.next();
            let at = self.place(random);
            self.verify(at);
            self.free(at);
            let size = self.size(random);
            self.table[at] = self.make(size);
            self.mark(at);
        }
        for at in 0..self.table.len() {
            self.verify(at);
        }
    }

    #[inline(always)]
    fn free(&mut self, at: usize) {
        if let Some((token, _)) = self.table[at].take() {
            // SAFETY: it was in the table, and is not any more.
            unsafe { self.heap.free(token) };
        }
    }

    #[inline(never)]
    fn replace(&mut self, pairs: u64) {
        let (mut run, mut begun) = (0, thread_cpu());
        for _ in 0..pairs {
            let random = self.rng.next();
            let at = self.place(random);
            if self.table[at].is_none() {
                // It was refused earlier: this is half a pair.
                self.timed.end(run, begun, thread_cpu());
                let size = self.size(random);
                self.table[at] = self.make(size);
                (run, begun) = (0, thread_cpu());
                continue;
            }
            self.free(at);
            let size = self.size(random);
            self.table[at] = self.make(size);
            if self.table[at].is_none() {
                // The free alone is no pair, and refusing is quick.
                (run, begun) = (0, thread_cpu());
                continue;
            }
            run += 1;
            if run == RUN {
                let now = thread_cpu();
                self.timed.end(run, begun, now);
                (run, begun) = (0, now);
            }
        }
        self.timed.end(run, begun, thread_cpu());
    }

    /// What the allocator says it holds; where it does not know, the pages that objects lie in. Less what was asked for, of an
    /// object. Nothing if most requests were refused.
    fn waste(&mut self) -> Option<f64> {
        let live: Vec<(A::Token, usize)> = self.table.iter().copied().flatten().collect();
        // What tables cost is not the cost of the few that were granted.
        if 2 * live.len() < self.table.len() || size_of::<A::Token>() == 0 {
            return None;
        }
        let asked: usize = live.iter().map(|(_, size)| size).sum();
        let held = self.heap.held().unwrap_or_else(|| {
            let mut pages = BTreeSet::new();
            for (token, size) in &live {
                // SAFETY: a live object of the table.
                let start = unsafe { self.heap.address(*token) }.addr().get();
                pages.extend(start / PAGE..=(start + size - 1) / PAGE);
            }
            pages.len() * PAGE
        });
        Some((held as f64 - asked as f64) / live.len() as f64)
    }

    fn empty(&mut self) -> usize {
        let bytes = self.table.iter().flatten().map(|(_, size)| size).sum();
        for at in 0..self.table.len() {
            self.free(at);
        }
        bytes
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lowest byte is what is wanted")]
const fn low8(number: usize) -> u8 {
    number as u8
}

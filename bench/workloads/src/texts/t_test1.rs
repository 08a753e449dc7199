//! `t-test1`: threads whose tables of blocks are filled and emptied at random, by every call there is (the ptmalloc
//! package's test; TCMalloc text, "PTMalloc2 unittest"), and the text's figures made with it.
//!
//! The null allocator shows about 10 ns a call: nobody can foresee whether a random slot is empty, and what is done to an
//! empty one is no call.

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all, table};
use crate::list::Workload;
use crate::results::Results;
use crate::rng::Rng;
use crate::{heap, threads};

/// One number of threads, one largest size.
pub(crate) const ONE: Workload = Workload {
    name: "t-test1",
    parameters: &[
        fixed("threads", 4, "threads"),
        fixed("largest", 10_000, "bytes of the largest block"),
        fixed("slots", 1000, "blocks of a thread, at most"),
        scaled("operations", 10_000_000, "slots that each thread fills or empties"),
    ],
    run: run_one,
};

/// The figures: operations a second against the largest size, a curve for each number of threads; and a second of processor time
/// against threads, a curve for each size.
pub(crate) const GRID: Workload = Workload {
    name: "t-test1-grid",
    parameters: &[
        fixed("slots", 100, "blocks of a thread, at most"),
        scaled("operations", 50_000, "slots that each thread fills or empties, for each point"),
    ],
    run: run_grid,
};

const THREADS: [usize; 9] = [1, 2, 3, 4, 5, 8, 12, 16, 20];
/// Its largest sizes: 64 bytes to 128 KiB, as powers of two.
const LARGEST: core::ops::RangeInclusive<u32> = 6..=17;

/// The most slots that are filled, or emptied, one after the other.
const BURST: u64 = 32;

fn run_one(arguments: &Arguments, results: &mut Results) {
    let get = |name| arguments.size(name);
    let (count, largest) = (get("threads"), get("largest").max(1));
    let work =
        Work { slots: get("slots").max(1), largest, operations: arguments.get("operations") };
    let done = work.threads(count, arguments.seed);
    results.work(done.calls, done.ns);
    results.peak_live(count * work.slots * largest / 4);
}

fn run_grid(arguments: &Arguments, results: &mut Results) {
    let (slots, operations) = (arguments.size("slots").max(1), arguments.get("operations"));
    let (mut calls, mut ns) = (0, 0);
    for count in THREADS {
        for doubling in LARGEST {
            let work = Work { slots, largest: 1 << doubling, operations };
            let refused = heap::refused();
            let done = work.threads(count, arguments.seed);
            let (largest, threads) = (work.largest as f64, count as f64);
            let all = threads * operations as f64 * 1e3;
            // Refusing is quick: a point would look good.
            if heap::refused() == refused {
                results.point(format_args!("threads={count}"), largest, all / done.ns as f64);
                let of_size = format_args!("largest={}", work.largest);
                results.point(of_size, threads, all / done.cpu as f64);
            }
            calls += done.calls;
            ns += done.ns;
        }
    }
    results.work(calls, ns);
    results.peak_live((THREADS[8] * slots) << (LARGEST.end() - 2));
}

struct Work {
    slots: usize,
    largest: usize,
    operations: u64,
}

/// What all threads did: calls of the allocator, nanoseconds, and nanoseconds of processors.
struct Done {
    calls: u64,
    ns: u64,
    cpu: u64,
}

impl Work {
    /// In `count` threads. Each reads the clock itself: a point of the grid is over sooner than the thread that waits
    /// for all of them may get a processor.
    fn threads(&self, count: usize, seed: u64) -> Done {
        let (each, _) = threads::together(count, |i| {
            let (begin, cpu) = (timing::now(), timing::thread_cpu());
            let calls = self.one(Rng::new(seed * 1000 + i as u64));
            (calls, timing::thread_cpu() - cpu, begin, timing::now())
        });
        let begin = each.iter().map(|(_, _, begin, _)| *begin).min().unwrap_or(0);
        let end = each.iter().map(|(.., end)| *end).max().unwrap_or(0);
        let cpu = each.iter().map(|(_, cpu, ..)| cpu).sum::<u64>().max(1);
        Done { calls: each.iter().map(|(calls, ..)| calls).sum(), ns: (end - begin).max(1), cpu }
    }

    /// In one thread; how many calls it made.
    fn one(&self, mut rng: Rng) -> u64 {
        let mut table = table(self.slots);
        let (mut left, mut calls) = (self.operations, 0);
        while left > 0 {
            let burst = (1 + rng.next() % BURST).min(left);
            for _ in 0..burst {
                let random = rng.next();
                let at = self.slot(random);
                calls += self.fill(&mut table[at], at as u64, random >> 32);
            }
            left -= burst;
            let burst = (1 + rng.next() % BURST).min(left);
            for _ in 0..burst {
                let at = self.slot(rng.next());
                calls += u64::from(!table[at].is_none());
                table[at].replace(|| Block::NONE);
            }
            left -= burst;
        }
        calls += table.iter().filter(|block| !block.is_none()).count() as u64;
        free_all(&mut table);
        calls
    }

    #[inline(always)]
    fn slot(&self, random: u64) -> usize {
        (((random & 0xffff_ffff) * self.slots as u64) >> 32) as usize
    }

    /// A new block in a slot, by one of the calls as 32 random bits say; how many calls it took.
    #[inline(always)]
    fn fill(&self, block: &mut Block, key: u64, random: u64) -> u64 {
        let size = 1 + (((random >> 10) * self.largest as u64) >> 22) as usize;
        let before = u64::from(!block.is_none());
        match random & 1023 {
            // Of 1024: 4, 16 and 80; the others are malloc.
            kind @ 0..4 => block.replace(|| Block::aligned(32 << (2 * kind), size, key)),
            4..20 => block.replace(|| Block::zeroed(size, key)),
            20..100 => {
                block.resize(size, key);
                return 1;
            }
            _ => block.replace(|| Block::new(size, key)),
        }
        before + 1
    }
}

//! How long single calls take: every call timed, counted in bins whose width is an eighth of their value.
//!
//! The counters are shared by all threads; adding to them is no part of a call's time, reading the time stamps is (what they
//! cost on this machine is subtracted).

use core::fmt::Write;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::clock;
use crate::out::Out;

/// Bins of a doubling.
const STEPS: u64 = 8;
/// More than any counter's bits need.
const BINS: usize = 512;

static CALLS: [[AtomicU64; BINS]; 2] = [const { [const { AtomicU64::new(0) }; BINS] }; 2];
/// Of each kind the ticks of the slowest call; and the calls of all threads before the epoch in which it was.
static SLOWEST: [[AtomicU64; 2]; 2] = [const { [const { AtomicU64::new(0) }; 2] }; 2];
/// The calls before the epoch that is open.
static BEFORE: AtomicU64 = AtomicU64::new(0);
/// What reading the counter twice takes, at least.
static OVERHEAD: AtomicU64 = AtomicU64::new(0);

/// What is timed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// malloc, calloc, realloc, `posix_memalign`.
    Malloc,
    /// free.
    Free,
}

const NAMES: [&str; 2] = ["malloc", "free"];

/// Finds what reading the counter takes, and touches the bins.
pub(crate) fn start() {
    let least = (0..1000).map(|_| {
        let before = clock::ticks();
        clock::ticks() - before
    });
    OVERHEAD.store(least.min().unwrap_or(0), Ordering::Relaxed);
    for bin in CALLS.iter().flatten() {
        bin.store(0, Ordering::Relaxed);
    }
}

/// Calls `f`, and counts how long it took.
#[inline(always)]
pub(crate) fn timed<T>(kind: Kind, f: impl FnOnce() -> T) -> T {
    let before = clock::ticks();
    let value = f();
    let took = clock::ticks().wrapping_sub(before);
    count(kind, took.saturating_sub(OVERHEAD.load(Ordering::Relaxed)));
    value
}

fn count(kind: Kind, took: u64) {
    CALLS[kind as usize][bin(took)].fetch_add(1, Ordering::Relaxed);
    let [slowest, which] = &SLOWEST[kind as usize];
    // Of two threads that meet here, one may leave the other's place: both were among the slowest.
    if took > slowest.load(Ordering::Relaxed) && slowest.fetch_max(took, Ordering::Relaxed) < took {
        which.store(BEFORE.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// The bin of a duration: all below `STEPS` exactly, then `STEPS` to a doubling.
fn bin(ticks: u64) -> usize {
    let bin = if ticks < STEPS {
        ticks
    } else {
        let doubling = u64::from(ticks.ilog2() - STEPS.ilog2());
        STEPS * (doubling + 1) + ((ticks >> doubling) - STEPS)
    };
    usize::try_from(bin).unwrap_or(BINS - 1).min(BINS - 1)
}

/// The end of a bin.
fn end(bin: usize) -> f64 {
    let bin = bin as u64;
    if bin < STEPS {
        return (bin + 1) as f64;
    }
    let doubling = u32::try_from(bin / STEPS - 1).unwrap_or(0);
    (bin % STEPS + STEPS + 1) as f64 * f64::from(doubling).exp2()
}

/// An epoch opens.
pub(crate) fn after(calls: u64) {
    BEFORE.store(calls, Ordering::Relaxed);
}

/// Writes what was counted, and of each kind the slowest call's time, and about how many calls were before it.
pub(crate) fn write(out: &mut Out) {
    let ns_per_tick = 1e9 / clock::ticks_per_second();
    for (kind, (name, bins)) in NAMES.iter().zip(&CALLS).enumerate() {
        for (i, n) in bins.iter().enumerate() {
            let n = n.load(Ordering::Relaxed);
            if n > 0 {
                let _ = writeln!(out, "hist {name} {:.1} {n}", end(i) * ns_per_tick);
            }
        }
        let [slowest, which] = SLOWEST[kind].each_ref().map(|n| n.load(Ordering::Relaxed));
        if slowest > 0 {
            let ns = slowest as f64 * ns_per_tick;
            let _ = writeln!(out, "slowest {name} {ns:.0} {which}");
        }
    }
}

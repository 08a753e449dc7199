//! How long single calls take: every call timed, counted in bins whose width is an eighth of their value.
//!
//! The counters are shared by all threads; adding to them is no part of a call's time, reading the time stamps is (what they
//! cost on this machine is subtracted).

use core::fmt::Write;
use core::sync::atomic::{AtomicU64, Ordering};

use timing::Bins;

use crate::out::Out;

static CALLS: [Bins; 2] = [const { Bins::new() }; 2];
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
    OVERHEAD.store(timing::overhead(), Ordering::Relaxed);
    CALLS.iter().for_each(Bins::clear);
}

/// Calls `f`, and counts how long it took.
#[inline(always)]
pub(crate) fn timed<T>(kind: Kind, f: impl FnOnce() -> T) -> T {
    let before = timing::ticks();
    let value = f();
    let took = timing::ticks().wrapping_sub(before);
    count(kind, took.saturating_sub(OVERHEAD.load(Ordering::Relaxed)));
    value
}

fn count(kind: Kind, took: u64) {
    CALLS[kind as usize].count(took);
    let [slowest, which] = &SLOWEST[kind as usize];
    // Of two threads that meet here, one may leave the other's place: both were among the slowest.
    if took > slowest.load(Ordering::Relaxed) && slowest.fetch_max(took, Ordering::Relaxed) < took {
        which.store(BEFORE.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// An epoch opens.
pub(crate) fn after(calls: u64) {
    BEFORE.store(calls, Ordering::Relaxed);
}

/// Writes what was counted, and of each kind the slowest call's time, and about how many calls were before it.
pub(crate) fn write(out: &mut Out) {
    let ns_per_tick = 1e9 / timing::ticks_per_second();
    for (kind, (name, bins)) in NAMES.iter().zip(&CALLS).enumerate() {
        for (end, n) in bins.counted() {
            let _ = writeln!(out, "hist {name} {:.1} {n}", end * ns_per_tick);
        }
        let [slowest, which] = SLOWEST[kind].each_ref().map(|n| n.load(Ordering::Relaxed));
        if slowest > 0 {
            let ns = slowest as f64 * ns_per_tick;
            let _ = writeln!(out, "slowest {name} {ns:.0} {which}");
        }
    }
}

//! How long single calls take: every call timed, counted in bins whose width is an eighth of their value, apart for each size of
//! block; and how long all calls of a period take together, from a mark to the next.
//!
//! The counters are shared by all threads; adding to them is no part of a call's time, reading the time stamps is (what they
//! cost on this machine is subtracted).

use core::fmt::Write;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use timing::{Bins, BySize};

use crate::map;
use crate::out::Out;
use crate::shared::shared;

static CALLS: [BySize; 2] = [const { BySize::new() }; 2];
static PERIODS: Bins = Bins::new();
/// The ticks of all periods' longest.
static LONGEST: AtomicU64 = AtomicU64::new(0);
/// Periods that took longer than they may, and the ticks that they may take.
static MISSED: AtomicU64 = AtomicU64::new(0);
static LIMIT: AtomicU64 = AtomicU64::new(u64::MAX);
/// Of each kind the ticks of the slowest call; and the calls of all threads before the epoch in which it was.
static SLOWEST: [[AtomicU64; 2]; 2] = [const { [const { AtomicU64::new(0) }; 2] }; 2];
/// The calls before the epoch that is open.
static BEFORE: AtomicU64 = AtomicU64::new(0);
/// What reading the counter twice takes, at least.
static OVERHEAD: AtomicU64 = AtomicU64::new(0);
/// By slot, the size of the block that is in it.
static SIZES: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// malloc, calloc, realloc, `posix_memalign`.
    Malloc,
    Free,
}

const NAMES: [&str; 2] = ["malloc", "free"];

/// Finds what reading the counter takes, touches the bins, and has room for the sizes of so many slots.
pub(crate) fn prepare(slots: usize, limit_ns: Option<u64>) {
    OVERHEAD.store(timing::overhead(), Ordering::Relaxed);
    CALLS.iter().for_each(BySize::clear);
    PERIODS.clear();
    SIZES.store(map::zeroed(slots), Ordering::Relaxed);
    if let Some(ns) = limit_ns {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a time in ticks; `as` saturates"
        )]
        let ticks = (ns as f64 * timing::ticks_per_second() / 1e9) as u64;
        LIMIT.store(ticks, Ordering::Relaxed);
    }
}

/// The slot has a block of this size; of 4 GiB or more it is not known.
pub(crate) fn keep_size(slot: usize, size: usize) {
    place(slot).store(u32::try_from(size).unwrap_or(0), Ordering::Relaxed);
}

/// The size of a slot's block, 0 if it is not known.
pub(crate) fn size_of(slot: usize) -> usize {
    place(slot).load(Ordering::Relaxed) as usize
}

fn place(slot: usize) -> &'static AtomicU32 {
    let sizes = SIZES.load(Ordering::Relaxed);
    // SAFETY: there is room for all slots of the plan, for good.
    unsafe { &*sizes.wrapping_add(slot) }
}

/// The calls of a thread since its last mark.
#[derive(Debug, Default)]
pub(crate) struct Period {
    /// Ticks; nothing before the first mark.
    spent: Option<u64>,
}

impl Period {
    /// Ends the one before, if there was one.
    pub(crate) fn begin(&mut self) {
        if let Some(spent) = self.spent.replace(0) {
            PERIODS.count(spent);
            LONGEST.fetch_max(spent, Ordering::Relaxed);
            if spent > LIMIT.load(Ordering::Relaxed) {
                MISSED.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Calls `f`, and counts how long it took.
    #[inline(always)]
    pub(crate) fn timed<T>(&mut self, kind: Kind, size: usize, f: impl FnOnce() -> T) -> T {
        let before = timing::ticks();
        let value = f();
        let took = timing::ticks().wrapping_sub(before);
        let took = took.saturating_sub(OVERHEAD.load(Ordering::Relaxed));
        count(kind, size, took);
        if let Some(spent) = &mut self.spent {
            *spent += took;
        }
        value
    }
}

fn count(kind: Kind, size: usize, took: u64) {
    CALLS[kind as usize].count(size, took);
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
        for (end, n) in bins.all() {
            let _ = writeln!(out, "hist {name} {:.1} {n}", end * ns_per_tick);
        }
        for (size, end, n) in bins.each() {
            let _ = writeln!(out, "sized {name} {size} {:.1} {n}", end * ns_per_tick);
        }
        let [slowest, which] = SLOWEST[kind].each_ref().map(|n| n.load(Ordering::Relaxed));
        if slowest > 0 {
            let ns = slowest as f64 * ns_per_tick;
            let _ = writeln!(out, "slowest {name} {ns:.0} {which}");
        }
    }
    write_periods(out, ns_per_tick);
}

fn write_periods(out: &mut Out, ns_per_tick: f64) {
    let mut all = 0;
    for (end, n) in PERIODS.counted() {
        let _ = writeln!(out, "hist period {:.1} {n}", end * ns_per_tick);
        all += n;
    }
    if all == 0 {
        return;
    }
    let us = LONGEST.load(Ordering::Relaxed) as f64 * ns_per_tick / 1e3;
    let missed = MISSED.load(Ordering::Relaxed);
    let _ = writeln!(out, "value periods {all} count\nvalue worst_period_us {us:.1} us");
    if let Some(ns) = shared().options.limit {
        let _ = writeln!(out, "limit period {ns}\nvalue missed_deadlines {missed} count");
    }
}

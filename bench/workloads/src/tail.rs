//! How long single calls take: every call timed, counted in bins whose width is an eighth of their value, apart for each size of
//! block.
//!
//! The counters are shared by all threads; adding to them is not part of a call's time, reading the time stamps is
//! (what they cost on this machine is subtracted). Nothing here calls malloc while calls are counted.
//!
//! If asked, the slowest call is kept too of those in which the system did nothing with the thread: no page was touched for
//! the first time, and no other thread got its processor. That takes a system call in front of every call.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::io::{self, Write};

use timing::BySize;

static ON: AtomicBool = AtomicBool::new(false);
static CALLS: [BySize; 2] = [const { BySize::new() }; 2];
/// Whether [`SLOWEST`] is kept, and the ticks of the slowest undisturbed call of each kind.
static APART: AtomicBool = AtomicBool::new(false);
static SLOWEST: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// What reading the counter twice takes, at least.
static OVERHEAD: AtomicU64 = AtomicU64::new(0);

#[derive(Debug, Clone, Copy)]
pub(crate) enum Call {
    /// malloc, calloc, realloc, `aligned_alloc`.
    Malloc,
    Free,
}

const NAMES: [&str; 2] = ["malloc", "free"];

/// From now on [`timed`] counts; with `apart` it keeps the slowest undisturbed call too.
pub(crate) fn start(apart: bool) {
    APART.store(apart, Ordering::Relaxed);
    OVERHEAD.store(timing::overhead(), Ordering::Relaxed);
    ON.store(true, Ordering::Relaxed);
}

pub(crate) fn stop() {
    ON.store(false, Ordering::Relaxed);
}

/// Calls `f`, and counts how long it took for a block of `size`; 0: that is not known.
#[inline]
pub(crate) fn timed<T>(call: Call, size: usize, f: impl FnOnce() -> T) -> T {
    if !ON.load(Ordering::Relaxed) {
        return f();
    }
    let done = APART.load(Ordering::Relaxed).then(Disturbances::so_far);
    let before = timing::ticks();
    let value = f();
    let took = timing::ticks().wrapping_sub(before);
    let took = took.saturating_sub(OVERHEAD.load(Ordering::Relaxed));
    CALLS[call as usize].count(size, took);
    let slowest = &SLOWEST[call as usize];
    if done.is_some_and(|done| {
        took > slowest.load(Ordering::Relaxed) && done == Disturbances::so_far()
    }) {
        slowest.fetch_max(took, Ordering::Relaxed);
    }
    value
}

/// What the system did with the calling thread that takes time and is not the allocator's doing.
#[derive(Debug, PartialEq, Eq)]
struct Disturbances {
    /// Page faults: those served from memory, and from a disk.
    faults: [libc::c_long; 2],
    /// How often another thread got its processor though it did not wait.
    preempted: libc::c_long,
}

impl Disturbances {
    fn so_far() -> Self {
        let mut usage = core::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the out-pointer is to a live local; the call only fails for a bad pointer or name.
        unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
        // SAFETY: all of it are numbers, and zero is one.
        let usage = unsafe { usage.assume_init() };
        Self { faults: [usage.ru_minflt, usage.ru_majflt], preempted: usage.ru_nivcsw }
    }
}

pub(crate) fn write(to: &mut impl Write) -> io::Result<()> {
    if CALLS.iter().all(|bins| bins.all().next().is_none()) {
        return Ok(());
    }
    let ns_per_tick = 1e9 / timing::ticks_per_second();
    for (name, bins) in NAMES.iter().zip(&CALLS) {
        for (end, n) in bins.all() {
            writeln!(to, "hist {name} {:.1} {n}", end * ns_per_tick)?;
        }
        for (size, end, n) in bins.each() {
            writeln!(to, "sized {name} {size} {:.1} {n}", end * ns_per_tick)?;
        }
    }
    if APART.load(Ordering::Relaxed) {
        for (name, slowest) in NAMES.iter().zip(&SLOWEST) {
            let ns = slowest.load(Ordering::Relaxed) as f64 * ns_per_tick;
            writeln!(to, "slowest {name} {ns:.0}")?;
        }
    }
    Ok(())
}

//! Time as measured programs read it: clocks, a counter that is quick to read, and bins for what single calls took. Nothing here
//! calls malloc.
//!
//! ```text
//! ticks ─► the call ─► ticks    less overhead ─► bin ─► end of the bin, times 1e9 / ticks_per_second ─► ns
//! ```

use core::sync::atomic::{AtomicU64, Ordering};

/// Nanoseconds of the monotonic clock.
pub fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds that the calling thread has had a processor.
pub fn thread_cpu() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the out-pointer is to a live local.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// A counter that is quick to read; see [`ticks_per_second`].
#[inline(always)]
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 processor counts.
        unsafe { core::arch::x86_64::_rdtsc() }
    }
    #[cfg(not(target_arch = "x86_64"))]
    now()
}

/// How fast [`ticks`] counts. Cost: twenty milliseconds.
pub fn ticks_per_second() -> f64 {
    let (clock, count) = (now(), ticks());
    while now() - clock < 20_000_000 {}
    let (clock, count) = (now() - clock, ticks() - count);
    count as f64 * 1e9 / clock as f64
}

/// What reading the counter twice takes, at least.
pub fn overhead() -> u64 {
    let reading = |_| {
        let before = ticks();
        ticks() - before
    };
    (0..1000).map(reading).min().unwrap_or(0)
}

/// Bins of a doubling: their width is an eighth of their value.
const STEPS: u64 = 8;
/// More than any counter's bits need.
const BINS: usize = 512;
const _: () = assert!(BINS as u64 == 64 * STEPS);

/// How many calls took how many ticks. Shared by all threads.
#[derive(Debug)]
pub struct Bins([AtomicU64; BINS]);

impl Bins {
    /// Nothing counted. Of a new one no page has been touched.
    pub const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; BINS])
    }

    /// Counts nothing from now on, and has been written to.
    pub fn clear(&self) {
        self.0.iter().for_each(|bin| bin.store(0, Ordering::Relaxed));
    }

    /// A call took this many ticks.
    #[inline(always)]
    pub fn count(&self, ticks: u64) {
        self.0[bin(ticks)].fetch_add(1, Ordering::Relaxed);
    }

    /// The ticks at which a bin ends, and how many calls are in it; those without a call are left out.
    pub fn counted(&self) -> impl Iterator<Item = (f64, u64)> {
        let all = self.0.iter().enumerate().map(|(i, n)| (end(i), n.load(Ordering::Relaxed)));
        all.filter(|(_, n)| *n > 0)
    }
}

/// Classes of sizes: two to a doubling, and one for sizes that are not known.
const SIZES: usize = 2 * 40;

/// How many calls took how many ticks, apart for each size of block. Shared by all threads.
#[derive(Debug)]
pub struct BySize([Bins; SIZES]);

impl BySize {
    /// Nothing counted. Of a new one no page has been touched.
    pub const fn new() -> Self {
        Self([const { Bins::new() }; SIZES])
    }

    /// Counts nothing from now on, and has been written to.
    pub fn clear(&self) {
        self.0.iter().for_each(Bins::clear);
    }

    /// A call for a block of `size` took this many ticks; a size of 0 is not known.
    #[inline(always)]
    pub fn count(&self, size: usize, ticks: u64) {
        self.0[class(size)].count(ticks);
    }

    /// All calls, as [`Bins::counted`].
    pub fn all(&self) -> impl Iterator<Item = (f64, u64)> {
        let of =
            |at: usize| self.0.iter().map(move |bins| bins.0[at].load(Ordering::Relaxed)).sum();
        (0..BINS).map(move |at| (end(at), of(at))).filter(|(_, n)| *n > 0)
    }

    /// The least size of a class, the ticks at which a bin ends, and how many calls are in it. Calls for sizes that are not known
    /// are left out.
    pub fn each(&self) -> impl Iterator<Item = (usize, f64, u64)> {
        let classes = self.0.iter().enumerate().skip(1);
        classes.flat_map(|(at, bins)| bins.counted().map(move |(end, n)| (least(at), end, n)))
    }
}

/// The class of a size: 0 for none, then 1, 2, 3, 4, 6, 8, 12, 16 …
#[inline(always)]
fn class(size: usize) -> usize {
    if size == 0 {
        return 0;
    }
    let doubling = size.ilog2();
    let upper = doubling > 0 && size >> (doubling - 1) & 1 == 1;
    (2 * doubling as usize + usize::from(upper) + 1).min(SIZES - 1)
}

/// The least size of a class above 0.
fn least(class: usize) -> usize {
    let half = class - 1;
    (1 << (half / 2)) + half % 2 * (1 << (half / 2) >> 1)
}

/// The bin of a duration: all below `STEPS` exactly, then `STEPS` to a doubling.
#[inline(always)]
fn bin(ticks: u64) -> usize {
    let bin = if ticks < STEPS {
        ticks
    } else {
        let doubling = u64::from(ticks.ilog2() - STEPS.ilog2());
        STEPS * (doubling + 1) + ((ticks >> doubling) - STEPS)
    };
    usize::try_from(bin).unwrap_or(BINS - 1).min(BINS - 1)
}

fn end(bin: usize) -> f64 {
    let bin = bin as u64;
    if bin < STEPS {
        return (bin + 1) as f64;
    }
    let doubling = u32::try_from(bin / STEPS - 1).unwrap_or(0);
    (bin % STEPS + STEPS + 1) as f64 * f64::from(doubling).exp2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_classes_to_a_doubling() {
        for size in (2..5000).chain([1 << 20, (1 << 20) + 1, 1 << 45]) {
            let of = class(size);
            assert!(least(of) <= size, "{size}");
            assert!(of == SIZES - 1 || size < least(of + 1), "{size}");
        }
        let counted = BySize::new();
        for (size, ticks) in [(0, 5), (24, 5), (31, 5), (31, 100), (32, 7)] {
            counted.count(size, ticks);
        }
        let sizes: Vec<(usize, u64)> = counted.each().map(|(size, _, n)| (size, n)).collect();
        assert_eq!(sizes, [(24, 2), (24, 1), (32, 1)]);
        assert_eq!(counted.all().map(|(_, n)| n).collect::<Vec<_>>(), [3, 1, 1]);
    }

    #[test]
    fn bins_are_narrow_and_in_order() {
        let mut last = 0;
        for ticks in (0..5000).chain([1 << 20, 1 << 50]) {
            let at = bin(ticks);
            assert!(at >= last);
            last = at;
            assert!(end(at) > ticks as f64, "{ticks}");
            assert!(end(at) <= (ticks as f64 + 1.0) * 1.13, "{ticks}: {}", end(at));
        }
    }
}

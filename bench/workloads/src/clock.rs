//! Time, without a call of malloc.

pub(crate) fn now() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// Nanoseconds that the calling thread has had a processor.
pub(crate) fn thread_cpu() -> u64 {
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
pub(crate) fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 processor counts.
        unsafe { core::arch::x86_64::_rdtsc() }
    }
    #[cfg(not(target_arch = "x86_64"))]
    now()
}

/// How fast [`ticks`] counts. Cost: twenty milliseconds.
pub(crate) fn ticks_per_second() -> f64 {
    let (clock, count) = (now(), ticks());
    while now() - clock < 20_000_000 {}
    let (clock, count) = (now() - clock, ticks() - count);
    count as f64 * 1e9 / clock as f64
}

//! Time, without a call of malloc.

/// Nanoseconds of the monotonic clock.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the out-pointer is to a live local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Waits until that clock says `until`.
pub(crate) fn sleep_until(until: u64) {
    let part = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let time = libc::timespec {
        tv_sec: part(until / 1_000_000_000),
        tv_nsec: part(until % 1_000_000_000),
    };
    while now() < until {
        // SAFETY: the time is a live local, and what remains is not asked for.
        unsafe {
            libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                libc::TIMER_ABSTIME,
                &raw const time,
                core::ptr::null_mut(),
            )
        };
    }
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

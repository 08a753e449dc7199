//! Waiting for a time, without a call of malloc.

use timing::now;

/// Waits until the monotonic clock says `until`.
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

//! Time in the processor's ticks: near enough to an operation of twenty nanoseconds.
use core::time::Duration;
use std::sync::OnceLock;
use std::time::Instant;

/// Ticks since some time.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut core = 0;
        // SAFETY: every x86-64 that runs Linux has the instruction.
        unsafe { core::arch::x86_64::__rdtscp(&raw mut core) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        static START: OnceLock<Instant> = OnceLock::new();
        u64::try_from(START.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Nanoseconds in a tick.
pub(crate) fn nanoseconds() -> f64 {
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        let (start, first) = (Instant::now(), ticks());
        while start.elapsed() < Duration::from_millis(50) {
            core::hint::spin_loop();
        }
        let passed = ticks() - first;
        start.elapsed().as_secs_f64() * 1e9 / passed as f64
    })
}

/// Ticks that two readings in a row are apart: the least of many.
pub(crate) fn overhead() -> u64 {
    static LEAST: OnceLock<u64> = OnceLock::new();
    *LEAST.get_or_init(|| (0..10_000).map(|_| ticks().abs_diff(ticks())).min().unwrap_or(0))
}

/// The `share` of the sorted values, in nanoseconds less the overhead of reading the clock.
pub(crate) fn quantile(sorted: &[u64], share: f64) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length is an index"
    )]
    let at = ((sorted.len() as f64 * share) as usize).min(sorted.len() - 1);
    sorted[at].saturating_sub(overhead()) as f64 * nanoseconds()
}

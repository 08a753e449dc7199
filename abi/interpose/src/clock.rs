//! The recorder's clock: the processor's counter, in units of 64 ticks.

use trace_format::TICK_SHIFT;

/// Now, in units of the recorder's clock.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn now() -> u64 {
    // SAFETY: every processor of x86-64 has the counter.
    let ticks = unsafe { core::arch::x86_64::_rdtsc() };
    ticks >> TICK_SHIFT
}

/// Now, in units of the recorder's clock.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(crate) fn now() -> u64 {
    let ticks: u64;
    // SAFETY: reads a counter that Linux lets programs read.
    unsafe {
        core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    }
    ticks >> TICK_SHIFT
}

//! The recorder's clock: the processor's counter, in units of 64 ticks.
//!
//! A processor may read the counter before it has got what it waits for: a free may be stamped some tens of nanoseconds before the
//! block came from the other thread. Waiting for that would take as long as the rest of an event; who packs the recording sees the
//! addresses and puts such events in order.

use trace_format::TICK_SHIFT;

/// Now, in units of the recorder's clock.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn now() -> u64 {
    // SAFETY: every processor of x86-64 has the counter.
    let ticks = unsafe { core::arch::x86_64::_rdtsc() };
    ticks >> TICK_SHIFT
}

/// Now, in units of the recorder's clock.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn now() -> u64 {
    let ticks: u64;
    // SAFETY: reads a counter that Linux lets programs read.
    unsafe {
        core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    }
    ticks >> TICK_SHIFT
}

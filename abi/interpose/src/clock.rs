//! The recorder's clock: the processor's counter, in units of 64 ticks.
//!
//! A processor may read the counter before it has got what it waits for: a free would be stamped before the block came from the
//! other thread, and so before its malloc. In a process with threads each reading therefore waits for the loads before it (some
//! 10 ns); of one thread alone the events are in order as they are written.

use trace_format::TICK_SHIFT;

use crate::session;

/// Now, in units of the recorder's clock.
#[inline(always)]
pub(crate) fn now() -> u64 {
    if session::has_threads() {
        wait_for_loads();
    }
    ticks() >> TICK_SHIFT
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn wait_for_loads() {
    // SAFETY: every processor of x86-64 has the instruction.
    unsafe { core::arch::x86_64::_mm_lfence() };
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ticks() -> u64 {
    // SAFETY: every processor of x86-64 has the counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn wait_for_loads() {
    // SAFETY: an instruction that waits, and changes nothing.
    unsafe { core::arch::asm!("dsb ld", "isb", options(nostack, preserves_flags)) };
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn ticks() -> u64 {
    let ticks: u64;
    // SAFETY: reads a counter that Linux lets programs read.
    unsafe {
        core::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack, preserves_flags));
    }
    ticks
}

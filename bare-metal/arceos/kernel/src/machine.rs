//! The processor's counter, and a word with the firmware.

use core::arch::asm;

/// Our firmware's own call, in the space that SBI leaves to it.
const VERDICT: usize = 0x0A00_0001;

pub(crate) fn instructions() -> u64 {
    let count;
    // SAFETY: reads a counter, which the firmware permits.
    unsafe { asm!("rdinstret {}", out(reg) count, options(nomem, nostack)) };
    count
}

pub(crate) fn passed() {
    // SAFETY: an SBI call: changes a0 and a1.
    unsafe { asm!("ecall", in("a7") VERDICT, in("a6") 0, lateout("a0") _, lateout("a1") _) };
}

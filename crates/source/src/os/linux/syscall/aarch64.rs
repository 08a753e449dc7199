//! aarch64: number in x8, arguments in x0 … x5.

/// Which word of four bytes of `struct stat` is the file's mode.
pub(in crate::os::linux) const STAT_MODE: usize = 4;

/// Enters the kernel.
/// The caller promises: the call and its arguments do nothing that memory owned by others forbids.
#[inline]
pub(in crate::os::linux) unsafe fn call6(number: usize, args: [usize; 6]) -> usize {
    let answer;
    // SAFETY: the caller vouches for the call; the kernel keeps all other registers.
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") args[0] => answer,
            in("x1") args[1],
            in("x2") args[2],
            in("x3") args[3],
            in("x4") args[4],
            in("x5") args[5],
            options(nostack),
        );
    }
    answer
}

/// The address that tells threads apart: the thread control block.
#[inline]
pub(in crate::os::linux) fn thread_pointer() -> usize {
    let address;
    // SAFETY: reading the thread register has no effect.
    unsafe {
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) address, options(pure, nomem, nostack, preserves_flags));
    }
    address
}

//! x86-64: number in rax, arguments in rdi rsi rdx r10 r8 r9.

/// Which word of four bytes of `struct stat` is the file's mode.
pub(in crate::os::linux) const STAT_MODE: usize = 6;

/// Enters the kernel.
/// The caller promises: the call and its arguments do nothing that memory owned by others forbids.
#[inline]
pub(in crate::os::linux) unsafe fn call6(number: usize, args: [usize; 6]) -> usize {
    let answer;
    // SAFETY: the caller vouches for the call; the clobbers are the kernel's own.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number => answer,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// The address that tells threads apart: the thread control block.
#[inline]
pub(in crate::os::linux) fn thread_pointer() -> usize {
    let address;
    // SAFETY: the x86-64 ABI keeps the block's own address in its first word.
    unsafe {
        core::arch::asm!("mov {}, fs:[0]", out(reg) address, options(pure, readonly, nostack, preserves_flags));
    }
    address
}

//! x86-64: number in rax, arguments in rdi rsi rdx r10 r8 r9.

/// System call numbers (Linux, arch/x86/entry/syscalls).
pub(in crate::os::linux) mod number {
    pub(in crate::os::linux) const READ: usize = 0;
    pub(in crate::os::linux) const WRITE: usize = 1;
    pub(in crate::os::linux) const CLOSE: usize = 3;
    pub(in crate::os::linux) const FSTAT: usize = 5;
    pub(in crate::os::linux) const MMAP: usize = 9;
    pub(in crate::os::linux) const MPROTECT: usize = 10;
    pub(in crate::os::linux) const MUNMAP: usize = 11;
    pub(in crate::os::linux) const RT_SIGPROCMASK: usize = 14;
    pub(in crate::os::linux) const MREMAP: usize = 25;
    pub(in crate::os::linux) const FCNTL: usize = 72;
    pub(in crate::os::linux) const MINCORE: usize = 27;
    pub(in crate::os::linux) const MADVISE: usize = 28;
    pub(in crate::os::linux) const NANOSLEEP: usize = 35;
    pub(in crate::os::linux) const GETPID: usize = 39;
    pub(in crate::os::linux) const GETTID: usize = 186;
    pub(in crate::os::linux) const GETPPID: usize = 110;
    pub(in crate::os::linux) const SYSINFO: usize = 99;
    pub(in crate::os::linux) const FUTEX: usize = 202;
    pub(in crate::os::linux) const CLOCK_GETTIME: usize = 228;
    pub(in crate::os::linux) const PRCTL: usize = 157;
    pub(in crate::os::linux) const UNSHARE: usize = 272;
    pub(in crate::os::linux) const OPENAT: usize = 257;
    pub(in crate::os::linux) const UNLINKAT: usize = 263;
    pub(in crate::os::linux) const RENAMEAT: usize = 264;
    pub(in crate::os::linux) const PRLIMIT64: usize = 302;
    pub(in crate::os::linux) const PROCESS_VM_READV: usize = 310;
    pub(in crate::os::linux) const EXIT: usize = 60;
    pub(in crate::os::linux) const STATX: usize = 332;
    pub(in crate::os::linux) const PROCESS_MADVISE: usize = 440;
    pub(in crate::os::linux) const KCMP: usize = 312;
    pub(in crate::os::linux) const MEMFD_CREATE: usize = 319;
    pub(in crate::os::linux) const FTRUNCATE: usize = 77;
    pub(in crate::os::linux) const FALLOCATE: usize = 285;
    pub(in crate::os::linux) const SCHED_GETAFFINITY: usize = 204;
    pub(in crate::os::linux) const GETRANDOM: usize = 318;
}

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

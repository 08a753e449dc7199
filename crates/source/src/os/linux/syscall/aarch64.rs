//! aarch64: number in x8, arguments in x0 … x5.

/// System call numbers (Linux, include/uapi/asm-generic/unistd.h).
pub(in crate::os::linux) mod number {
    pub(in crate::os::linux) const READ: usize = 63;
    pub(in crate::os::linux) const WRITE: usize = 64;
    pub(in crate::os::linux) const CLOSE: usize = 57;
    pub(in crate::os::linux) const FSTAT: usize = 80;
    pub(in crate::os::linux) const MMAP: usize = 222;
    pub(in crate::os::linux) const MPROTECT: usize = 226;
    pub(in crate::os::linux) const MUNMAP: usize = 215;
    pub(in crate::os::linux) const RT_SIGPROCMASK: usize = 135;
    pub(in crate::os::linux) const MREMAP: usize = 216;
    pub(in crate::os::linux) const FCNTL: usize = 25;
    pub(in crate::os::linux) const MINCORE: usize = 232;
    pub(in crate::os::linux) const MADVISE: usize = 233;
    pub(in crate::os::linux) const GETPID: usize = 172;
    pub(in crate::os::linux) const GETTID: usize = 178;
    pub(in crate::os::linux) const GETPPID: usize = 173;
    pub(in crate::os::linux) const SYSINFO: usize = 179;
    pub(in crate::os::linux) const UNSHARE: usize = 97;
    pub(in crate::os::linux) const FUTEX: usize = 98;
    pub(in crate::os::linux) const NANOSLEEP: usize = 101;
    pub(in crate::os::linux) const CLOCK_GETTIME: usize = 113;
    pub(in crate::os::linux) const PRCTL: usize = 167;
    pub(in crate::os::linux) const OPENAT: usize = 56;
    pub(in crate::os::linux) const UNLINKAT: usize = 35;
    pub(in crate::os::linux) const RENAMEAT: usize = 38;
    pub(in crate::os::linux) const PRLIMIT64: usize = 261;
    pub(in crate::os::linux) const PROCESS_VM_READV: usize = 270;
    pub(in crate::os::linux) const EXIT: usize = 93;
    pub(in crate::os::linux) const STATX: usize = 291;
    pub(in crate::os::linux) const PROCESS_MADVISE: usize = 440;
    pub(in crate::os::linux) const KCMP: usize = 272;
    pub(in crate::os::linux) const MEMFD_CREATE: usize = 279;
    pub(in crate::os::linux) const FTRUNCATE: usize = 46;
    pub(in crate::os::linux) const FALLOCATE: usize = 47;
    pub(in crate::os::linux) const SCHED_GETAFFINITY: usize = 123;
    pub(in crate::os::linux) const GETRANDOM: usize = 278;
}

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

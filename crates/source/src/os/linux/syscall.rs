//! Raw system calls: the kernel's numbers and the instruction that enters it.
//!
//! A program can have the kernel hand it all calls but those made by one range of instructions, the C library's as a rule
//! (`PR_SET_SYSCALL_USER_DISPATCH`, for emulators). Then ours are made by the C library too.
use core::ffi::c_int;

use base::sync::{AtomicBool, Ordering};

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
use x86_64 as imp;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
use aarch64 as imp;

pub(super) use imp::{STAT_MODE, thread_pointer};

macro_rules! numbers {
    ($($name:ident: $x86_64:literal, $aarch64:literal;)*) => {
        /// System call numbers.
        pub(super) mod number {
            $(
                pub(in crate::os::linux) const $name: usize =
                    if cfg!(target_arch = "x86_64") { $x86_64 } else { $aarch64 };
            )*
        }
    };
}

// Linux's arch/x86/entry/syscalls and include/uapi/asm-generic/unistd.h.
numbers! {
    READ: 0, 63;
    WRITE: 1, 64;
    CLOSE: 3, 57;
    FSTAT: 5, 80;
    MMAP: 9, 222;
    MPROTECT: 10, 226;
    MUNMAP: 11, 215;
    RT_SIGPROCMASK: 14, 135;
    MREMAP: 25, 216;
    FCNTL: 72, 25;
    MINCORE: 27, 232;
    MADVISE: 28, 233;
    NANOSLEEP: 35, 101;
    GETPID: 39, 172;
    GETTID: 186, 178;
    GETPPID: 110, 173;
    SYSINFO: 99, 179;
    FUTEX: 202, 98;
    CLOCK_GETTIME: 228, 113;
    PRCTL: 157, 167;
    UNSHARE: 272, 97;
    OPENAT: 257, 56;
    UNLINKAT: 263, 35;
    RENAMEAT: 264, 38;
    PRLIMIT64: 302, 261;
    PROCESS_VM_READV: 310, 270;
    EXIT: 60, 93;
    STATX: 332, 291;
    PROCESS_MADVISE: 440, 440;
    KCMP: 312, 272;
    MEMFD_CREATE: 319, 279;
    FTRUNCATE: 77, 46;
    FALLOCATE: 285, 47;
    SCHED_GETAFFINITY: 204, 123;
    GETRANDOM: 318, 278;
}

unsafe extern "C" {
    fn syscall(number: isize, ...) -> isize;
    fn __errno_location() -> *mut c_int;
}

/// Whether the C library makes our calls.
static BY_LIBRARY: AtomicBool = AtomicBool::new(false);

/// From now on the C library makes our calls, of all threads.
pub(super) fn leave_to_library() {
    BY_LIBRARY.store(true, Ordering::Relaxed);
}

/// Enters the kernel.
/// The caller promises: the call and its arguments do nothing that memory owned by others forbids.
#[inline]
pub(super) unsafe fn call6(number: usize, args: [usize; 6]) -> usize {
    if BY_LIBRARY.load(Ordering::Relaxed) {
        // SAFETY: the caller's promise.
        return unsafe { library_call6(number, args) };
    }
    // SAFETY: the caller's promise.
    unsafe { imp::call6(number, args) }
}

/// As [`call6`], by the C library, whose answer is put back into the kernel's form. errno stays.
#[cold]
unsafe fn library_call6(number: usize, args: [usize; 6]) -> usize {
    // SAFETY: the C library gives every thread a valid location.
    let errno = unsafe { __errno_location() };
    // SAFETY: as above.
    let before = unsafe { errno.read() };
    let [a, b, c, d, e, f] = args;
    // SAFETY: the caller's promise; the library passes on what it is given.
    let answer = unsafe { syscall(number.cast_signed(), a, b, c, d, e, f) };
    if answer != -1 {
        return answer.cast_unsigned();
    }
    // SAFETY: as above.
    let error = unsafe { errno.read() };
    // SAFETY: as above.
    unsafe { errno.write(before) };
    (-(error as isize)).cast_unsigned()
}

/// The kernel's answer: errors are the top 4,095 values, negated.
pub(super) fn result(answer: usize) -> Result<usize, i32> {
    let signed = answer.cast_signed();
    if (-4095..0).contains(&signed) {
        return Err(i32::try_from(-signed).unwrap_or(0));
    }
    Ok(answer)
}

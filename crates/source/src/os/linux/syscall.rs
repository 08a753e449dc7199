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

pub(super) use imp::{STAT_MODE, number, thread_pointer};

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

//! `setrlimit` and `prlimit`: a program that limits its own addresses limits its malloc too.
//!
//! The region is reserved at the first request, before the program has said anything, and what is
//! only reserved counts like what is used. So the calls by which a limit is set are answered here:
//! by the same system call, and by giving up what is only reserved. A limit that is set past us, by
//! another process or a raw system call, is seen when a large block is refused.
use core::ffi::{c_int, c_uint};
use core::ptr;

use malloc::HEAP;
use source::os::imp::fork;
use source::os::imp::process::{RLIMIT_AS, prlimit as call, process_id};

use crate::errno::set_errno;

/// `struct rlimit` of 64-bit systems: soft, then hard.
type Limit = [u64; 2];

/// Sets a limit of this process.
/// The caller promises: `new` is null or valid for reading.
#[unsafe(no_mangle)]
unsafe extern "C" fn setrlimit(resource: c_uint, new: *const Limit) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { prlimit(0, resource, new, ptr::null_mut()) }
}

/// [`setrlimit`] by the name that programs built for large files use.
/// The caller promises: as [`setrlimit`].
#[unsafe(no_mangle)]
unsafe extern "C" fn setrlimit64(resource: c_uint, new: *const Limit) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { prlimit(0, resource, new, ptr::null_mut()) }
}

/// Reads and sets a limit of any process.
/// The caller promises: `new` is null or valid for reading, `old` null or valid for writing.
#[unsafe(no_mangle)]
unsafe extern "C" fn prlimit(
    process: c_int,
    resource: c_uint,
    new: *const Limit,
    old: *mut Limit,
) -> c_int {
    let number = process as isize;
    // SAFETY: the caller's promise; the kernel finds out about bad addresses.
    if let Err(error) = unsafe { call(number.cast_unsigned(), resource as usize, new, old) } {
        set_errno(error);
        return -1;
    }
    let ours = process == 0 || usize::try_from(process) == Ok(process_id());
    // A child of vfork has a limit of its own, and its parent's memory.
    if ours && resource as usize == RLIMIT_AS && !new.is_null() && fork::is_own_process() {
        HEAP.limit_changed();
    }
    0
}

/// [`prlimit`] by the name that programs built for large files use.
/// The caller promises: as [`prlimit`].
#[unsafe(no_mangle)]
unsafe extern "C" fn prlimit64(
    process: c_int,
    resource: c_uint,
    new: *const Limit,
    old: *mut Limit,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { prlimit(process, resource, new, old) }
}

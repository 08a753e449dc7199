//! `prctl`: a program that is about to confine itself tells its malloc so.
//!
//! The control group's memory limit is in a file. It is read when the heap first grows large, and
//! a filter of system calls that was installed before may end the process for it. So the call that
//! precedes such a filter, or is one, is answered here: the limit is read, then the same system
//! call is made. A filter that comes by raw system calls is not noticed.
//!
//! A program that has system calls handed to it names the instructions whose calls it does not want, the C library's: from
//! then on ours are among them.
use core::ffi::{c_int, c_ulong};

use base::bits::{index, low32};
use malloc::record;
use source::os::imp::process::prctl as call;

#[cfg(heap = "flagship")]
use crate::background;
use crate::errno::set_errno;
use crate::heap::HEAP;

const PR_SET_SECCOMP: c_int = 22;
const PR_SET_NO_NEW_PRIVS: c_int = 38;

/// Changes or reads an attribute of the process.
/// The caller promises: as `prctl(2)` says of the option.
#[unsafe(no_mangle)]
unsafe extern "C" fn prctl(
    option: c_int,
    first: c_ulong,
    second: c_ulong,
    third: c_ulong,
    fourth: c_ulong,
) -> c_int {
    if matches!(option, PR_SET_SECCOMP | PR_SET_NO_NEW_PRIVS) {
        HEAP.before_confinement();
        record::stop();
        #[cfg(heap = "flagship")]
        background::never_from_now_on();
    }
    let args = [first, second, third, fourth].map(index);
    // SAFETY: the caller's promise.
    match unsafe { call((option as isize).cast_unsigned(), args) } {
        // The kernel answers in an int.
        Ok(answer) => low32(answer & 0xffff_ffff).cast_signed(),
        Err(error) => {
            set_errno(error);
            -1
        }
    }
}

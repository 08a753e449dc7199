//! What runs when the library is loaded and when the process ends. Malloc needs neither.
use core::ffi::{c_char, c_int};

use crate::cplusplus::tell_sizes;
use crate::dlopen;
use crate::heap::global;

type Start = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char);

/// glibc calls the functions of this section with main's arguments.
#[used]
#[unsafe(link_section = ".init_array")]
static START: Start = start;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// # Safety
///
/// `environment` is the process's.
unsafe extern "C" fn start(
    _count: c_int,
    _arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    // SAFETY: the loader passes the environment.
    unsafe { dlopen::configure(environment) };
    global::begun();
    // SAFETY: the loader passes the environment.
    unsafe { global::configure(environment) };
    tell_sizes();
}

extern "C" fn end() {
    global::at_exit();
}

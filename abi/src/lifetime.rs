//! What runs when the library is loaded and when the process ends. Malloc needs neither.
use core::ffi::c_char;

use crate::heap::global;

unsafe extern "C" {
    /// Where POSIX has a program find its variables. glibc passes them to these functions too, musl does not.
    static environ: *const *const c_char;
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

extern "C" fn start() {
    global::begun();
    // SAFETY: a word of the C library's, set before any library of the program starts.
    let environment = unsafe { environ };
    // SAFETY: the process's variables, as POSIX has them.
    unsafe { global::configure(environment) };
}

extern "C" fn end() {
    global::at_exit();
}

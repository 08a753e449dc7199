//! What runs when the library is loaded and when the process ends. Malloc needs neither.
use core::ffi::{c_char, c_int};

use crate::cplusplus::pass_sizes;
use crate::dlopen;
use crate::heap::global;

unsafe extern "C" {
    /// Where POSIX has a program find its variables.
    static environ: *const *const c_char;
}

type Start = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char);

/// glibc calls the functions of this section with main's arguments, musl with none.
#[used]
#[unsafe(link_section = ".init_array")]
static START: Start = start;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// The caller promises: `environment` is the process's, or the C library has said by now where it is.
unsafe extern "C" fn start(
    _count: c_int,
    _arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    // First of all: what the settings ask for may look at once.
    #[cfg(heap = "flagship")]
    crate::heap::HEAP.hears_of_confinement();
    // SAFETY: a word of the C library's. glibc has not set it when we are the first to start.
    let known = unsafe { environ };
    let environment = if known.is_null() { environment } else { known };
    // SAFETY: the process's variables.
    unsafe { dlopen::configure(environment) };
    global::begun();
    // SAFETY: as above.
    unsafe { global::configure(environment) };
    #[cfg(heap = "flagship")]
    // SAFETY: as above.
    unsafe {
        crate::background::configure(environment);
    }
    pass_sizes();
}

extern "C" fn end() {
    global::at_exit();
}

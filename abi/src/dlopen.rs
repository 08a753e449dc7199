//! `dlopen` without RTLD_DEEPBIND, so that what is opened has the same malloc as the program.
//!
//! ```text
//! caller ─ call ─► dlopen, ours ─► route: mode, and where the real one is
//!    ▲                  └─ jump ─► dlopen, the C library's
//!    └──────────────────── return ─────────┘
//! ```
//!
//! RTLD_DEEPBIND has a library look names up in what it depends on before the program and what
//! is preloaded: it finds the C library's malloc and free, and frees with them what ours gave.
//! With the bit cleared it finds ours, as any other library does.
//!
//! - **dlopen-D1** the real `dlopen` is jumped to, never called: it finds the caller's namespace and
//!   RUNPATH, and what `$ORIGIN` stands for, by its return address.
//! - **dlopen-D2** [`route`] may run in any constructor, in several threads at once, before ours: it
//!   stores words that come out the same each time, and asks the environment until there is one.
//!
//! `HEAPWRIGHT=deepbind=1` leaves the bit. `dlmopen` is not replaced: what it opens has a C
//! library of its own, and hands no blocks over, but for LM_ID_BASE, which nobody is known to use with that bit. musl knows no RTLD_DEEPBIND and ignores the bit.
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;

use base::sync::{AtomicU8, AtomicUsize, Ordering};
use malloc::heapwright::options::{Options, variable};

use crate::cplusplus::linked;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

unsafe extern "C" {
    static environ: *const *const c_char;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    /// Our `dlopen` under a hidden name: the linker warns of the other in static programs.
    #[link_name = "heapwright_dlopen"]
    pub(crate) fn own(name: *const c_char, mode: c_int) -> *mut c_void;
}

const RTLD_NEXT: *mut c_void = ptr::without_provenance_mut(usize::MAX);
const RTLD_DEEPBIND: c_int = 8;
const NAME: &CStr = c"dlopen";

/// The answers to "is the bit left?".
mod answer {
    pub(super) const UNKNOWN: u8 = 0;
    pub(super) const CLEARED: u8 = 1;
    pub(super) const LEFT: u8 = 2;
}

static ANSWER: AtomicU8 = AtomicU8::new(answer::UNKNOWN);

/// Where a call goes on; in two registers on every processor we know.
#[derive(Debug)]
#[repr(C)]
struct Route {
    to: usize,
    mode: usize,
}

/// Where a call of `dlopen` goes on, and with which mode.
extern "C" fn route(mode: c_int) -> Route {
    // A static program has the C library's `dlopen` under this name too, and no other library has it.
    let linked = linked!("___dlopen");
    if linked != 0 {
        // What a static program opens has the C library's malloc whatever the mode.
        return Route { to: linked, mode: word(mode) };
    }
    let mode = if is_left() { mode } else { mode & !RTLD_DEEPBIND };
    Route { to: next(), mode: word(mode) }
}

/// A mode as a register has it: the upper half does not count.
fn word(mode: c_int) -> usize {
    mode.cast_unsigned() as usize
}

fn next() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let known = NEXT.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    // SAFETY: looks a name up behind this library.
    let found = unsafe { dlsym(RTLD_NEXT, NAME.as_ptr()) }.expose_provenance();
    if found == 0 {
        return (nothing as extern "C" fn() -> *mut c_void as *mut ()).expose_provenance();
    }
    NEXT.store(found, Ordering::Relaxed);
    found
}

/// There is no `dlopen`; `dlerror` has what `dlsym` said about it.
extern "C" fn nothing() -> *mut c_void {
    ptr::null_mut()
}

/// Whether RTLD_DEEPBIND is left as it was asked for.
fn is_left() -> bool {
    if ANSWER.load(Ordering::Relaxed) == answer::UNKNOWN {
        // SAFETY: a word of the C library, null until it has started.
        let environment = unsafe { environ };
        // SAFETY: null or the C library's environment.
        unsafe { configure(environment) };
    }
    ANSWER.load(Ordering::Relaxed) == answer::LEFT
}

/// Applies the option `deepbind` of an environment. Mistakes in it are reported by the heap.
/// The caller promises: `environment` is null or a null-terminated array of C strings.
pub(crate) unsafe fn configure(environment: *const *const c_char) {
    if environment.is_null() {
        return;
    }
    // SAFETY: the caller's promise.
    let text = unsafe { variable(environment) }.unwrap_or_default();
    let left = Options::parse(text, |_| ()).deepbind == Some(true);
    ANSWER.store(if left { answer::LEFT } else { answer::CLEARED }, Ordering::Relaxed);
}
